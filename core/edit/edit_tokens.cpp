#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/base/utf8.h"
#include "core/edit/edit_parts.h"
#include "core/scene/scene.h"

namespace maskscope {

namespace {

// True for white space that separates words, which a no-break space does not.
bool is_white(char32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a && code != 0x2007) || code == 0x2028 ||
           code == 0x2029 || code == 0x205f || code == 0x3000;
}

// Returns the length in bytes of the white-space character at `at`, or 0 if there is none.
std::size_t white_at(std::string_view text, std::size_t at) {
    const Character character = character_at(text, at);
    return character.bytes > 0 && is_white(character.code) ? character.bytes : 0;
}

// Reads the quoted token at `at` and advances past it. Returns false if the quote is never closed;
// the quotation mark is then an ordinary character.
bool read_quoted(std::string_view text, std::size_t& at, std::string& token) {
    std::size_t k = at + 1;
    for (; k < text.size() && text[k] != '"'; ++k) {
        const bool escaped =
            text[k] == '\\' && k + 1 < text.size() && (text[k + 1] == '"' || text[k + 1] == '\\');
        if (escaped) ++k;
        token += text[k];
    }
    if (k >= text.size()) {
        token.clear();
        return false;
    }
    at = k + 1;
    return true;
}

}  // namespace

std::vector<std::string> split_sentence(const std::string& text) {
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t white = white_at(text, at)) {
            at += white;
            continue;
        }
        std::string token;
        if (text[at] != '"' || !read_quoted(text, at, token))
            while (at < text.size() && white_at(text, at) == 0) token += text[at++];
        if (!token.empty()) tokens.push_back(token);
    }
    return tokens;
}

void expect_name(const std::string& text, const std::string& what) {
    if (text.empty()) throw EditError(what + " cannot be empty.");
    for (std::size_t at = 0; at < text.size();) {
        const Character character = character_at(text, at);
        if (character.bytes == 0) throw EditError(what + " is not valid UTF-8.");
        if (is_control(character.code)) throw EditError(what + " cannot hold control characters.");
        at += character.bytes;
    }
}

void expect_index(Index index, Index size, const std::string& what) {
    if (index < 0 || index >= size) throw EditError("This " + what + " no longer exists.");
}

