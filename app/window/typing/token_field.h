#pragma once
// An editable line of text, as UTF-8 bytes. Bytes that are not edited are never rewritten, so that
// tokens keep, for example, their own spelling of an emoji. The caret moves by graphemes, as Pango
// defines them. Independent of ImGui and OpenGL.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"
#include "app/window/typing/input_queue.h"

namespace maskscope {

struct Clipboard {
    std::function<std::string()> read;
    std::function<void(const std::string&)> write;
    // Offers one picture in two formats, of which the pasting program takes one. Throws WorkError.
    std::function<void(const std::string& png, const std::string& svg)> write_picture{};
};

class TokenField {
public:
    enum class Move { left, right, word_left, word_right, home, end };
    // The outcome of a frame's keys, apart from edits.
    enum class Outcome { none, commit, cancel, tab };

    explicit TokenField(std::string text = "");

    const std::string& text() const { return text_; }
    const std::string& original() const { return original_; }
    bool edited() const { return text_ != original_; }
    std::size_t caret() const { return caret_; }  // in bytes; always between two graphemes
    std::size_t anchor() const { return anchor_; }
    bool has_selection() const { return caret_ != anchor_; }
    bool has_all_selected() const {
        return has_selection() && std::min(caret_, anchor_) == 0 &&
               std::max(caret_, anchor_) == text_.size();
    }
    std::string selected() const;

    void set_text(std::string text);  // counts as an edit; puts the caret at the end
    // Replaces the selection. Control characters become spaces, and invalid UTF-8 becomes U+FFFD.
    void insert(std::string_view text);
    void erase_back();  // erases the selection, or the grapheme before the caret
    void erase_forward();
    void move(Move where, bool select);
    void select_all();
    void select_word_at(std::size_t byte);
    void place_caret(std::size_t byte, bool select);  // byte: between two graphemes

    // Handles a press or drag at x, measured from the left end of the text in the units of
    // style.size.
    void press(double x, const TextStyle& style, bool select);
    void drag(double x, const TextStyle& style);

    // Handles typed text, then keys. Enter commits, Escape cancels, Ctrl+Z restores the initial
    // text.
    Outcome use(const Input& input, const Clipboard& clipboard);

private:
    Outcome use_key(int key, int modifiers, const Clipboard& clipboard);
    bool use_control_key(int key, const Clipboard& clipboard);
    void use_caret_key(int key, int modifiers);
    void erase_selection();
    std::size_t stop_before(std::size_t byte) const;
    std::size_t stop_after(std::size_t byte) const;
    std::size_t word_from(std::size_t byte, bool forward) const;

    std::string original_, text_;
    std::size_t caret_ = 0, anchor_ = 0;
};

// Returns the bytes before which the caret can be, in ascending order, including 0 and the text's
// length.
std::vector<std::size_t> caret_stops(const std::string& text);
// Returns the x of the caret before a byte, measured from the left end of the text in the units of
// style.size.
double caret_x(const std::string& text, const TextStyle& style, std::size_t byte);
// Returns the byte of the caret position nearest to x.
std::size_t caret_at(const std::string& text, const TextStyle& style, double x);

}  // namespace maskscope
