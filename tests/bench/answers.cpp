// answers SECONDS SEED: measures how soon a window responds during bursts of random events. The
// window must have just started on this display. During each burst it gets a ping (_NET_WM_PING),
// which it returns between two frames. At the end, the median, the 99th percentile and the longest
// of the times until a ping came back are printed. Started by answers.sh.

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class T>
struct Free {
    void operator()(T* reply) const { std::free(reply); }
};
template <class T>
using Reply = std::unique_ptr<T, Free<T>>;

class Display {
public:
    Display() {
        root_ = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data->root;
        protocols_ = atom("WM_PROTOCOLS");
        ping_ = atom("_NET_WM_PING");
        const std::uint32_t events = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
        xcb_change_window_attributes(connection_, root_, XCB_CW_EVENT_MASK, &events);
        window_ = with_protocols(root_);
    }
    ~Display() { xcb_disconnect(connection_); }
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;
    bool has_window() const { return window_ != XCB_NONE; }

    // Returns how many seconds the window takes to respond, or `most` if it takes longer.
    double seconds_of_answer(double most) {
        xcb_client_message_event_t event{};
        event.response_type = XCB_CLIENT_MESSAGE;
        event.format = 32;
        event.window = window_;
        event.type = protocols_;
        event.data.data32[0] = ping_;
        event.data.data32[1] = ++asked_;
        event.data.data32[2] = window_;
        const Clock::time_point begin = Clock::now();
        xcb_send_event(connection_, 0, window_, 0, reinterpret_cast<const char*>(&event));
        xcb_flush(connection_);
        while (seconds_since(begin) < most) {
            pollfd wait{xcb_get_file_descriptor(connection_), POLLIN, 0};
            poll(&wait, 1, 100);
            while (const Reply<xcb_generic_event_t> got{xcb_poll_for_event(connection_)}) {
                const auto* message = reinterpret_cast<xcb_client_message_event_t*>(got.get());
                if ((got->response_type & 0x7f) == XCB_CLIENT_MESSAGE &&
                    message->data.data32[0] == ping_ && message->data.data32[1] == asked_)
                    return seconds_since(begin);
            }
        }
        return most;
    }

private:
    xcb_atom_t atom(const std::string& name) {
        const auto asked = xcb_intern_atom(connection_, 0, std::uint16_t(name.size()), name.data());
        return Reply<xcb_intern_atom_reply_t>(xcb_intern_atom_reply(connection_, asked, nullptr))
            ->atom;
    }
    // Returns `from` or the first window below it that has the property WM_PROTOCOLS; XCB_NONE if
    // there is none.
    xcb_window_t with_protocols(xcb_window_t from) {
        const Reply<xcb_get_property_reply_t> property{xcb_get_property_reply(
            connection_,
            xcb_get_property(connection_, 0, from, protocols_, XCB_GET_PROPERTY_TYPE_ANY, 0, 1),
            nullptr)};
        if (property && property->value_len > 0) return from;
        const Reply<xcb_query_tree_reply_t> tree{
            xcb_query_tree_reply(connection_, xcb_query_tree(connection_, from), nullptr)};
        if (!tree) return XCB_NONE;
        const xcb_window_t* children = xcb_query_tree_children(tree.get());
        for (int k = 0; k < xcb_query_tree_children_length(tree.get()); ++k)
            if (const xcb_window_t found = with_protocols(children[k])) return found;
        return XCB_NONE;
    }

    xcb_connection_t* connection_ = xcb_connect(nullptr, nullptr);
    xcb_window_t root_ = XCB_NONE, window_ = XCB_NONE;
    xcb_atom_t protocols_ = XCB_NONE, ping_ = XCB_NONE;
    std::uint32_t asked_ = 0;
};

// Returns a random event as a line of input for xdotool.
std::string random_event(std::mt19937& random) {
    const auto below = [&](unsigned n) { return random() % n; };
    constexpr const char* keys[] = {"Page_Down", "Page_Up", "Right",  "Left", "Up",
                                    "Down",      "space",   "Return", "Tab",  "Escape",
                                    "Delete",    "plus",    "minus",  "F5",   "ctrl+z",
                                    "h",         "v",       "m",      "d",    "ctrl+shift+z"};
    const auto place = [&] { return fmt::format("mousemove {} {}", below(1600), below(1000)); };
    switch (below(6)) {
        case 0:
            return fmt::format("key {}\n", keys[below(std::size(keys))]);
        case 1:
            return place() + " click 1\n";
        case 2:
            return fmt::format("{} click {}\n", place(), 4 + below(2));  // the wheel
        case 3:
            return fmt::format("{} mousedown 1 {} mouseup 1\n", place(), place());
        case 4:
            return place() + "\n";
        default:
            return fmt::format("type --delay 0 {}\n", char('a' + below(26)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    Display display;
    FILE* xdotool = popen("xdotool - >/dev/null 2>&1", "w");
    if (!display.has_window() || !xdotool) return 1;
    std::mt19937 random(static_cast<unsigned>(std::atoi(argv[2])));
    std::vector<double> answers;
    int events = 0;
    const Clock::time_point begin = Clock::now();
    while (seconds_since(begin) < std::atof(argv[1])) {
        const int burst = 20 + static_cast<int>(random() % 60);
        for (int k = 0; k < burst; ++k, ++events) std::fputs(random_event(random).c_str(), xdotool);
        std::fflush(xdotool);
        usleep(150'000);  // the burst is under way
        answers.push_back(display.seconds_of_answer(30));
    }
    pclose(xdotool);
    std::ranges::sort(answers);
    fmt::print(
        "{} events, {} answers: median {:.3f} s, 99 % {:.3f} s, worst {:.3f} s, {} over 1 s\n",
        events, answers.size(), answers[answers.size() / 2], answers[answers.size() * 99 / 100],
        answers.back(), std::ranges::count_if(answers, [](double seconds) { return seconds > 1; }));
}