namespace {

using Tokens = std::vector<std::string>;

// One side of a sequence being edited: its tokens and their old positions.
struct Draft {
    Tokens tokens;
    std::vector<Index> source;  // [token]: its old position, or AxisEdit::added
    std::vector<Index> home;    // [token]: the old position whose document it joins, or `added`
    Index size() const { return static_cast<Index>(tokens.size()); }
};

bool names_keys(const Scene& scene, Side side) {
    return side == Side::keys && !is_self_attention(scene);
}

// Returns the tokens of a Scene or a const Scene.
template <class S>
auto& tokens_of(S& scene, Index b, Side side) {
    expect_given(scene.inputs, ScenePart::tokens);
    expect_index(b, static_cast<Index>(scene.sequences.size()), "sequence");
    auto& sequence = scene.sequences[b];
    return names_keys(scene, side) ? *sequence.keys : sequence.queries;
}

Index padded_size(const Scene& scene, Side side) {
    const Shape shape = shape_of(scene);
    return names_keys(scene, side) ? shape.n_k : shape.n_q;
}

// Makes a draft in which the first `size` positions are tokens, even if they were padding.
Draft draft_of(const Scene& scene, Index b, Side side, Index size = 0) {
    Draft draft;
    draft.tokens = tokens_of(scene, b, side);
    if (draft.size() < size) draft.tokens.resize(static_cast<std::size_t>(size), scene.pad_token);
    draft.source.resize(draft.tokens.size());
    std::iota(draft.source.begin(), draft.source.end(), Index{0});
    draft.home = draft.source;
    return draft;
}

template <class T>
void move_entry(std::vector<T>& list, Index from, Index to) {
    const auto first = list.begin();
    if (from < to)
        std::rotate(first + from, first + from + 1, first + to + 1);
    else
        std::rotate(first + to, first + from, first + from + 1);
}

// Completes the homes: a new position joins the document of the next position that stayed, else of
// the previous one.
void fill_homes(AxisEdit& axis) {
    for (Index k = axis.new_size() - 2; k >= 0; --k) {
        auto home = axis.home.begin() + k;
        if (*home == AxisEdit::added) *home = *(home + 1);
    }
    Index before = axis.old_size - 1;
    for (Index& home : axis.home) before = home = home == AxisEdit::added ? before : home;
}

Index longest_but(const Scene& scene, Index b, Side side) {
    Index longest = 0;
    for (Index other = 0; other < static_cast<Index>(scene.sequences.size()); ++other)
        if (other != b)
            longest = std::max(longest, static_cast<Index>(tokens_of(scene, other, side).size()));
    return longest;
}

// Returns the edit of the padded axis for an edit of one sequence: pad tokens keep their places.
AxisEdit axis_edit(const Scene& scene, Index b, Side side, const Draft& draft) {
    AxisEdit axis;
    axis.b = b;
    axis.old_size = padded_size(scene, side);
    axis.source = draft.source;
    axis.home = draft.home;
    const Index size = std::max(draft.size(), longest_but(scene, b, side));
    const auto old_tokens = static_cast<Index>(tokens_of(scene, b, side).size());
    for (Index k = draft.size(); k < size; ++k) {
        const bool was_pad = k >= old_tokens && k < axis.old_size;
        axis.source.push_back(was_pad ? k : AxisEdit::added);
        axis.home.push_back(axis.source.back());
    }
    fill_homes(axis);
    return axis;
}

// Moves positions with their token; a new token has the position after the token before it.
std::vector<Index> moved_positions(const std::vector<Index>& listed, const Draft& draft) {
    if (listed.empty()) return {};
    std::vector<Index> moved;
    for (const Index from : draft.source) {
        const Index before = moved.empty() ? 0 : moved.back() + 1;
        moved.push_back(std::min(largest_index,
                                 from == AxisEdit::added ? before : position_at(listed, 0, from)));
    }
    return moved;
}

// Throws EditError if a position of padding, which counts on from the last one listed, would exceed
// 2^53 − 1.
void expect_room_for_padding(const Scene& scene) {
    const Shape shape = shape_of(scene);
    for (const Sequence& sequence : scene.sequences)
        if ((!sequence.positions->empty() &&
             position_at(*sequence.positions, 0, shape.n_q - 1) > largest_index) ||
            (!sequence.key_positions->empty() &&
             position_at(*sequence.key_positions, 0, shape.n_k - 1) > largest_index))
            throw EditError("The position of a token would exceed 2^53 − 1.");
}

// Replaces the tokens. Leaves the scene unchanged if the numbers or rules can't follow.
void replace_tokens(Scene& scene, Index b, Side side, const Draft& draft) {
    if (draft.tokens.empty()) throw EditError("A sequence needs at least one token.");
    for (const std::string& token : draft.tokens) expect_name(token, "A token");
    const AxisEdit edited = axis_edit(scene, b, side, draft);
    const Shape shape = shape_of(scene);
    const bool self = is_self_attention(scene);
    const AxisEdit rows = self || side == Side::queries ? edited : no_edit(shape.n_q);
    const AxisEdit columns = self || side == Side::keys ? edited : no_edit(shape.n_k);
    Scene next = scene;
    move_numbers(next.inputs, rows, columns);
    for (Variant& variant : next.variants) move_layers(variant.mask.layers, rows, columns);
    tokens_of(next, b, side) = draft.tokens;
    Sequence& sequence = next.sequences[b];
    for (auto* listed : {side == Side::queries ? &sequence.positions : nullptr,
                         names_keys(scene, side) ? &sequence.key_positions : nullptr})
        if (listed) *listed = moved_positions(**listed, draft);
    expect_room_for_padding(next);
    expect_fitting_layers(next);
    scene = std::move(next);
}

// True if this side's inputs are given numbers, not computed from the tokens.
bool is_given(const Inputs& inputs, Side side) {
    if (const auto* output = std::get_if<OutputInputs>(&inputs)) {
        const bool keys = side == Side::keys && output->keys;
        return is_given(keys ? (*output->keys)->inputs : output->of->inputs, Side::queries);
    }
    return !std::holds_alternative<EmbeddingInputs>(inputs) &&
           !std::holds_alternative<PatternsInputs>(inputs);
}

// Returns the draft for typed tokens. Tokens unchanged at the beginning and the end are kept;
// between them, new tokens replace old ones one by one, and the rest are added or deleted.
Draft typed(const Tokens& old, const Tokens& tokens) {
    const std::size_t shorter = std::min(old.size(), tokens.size());
    std::size_t same_end = 0;
    const auto first_other =
        std::mismatch(old.begin(), old.begin() + std::ptrdiff_t(shorter), tokens.begin());
    const auto same_start = static_cast<std::size_t>(first_other.first - old.begin());
    while (same_end < shorter - same_start &&
           old[old.size() - 1 - same_end] == tokens[tokens.size() - 1 - same_end])
        ++same_end;
    Draft draft;
    draft.tokens = tokens;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const bool at_end = k >= tokens.size() - same_end;
        const bool replaces = k < old.size() - same_end;
        const std::size_t from = at_end ? k + old.size() - tokens.size() : k;
        draft.source.push_back(at_end || replaces ? static_cast<Index>(from) : AxisEdit::added);
    }
    draft.home = draft.source;
    return draft;
}

}  // namespace

