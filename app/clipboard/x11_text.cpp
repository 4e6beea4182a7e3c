#include "app/clipboard/x11_text.h"

#include <poll.h>
#include <xcb/xcb.h>

#include <algorithm>

#include "app/clipboard/x11_parts.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t most_pasted = 15'000'000;  // bytes; the same limit as for copying
constexpr int most_waits = 10;  // for all pieces together, this many times the wait for one

xcb_window_t owner_of(xcb_connection_t* server, xcb_atom_t selection) {
    const auto asked = xcb_get_selection_owner(server, selection);
    const Reply<xcb_get_selection_owner_reply_t> reply(
        xcb_get_selection_owner_reply(server, asked, nullptr));
    return reply ? reply->owner : xcb_window_t{XCB_NONE};
}

// Converts from Latin-1, the encoding of the type STRING.
std::string utf8_of(const std::string& latin) {
    std::string text;
    for (const char c : latin)
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x80)
            text += c;
        else
            (text += static_cast<char>(0xc0 | byte >> 6)) +=
                static_cast<char>(0x80 | (byte & 0x3f));
    return text;
}

// The asking side of the conversation. Answers go to a separate window, so that late answers to an
// earlier question are ignored.
class Question {
public:
    Question(xcb_connection_t* server, xcb_atom_t clipboard, std::chrono::milliseconds within)
        : server_(server),
          clipboard_(clipboard),
          window_(make_hidden_window(server)),
          within_(within),
          end_(Clock::now() + most_waits * within) {}
    ~Question() {
        xcb_destroy_window(server_, window_);
        xcb_flush(server_);
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    // Returns nullopt if the owner does not offer this type.
    std::optional<std::string> ask(const char* type) {
        xcb_convert_selection(server_, window_, clipboard_, atom_named(server_, type), property_,
                              XCB_CURRENT_TIME);
        bool given = false;
        wait_for([&](const xcb_generic_event_t& event) {
            if ((event.response_type & 0x7f) != XCB_SELECTION_NOTIFY) return false;
            const auto& notice = as<xcb_selection_notify_event_t>(event);
            given = notice.property != XCB_ATOM_NONE;
            return notice.requestor == window_;
        });
        if (!given) return std::nullopt;
        std::string text;
        if (take(text) == incr_) take_pieces(text);
        return text;
    }

private:
    // Takes pieces. Each begins when the last was taken (deleted); the last one is empty.
    void take_pieces(std::string& text) {
        text.clear();
        for (std::size_t before = 0;; before = text.size()) {
            wait_for([&](const xcb_generic_event_t& event) {
                if ((event.response_type & 0x7f) != XCB_PROPERTY_NOTIFY) return false;
                const auto& notice = as<xcb_property_notify_event_t>(event);
                return notice.window == window_ && notice.atom == property_ &&
                       notice.state == XCB_PROPERTY_NEW_VALUE;
            });
            if (take(text) != XCB_ATOM_NONE && text.size() == before) return;
        }
    }

    // Appends what the property holds; returns its type.
    xcb_atom_t take(std::string& text) {
        const auto asked =
            xcb_get_property(server_, 1, window_, property_, XCB_ATOM_ANY, 0, most_pasted / 4);
        const Reply<xcb_get_property_reply_t> reply(
            xcb_get_property_reply(server_, asked, nullptr));
        if (!reply) return XCB_ATOM_NONE;
        text.append(static_cast<const char*>(xcb_get_property_value(reply.get())),
                    static_cast<std::size_t>(xcb_get_property_value_length(reply.get())));
        if (reply->bytes_after > 0 || text.size() > most_pasted)
            throw WorkError(
                "the clipboard holds more than 15 MB of text, the most that can be pasted");
        return reply->type;
    }

    // Drops the events before the one that `is` accepts.
    template <class Is>
    void wait_for(const Is& is) {
        xcb_flush(server_);
        const Clock::time_point until = std::min(Clock::now() + within_, end_);
        while (xcb_connection_has_error(server_) == 0 && Clock::now() < until) {
            while (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(server_)})
                if (is(*event)) return;
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
            pollfd readable{xcb_get_file_descriptor(server_), POLLIN, 0};
            poll(&readable, 1, std::max(0, static_cast<int>(left.count())));
        }
        throw WorkError("the program that holds the clipboard does not answer; copy again");
    }

    xcb_connection_t* server_;
    xcb_atom_t clipboard_;
    xcb_window_t window_;
    std::chrono::milliseconds within_;
    Clock::time_point end_;
    xcb_atom_t property_ = atom_named(server_, "MASKSCOPE_TEXT"),
               incr_ = atom_named(server_, "INCR");
};

}  // namespace

X11Text::X11Text() : server_(xcb_connect(nullptr, nullptr)) {
    if (xcb_connection_has_error(server_) == 0) clipboard_ = atom_named(server_, "CLIPBOARD");
}

X11Text::~X11Text() { xcb_disconnect(server_); }

void X11Text::owned() {
    if (clipboard_ != 0) own_ = owner_of(server_, clipboard_);
}

std::optional<std::string> X11Text::read(std::chrono::milliseconds within) {
    if (clipboard_ == 0) return std::nullopt;
    const xcb_window_t owner = owner_of(server_, clipboard_);
    if (owner == XCB_NONE) return "";
    if (owner == own_) return std::nullopt;
    Question question(server_, clipboard_, within);
    if (auto text = question.ask("UTF8_STRING")) return text;
    const auto latin = question.ask("STRING");
    return latin ? utf8_of(*latin) : "";
}

}  // namespace maskscope
