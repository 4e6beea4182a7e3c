#include "app/clipboard/x11_owner.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "app/clipboard/x11_parts.h"
#include "core/base/error.h"

namespace maskscope {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds longest_farewell{2};

struct OwnedType {
    xcb_atom_t type;
    std::shared_ptr<const std::string> bytes;
};

// Bytes that are sent in pieces: the next one when the last was taken (deleted).
struct Transfer {
    xcb_window_t to = XCB_NONE;
    xcb_atom_t property = XCB_ATOM_NONE, type = XCB_ATOM_NONE;
    std::shared_ptr<const std::string> bytes;
    std::size_t sent = 0;
};

// The owner's side of the conversation; everything happens in one thread.
class Conversation {
public:
    explicit Conversation(xcb_connection_t* server)
        : server_(server), window_(make_hidden_window(server)) {}

    // Offers these types. They are owned once the server has given the time.
    void offer(std::vector<ClipboardContent> kinds) {
        next_.clear();
        for (ClipboardContent& kind : kinds)
            next_.push_back({atom_named(server_, kind.type),
                             std::make_shared<const std::string>(std::move(kind.bytes))});
        xcb_change_property(server_, XCB_PROP_MODE_APPEND, window_, clock_, XCB_ATOM_INTEGER, 32, 0,
                            nullptr);
    }

    // True if all requests were answered. Owned data is first offered to a clipboard manager.
    bool may_end() {
        if (!next_.empty() || !transfers_.empty()) return false;
        if (owned_.empty()) return true;
        if (!std::exchange(handed_over_, true)) {
            std::vector<xcb_atom_t> types;
            for (const OwnedType& owned : owned_) types.push_back(owned.type);
            change(window_, save_targets_, XCB_ATOM_ATOM, types);
            xcb_convert_selection(server_, window_, manager_, save_targets_, save_targets_, time_);
        }
        return false;
    }

    void hear(const xcb_generic_event_t& event) {
        switch (event.response_type & 0x7f) {
            case 0:  // an error: the pasting program is gone
                return forget(as<xcb_generic_error_t>(event).resource_id);
            case XCB_DESTROY_NOTIFY:
                return forget(as<xcb_destroy_notify_event_t>(event).window);
            case XCB_PROPERTY_NOTIFY:
                return on_property(as<xcb_property_notify_event_t>(event));
            case XCB_SELECTION_REQUEST:
                return answer(as<xcb_selection_request_event_t>(event));
            case XCB_SELECTION_NOTIFY:  // the clipboard manager has taken it, or does not exist
            case XCB_SELECTION_CLEAR:   // another program copied something
                return owned_.clear();
            default:
                return;
        }
    }

private:
    void change(xcb_window_t of, xcb_atom_t property, xcb_atom_t type,
                const std::vector<xcb_atom_t>& numbers) {
        xcb_change_property(server_, XCB_PROP_MODE_REPLACE, of, property, type, 32,
                            static_cast<std::uint32_t>(numbers.size()), numbers.data());
    }

    void listen_to(xcb_window_t window, std::uint32_t events) {
        if (window != window_)
            xcb_change_window_attributes(server_, window, XCB_CW_EVENT_MASK, &events);
    }

    void forget(xcb_window_t window) {
        std::erase_if(transfers_, [&](const Transfer& t) { return t.to == window; });
    }

    void on_property(const xcb_property_notify_event_t& event) {
        if (event.window == window_ && event.atom == clock_ && !next_.empty()) {
            time_ = event.time;
            xcb_set_selection_owner(server_, window_, clipboard_, time_);
            owned_ = std::exchange(next_, {});
        }
        if (event.state != XCB_PROPERTY_DELETE) return;
        const auto at = std::ranges::find_if(transfers_, [&](const Transfer& t) {
            return t.to == event.window && t.property == event.atom;
        });
        if (at != transfers_.end()) send_piece(at);
    }

    // Sends one piece; the last piece is empty.
    void send_piece(std::vector<Transfer>::iterator at) {
        const std::size_t size = std::min(piece_, at->bytes->size() - at->sent);
        xcb_change_property(server_, XCB_PROP_MODE_REPLACE, at->to, at->property, at->type, 8,
                            static_cast<std::uint32_t>(size), at->bytes->data() + at->sent);
        at->sent += size;
        if (size > 0) return;
        const xcb_window_t to = at->to;
        transfers_.erase(at);
        if (std::ranges::find(transfers_, to, &Transfer::to) == transfers_.end())
            listen_to(to, XCB_EVENT_MASK_NO_EVENT);
    }

    void answer(const xcb_selection_request_event_t& asked) {
        // Old clients name no property.
        const xcb_atom_t property = asked.property != XCB_NONE ? asked.property : asked.target;
        const bool given =
            asked.selection == clipboard_ && !owned_.empty() &&
            (asked.target == multiple_ ? give_several(asked.requestor, property)
                                       : give(asked.requestor, asked.target, property));
        xcb_selection_notify_event_t notice{};
        notice.response_type = XCB_SELECTION_NOTIFY;
        notice.time = asked.time;
        notice.requestor = asked.requestor;
        notice.selection = asked.selection;
        notice.target = asked.target;
        notice.property = given ? property : xcb_atom_t{XCB_ATOM_NONE};
        std::array<char, 32> event{};  // the size of every event
        std::memcpy(event.data(), &notice, sizeof notice);
        xcb_send_event(server_, 0, asked.requestor, XCB_EVENT_MASK_NO_EVENT, event.data());
    }