void set_sentence(Scene& scene, Index b, Side side, const Tokens& tokens) {
    if (tokens.empty()) throw EditError("A sequence needs at least one token.");
    const Tokens& old = tokens_of(scene, b, side);
    if (tokens.size() != old.size() && is_given(scene.inputs, side))
        throw EditError("The numbers are given for " + std::to_string(old.size()) +
                        " tokens. Type as many, or press “Use seeded vectors” first.");
    replace_tokens(scene, b, side, typed(old, tokens));
}

void rename_token(Scene& scene, Index b, Side side, Index index, const std::string& token) {
    expect_index(index, padded_size(scene, side), "token");
    Draft draft = draft_of(scene, b, side, index + 1);
    draft.tokens[index] = token;
    replace_tokens(scene, b, side, draft);
}

void insert_token(Scene& scene, Index b, Side side, Index index, const std::string& token) {
    expect_index(index, padded_size(scene, side) + 1, "place for a token");
    Draft draft = draft_of(scene, b, side, index);
    draft.tokens.insert(draft.tokens.begin() + index, token);
    draft.source.insert(draft.source.begin() + index, AxisEdit::added);
    draft.home.insert(draft.home.begin() + index, AxisEdit::added);
    replace_tokens(scene, b, side, draft);
}

void delete_token(Scene& scene, Index b, Side side, Index index) {
    expect_index(index, padded_size(scene, side), "token");
    Draft draft = draft_of(scene, b, side);
    if (index >= draft.size())
        throw EditError("This pad token fills up a sequence that is shorter than the longest one.");
    draft.tokens.erase(draft.tokens.begin() + index);
    draft.source.erase(draft.source.begin() + index);
    draft.home.erase(draft.home.begin() + index);
    replace_tokens(scene, b, side, draft);
}

void move_token(Scene& scene, Index b, Side side, Index from, Index to) {
    const Index size = padded_size(scene, side);
    expect_index(from, size, "token");
    expect_index(to, size, "place for a token");
    Draft draft = draft_of(scene, b, side, std::max(from, to) + 1);
    move_entry(draft.tokens, from, to);
    move_entry(draft.source, from, to);
    draft.home = draft.source;
    draft.home[to] = to;
    replace_tokens(scene, b, side, draft);
}

void toggle_pad(Scene& scene, Index b, Side side, Index index) {
    expect_index(index, padded_size(scene, side), "token");
    const Tokens& tokens = tokens_of(scene, b, side);
    const bool is_pad = index >= std::ssize(tokens) || tokens[index] == scene.pad_token;
    const std::string word = scene.pad_token == "token" ? "word" : "token";
    rename_token(scene, b, side, index, is_pad ? word : scene.pad_token);
}

namespace {

void expect_positions(const Scene& scene, Index b, const std::vector<Index>& positions) {
    expect_index(b, static_cast<Index>(scene.sequences.size()), "sequence");
    if (is_self_attention(scene))
        throw EditError("In self-attention, a query has the position of its own key.");
    if (std::ranges::any_of(positions, [](Index p) { return p < 0 || p > largest_index; }))
        throw EditError("A position is a whole number, 0 or more.");
}

}  // namespace

void set_start(Scene& scene, Index b, Index start) {
    expect_positions(scene, b, {start});
    Scene next = scene;
    next.sequences[b].start = start;
    next.sequences[b].positions = std::vector<Index>();  // `start` replaces them
    expect_fitting_layers(next);
    scene = std::move(next);
}

void set_positions(Scene& scene, Index b, Side side, const std::vector<Index>& positions) {
    expect_positions(scene, b, positions);
    const auto count = std::ssize(tokens_of(scene, b, side));
    if (!positions.empty() && std::ssize(positions) != count)
        throw EditError(fmt::format("There are {} positions for {} tokens. Each token needs one.",
                                    positions.size(), count));
    Scene next = scene;
    Sequence& sequence = next.sequences[b];
    (side == Side::queries ? sequence.positions : sequence.key_positions) = positions;
    if (side == Side::queries) sequence.start = 0;  // the positions replace it
    expect_fitting_layers(next);
    scene = std::move(next);
}

}  // namespace maskscope
