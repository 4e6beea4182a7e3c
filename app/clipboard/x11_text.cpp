#include "app/clipboard/x11_text.h"

#include <poll.h>
#include <xcb/xcb.h>

#include "app/clipboard/x11_parts.h"

namespace maskscope {

namespace {

using Clock = std::chrono::steady_clock;

xcb_window_t owner_of(xcb_connection_t* server, xcb_atom_t selection) {
    const auto asked = xcb_get_selection_owner(server, selection);
    const Reply<xcb_get_selection_owner_reply_t> reply(
        xcb_get_selection_owner_reply(server, asked, nullptr));
    return reply ? reply->owner : xcb_window_t{XCB_NONE};
}

}  // namespace

X11Text::X11Text() : server_(xcb_connect(nullptr, nullptr)) {
    if (xcb_connection_has_error(server_) == 0) clipboard_ = atom_named(server_, "CLIPBOARD");
}

X11Text::~X11Text() { xcb_disconnect(server_); }

void X11Text::owned() {
    if (clipboard_ != 0) own_ = owner_of(server_, clipboard_);
}

bool X11Text::answers(std::chrono::milliseconds within) {
    if (clipboard_ == 0) return true;
    const xcb_window_t owner = owner_of(server_, clipboard_);
    if (owner == XCB_NONE || owner == own_) return true;
    const xcb_window_t asks = make_hidden_window(server_);
    const xcb_atom_t types = atom_named(server_, "TARGETS");
    xcb_convert_selection(server_, asks, clipboard_, types, types, XCB_CURRENT_TIME);
    xcb_flush(server_);
    const Clock::time_point until = Clock::now() + within;
    bool answered = false;
    while (!answered && xcb_connection_has_error(server_) == 0) {
        while (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(server_)})
            answered |= (event->response_type & 0x7f) == XCB_SELECTION_NOTIFY &&
                        as<xcb_selection_notify_event_t>(*event).requestor == asks;
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        if (answered || left.count() <= 0) break;
        pollfd readable{xcb_get_file_descriptor(server_), POLLIN, 0};
        poll(&readable, 1, static_cast<int>(left.count()));
    }
    xcb_destroy_window(server_, asks);
    xcb_flush(server_);
    return answered;
}

}  // namespace maskscope