    // Puts one type into one property; false if it is not offered.
    bool give(xcb_window_t to, xcb_atom_t target, xcb_atom_t property) {
        if (target == targets_) {
            std::vector<xcb_atom_t> all{targets_, multiple_, timestamp_, save_targets_};
            for (const OwnedType& owned : owned_) all.push_back(owned.type);
            change(to, property, XCB_ATOM_ATOM, all);
            return true;
        }
        if (target == timestamp_) {
            change(to, property, XCB_ATOM_INTEGER, {time_});
            return true;
        }
        if (target == save_targets_) {
            change(to, property, XCB_ATOM_NONE, {});
            return true;
        }
        const auto owned = std::ranges::find(owned_, target, &OwnedType::type);
        if (owned == owned_.end()) return false;
        const std::string& bytes = *owned->bytes;
        if (bytes.size() <= piece_) {
            xcb_change_property(server_, XCB_PROP_MODE_REPLACE, to, property, target, 8,
                                static_cast<std::uint32_t>(bytes.size()), bytes.data());
            return true;
        }
        std::erase_if(transfers_,
                      [&](const Transfer& t) { return t.to == to && t.property == property; });
        transfers_.push_back({to, property, target, owned->bytes});
        listen_to(to, XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY);
        change(to, property, incr_, {static_cast<std::uint32_t>(bytes.size())});
        return true;
    }

    // Answers a property that lists pairs of type and property; a type that is not offered loses
    // its property.
    bool give_several(xcb_window_t to, xcb_atom_t property) {
        constexpr std::uint32_t most = 1024;
        const auto asked = xcb_get_property(server_, 0, to, property, atom_pair_, 0, most);
        const Reply<xcb_get_property_reply_t> reply(
            xcb_get_property_reply(server_, asked, nullptr));
        if (!reply || reply->format != 32) return false;
        const auto* first = static_cast<const xcb_atom_t*>(xcb_get_property_value(reply.get()));
        std::vector<xcb_atom_t> pairs(first, first + reply->value_len / 2 * 2);
        for (std::size_t k = 0; k < pairs.size(); k += 2)
            if (!give(to, pairs[k], pairs[k + 1])) pairs[k + 1] = XCB_ATOM_NONE;
        change(to, property, atom_pair_, pairs);
        return true;
    }

    xcb_atom_t atom(std::string_view name) const { return atom_named(server_, name); }

    xcb_connection_t* server_;
    xcb_window_t window_;
    // The size that every server accepts in one request, without the request's header.
    std::size_t piece_ = 4 * std::size_t{xcb_get_setup(server_)->maximum_request_length} - 100;
    xcb_atom_t clipboard_ = atom("CLIPBOARD"), manager_ = atom("CLIPBOARD_MANAGER"),
               targets_ = atom("TARGETS"), multiple_ = atom("MULTIPLE"),
               timestamp_ = atom("TIMESTAMP"), save_targets_ = atom("SAVE_TARGETS"),
               incr_ = atom("INCR"), atom_pair_ = atom("ATOM_PAIR"),
               clock_ = atom("MASKSCOPE_CLOCK");
    xcb_timestamp_t time_ = XCB_CURRENT_TIME;  // since when it is owned
    std::vector<OwnedType> owned_, next_;
    std::vector<Transfer> transfers_;
    bool handed_over_ = false;
};

}  // namespace

X11Owner::X11Owner() : server_(xcb_connect(nullptr, nullptr)), wake_(eventfd(0, EFD_CLOEXEC)) {
    if (wake_ < 0 || xcb_connection_has_error(server_) != 0) {
        xcb_disconnect(server_);
        if (wake_ >= 0) close(wake_);
        throw WorkError("there is no clipboard for pictures; on Wayland install wl-clipboard");
    }
    thread_ = std::thread([this] { serve(); });
}

X11Owner::~X11Owner() {
    ends_ = true;
    wake();
    thread_.join();
    xcb_disconnect(server_);
    close(wake_);
}

void X11Owner::offer(std::vector<ClipboardContent> kinds) {
    {
        const std::lock_guard lock(mutex_);
        next_ = std::move(kinds);
    }
    wake();
}

void X11Owner::wake() const { eventfd_write(wake_, 1); }

void X11Owner::serve() {
    Conversation conversation(server_);
    std::optional<Clock::time_point> until;  // when to give up, once ends_ is set
    std::array<pollfd, 2> either{pollfd{xcb_get_file_descriptor(server_), POLLIN, 0},
                                 pollfd{wake_, POLLIN, 0}};
    for (;;) {
        const bool ends = ends_;  // read before the last offer is taken
        {
            const std::lock_guard lock(mutex_);
            if (next_) conversation.offer(std::move(*std::exchange(next_, {})));
        }
        if (ends && !until) until = Clock::now() + longest_farewell;
        const bool done = ends && (conversation.may_end() || Clock::now() > *until);
        xcb_flush(server_);  // this may queue events
        while (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(server_)}) {
            conversation.hear(*event);
            xcb_flush(server_);
        }
        if (done || xcb_connection_has_error(server_) != 0) break;
        poll(either.data(), either.size(), ends ? 100 : -1);
        if (eventfd_t woken = 0; (either[1].revents & POLLIN) != 0) eventfd_read(wake_, &woken);
    }
    lost_ = true;
}

}  // namespace maskscope
