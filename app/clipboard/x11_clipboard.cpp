#include "app/clipboard/x11_clipboard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace maskscope {

// The parts of XCB that owning and asking for a selection share.

struct MemoryDeleter {
    void operator()(void* memory) const { std::free(memory); }
};
template <class T>
using Reply = std::unique_ptr<T, MemoryDeleter>;

inline xcb_atom_t atom_named(xcb_connection_t* server, std::string_view name) {
    const auto asked =
        xcb_intern_atom(server, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(server, asked, nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
}

template <class Event>
const Event& as(const xcb_generic_event_t& event) {
    return reinterpret_cast<const Event&>(event);
}

// Makes a window that is never shown, and is notified when its properties change.
inline xcb_window_t make_hidden_window(xcb_connection_t* server) {
    const xcb_window_t window = xcb_generate_id(server);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(server)).data;
    constexpr std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(server, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                      &events);
    return window;
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds longest_farewell{2};

struct OwnedType {
    xcb_atom_t type;
    std::shared_ptr<const std::string> bytes;
};

// Data that is sent in pieces: the receiver deletes each piece before the next is sent.
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

    // Offers these types. The window owns the selection once the server has reported the time,
    // which the change of a property makes it do.
    void offer(std::vector<ClipboardContent> kinds) {
        next_.clear();
        for (ClipboardContent& kind : kinds)
            next_.push_back({atom_named(server_, kind.type),
                             std::make_shared<const std::string>(std::move(kind.bytes))});
        xcb_change_property(server_, XCB_PROP_MODE_APPEND, window_, clock_, XCB_ATOM_INTEGER, 32, 0,
                            nullptr);
    }

    // True if all requests are answered, and no data is owned any more. If data is still owned, the
    // first call offers it to a clipboard manager.
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
            case XCB_SELECTION_NOTIFY:  // the clipboard manager has the data, or does not exist
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

    // Puts one type into one property; returns false if the type is not offered.
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

    // Answers a property that lists pairs of type and property. A type that is not offered has its
    // property set to None.
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
    // The number of bytes that fit in one request to this server, besides the request's header.
    std::size_t piece_ = 4 * std::size_t{xcb_get_setup(server_)->maximum_request_length} - 100;
    xcb_atom_t clipboard_ = atom("CLIPBOARD"), manager_ = atom("CLIPBOARD_MANAGER"),
               targets_ = atom("TARGETS"), multiple_ = atom("MULTIPLE"),
               timestamp_ = atom("TIMESTAMP"), save_targets_ = atom("SAVE_TARGETS"),
               incr_ = atom("INCR"), atom_pair_ = atom("ATOM_PAIR"),
               clock_ = atom("MASKSCOPE_CLOCK");
    xcb_timestamp_t time_ = XCB_CURRENT_TIME;  // since when the selection is owned
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
        xcb_flush(server_);  // flushing may queue events
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

namespace {
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
    // Takes the pieces. The owner sends the next one when the last is deleted; an empty piece ends
    // the text.
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

    // Waits for the first event that `is` accepts, and drops those before it. Throws WorkError if
    // it does not come in time.
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
