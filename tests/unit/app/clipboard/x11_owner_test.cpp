// Tests the owner of the selection with a client that pastes; each has its own connection to a test
// server. tests/cli/window/clipboard.sh pastes with xclip; this file makes requests that xclip does
// not.

#include "app/clipboard/x11_clipboard.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace maskscope {
namespace {

// An X server without a screen, named by DISPLAY.
class Xvfb {
public:
    Xvfb() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
        std::array<std::string, 6> words{"Xvfb", "-displayfd", "9", "-nolisten", "tcp", "-noreset"};
        std::array<char*, 7> arguments{};
        for (std::size_t k = 0; k < words.size(); ++k) arguments[k] = words[k].data();
        posix_spawn_file_actions_t files{};
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, ends[1], 9);
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnp(&child_, "Xvfb", &files, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&files);
        close(ends[1]);
        std::string display = ":";
        for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) display += c;
        close(ends[0]);
        setenv("DISPLAY", display.c_str(), 1);
    }
    ~Xvfb() {
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
    Xvfb(const Xvfb&) = delete;
    Xvfb& operator=(const Xvfb&) = delete;

private:
    pid_t child_ = 0;
};

template <class T>
struct FreedPointer : std::unique_ptr<T, void (*)(void*)> {
    explicit FreedPointer(T* memory) : std::unique_ptr<T, void (*)(void*)>(memory, std::free) {}
};

class Client {
public:
    Client() : server_(xcb_connect(nullptr, nullptr)), window_(xcb_generate_id(server_)) {
        const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(server_)).data;
        const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
        xcb_create_window(server_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, 1, 1, 0,
                          XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                          &events);
    }
    ~Client() { xcb_disconnect(server_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    xcb_atom_t atom(const std::string& name) {
        const FreedPointer<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(
            server_, xcb_intern_atom(server_, 0, std::uint16_t(name.size()), name.c_str()),
            nullptr));
        return reply->atom;
    }
    std::string name(xcb_atom_t atom) {
        const FreedPointer<xcb_get_atom_name_reply_t> reply(
            xcb_get_atom_name_reply(server_, xcb_get_atom_name(server_, atom), nullptr));
        return {xcb_get_atom_name_name(reply.get()), std::size_t(reply->name_len)};
    }
    void own(const std::string& selection) {
        xcb_set_selection_owner(server_, window_, atom(selection), XCB_CURRENT_TIME);
        xcb_flush(server_);
    }
    xcb_window_t owner(const std::string& selection) {
        const FreedPointer<xcb_get_selection_owner_reply_t> reply(xcb_get_selection_owner_reply(
            server_, xcb_get_selection_owner(server_, atom(selection)), nullptr));
        return reply->owner;
    }
    void set(const std::string& property, const std::string& type,
             const std::vector<xcb_atom_t>& numbers) {
        xcb_change_property(server_, XCB_PROP_MODE_REPLACE, window_, atom(property), atom(type), 32,
                            std::uint32_t(numbers.size()), numbers.data());
    }
    // Returns the type and the contents of a property; both are "" if it is not there.
    std::pair<std::string, std::string> take(const std::string& property) {
        const FreedPointer<xcb_get_property_reply_t> reply(xcb_get_property_reply(
            server_,
            xcb_get_property(server_, 1, window_, atom(property), XCB_ATOM_ANY, 0, 1U << 24U),
            nullptr));
        if (reply->type == XCB_ATOM_NONE) return {};
        const auto* bytes = static_cast<const char*>(xcb_get_property_value(reply.get()));
        return {name(reply->type),
                {bytes, std::size_t(xcb_get_property_value_length(reply.get()))}};
    }
    // Returns the next event of this kind; nullopt if none comes within 20 seconds.
    template <class Event>
    std::optional<Event> next(int kind) {
        xcb_flush(server_);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < until) {
            while (const FreedPointer<xcb_generic_event_t> event{xcb_poll_for_event(server_)})
                if ((event->response_type & 0x7f) == kind)
                    return reinterpret_cast<const Event&>(*event);
            pollfd readable{xcb_get_file_descriptor(server_), POLLIN, 0};
            poll(&readable, 1, 100);
        }
        return std::nullopt;
    }
    // Requests the clipboard and waits; returns true if the answer is in `property`.
    bool ask(const std::string& target, const std::string& property) {
        xcb_convert_selection(server_, window_, atom("CLIPBOARD"), atom(target), atom(property),
                              XCB_CURRENT_TIME);
        const auto answer = next<xcb_selection_notify_event_t>(XCB_SELECTION_NOTIFY);
        return answer && answer->property != XCB_ATOM_NONE;
    }
    void answer(const xcb_selection_request_event_t& asked) {
        xcb_selection_notify_event_t notice{};
        notice.response_type = XCB_SELECTION_NOTIFY;
        notice.requestor = asked.requestor;
        notice.selection = asked.selection;
        notice.target = asked.target;
        notice.property = asked.property;
        std::array<char, 32> event{};
        std::memcpy(event.data(), &notice, sizeof notice);
        xcb_send_event(server_, 0, asked.requestor, 0, event.data());
        xcb_flush(server_);
    }
    void hear_of(xcb_window_t window) {
        const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
        xcb_change_window_attributes(server_, window, XCB_CW_EVENT_MASK, &events);
    }
    // Puts bytes into the property that the requestor named.
    void put(const xcb_selection_request_event_t& asked, const std::string& type,
             const std::string& bytes) {
        xcb_change_property(server_, XCB_PROP_MODE_REPLACE, asked.requestor, asked.property,
                            atom(type), 8, std::uint32_t(bytes.size()), bytes.data());
        xcb_flush(server_);
    }
    void wait_until_owned() {
        for (int k = 0; k < 1000 && owner("CLIPBOARD") == XCB_NONE; ++k) usleep(10'000);
    }
    std::string taken_in_pieces(const std::string& property) {
        std::string all;
        while (next<xcb_property_notify_event_t>(XCB_PROPERTY_NOTIFY)) {
            const auto [type, bytes] = take(property);
            if (!type.empty() && bytes.empty()) return all;
            all += bytes;
        }
        return "nothing for a long time";
    }

private:
    xcb_connection_t* server_;
    xcb_window_t window_;
};

std::vector<xcb_atom_t> atoms_in(const std::string& bytes) {
    std::vector<xcb_atom_t> atoms(bytes.size() / sizeof(xcb_atom_t));
    std::memcpy(atoms.data(), bytes.data(), atoms.size() * sizeof(xcb_atom_t));
    return atoms;
}

struct X11OwnerTest : testing::Test {
    static void SetUpTestSuite() { server = std::make_unique<Xvfb>(); }
    static void TearDownTestSuite() { server.reset(); }
    static inline std::unique_ptr<Xvfb> server;
};

TEST_F(X11OwnerTest, AnswersForSeveralTypesAtOnce) {
    X11Owner owner;
    owner.offer({{"image/png", "first"}, {"image/svg+xml", "second"}});
    Client client;
    client.wait_until_owned();
    const xcb_atom_t png = client.atom("image/png"), svg = client.atom("image/svg+xml"),
                     gif = client.atom("image/gif");
    client.set("PAIRS", "ATOM_PAIR",
               {svg, client.atom("X"), gif, client.atom("Y"), png, client.atom("Z")});
    ASSERT_TRUE(client.ask("MULTIPLE", "PAIRS"));
    EXPECT_EQ(client.take("X"), std::pair(std::string("image/svg+xml"), std::string("second")));
    EXPECT_EQ(client.take("Z"), std::pair(std::string("image/png"), std::string("first")));
    EXPECT_EQ(client.take("Y").first, "");
    const auto pairs = atoms_in(client.take("PAIRS").second);
    ASSERT_EQ(pairs.size(), 6U);
    EXPECT_EQ(pairs[3], xcb_atom_t{XCB_ATOM_NONE}) << "a type that is not offered";
    EXPECT_NE(pairs[5], xcb_atom_t{XCB_ATOM_NONE});
    EXPECT_FALSE(client.ask("UTF8_STRING", "X"));
}

TEST_F(X11OwnerTest, ALaterOfferTakesThePlaceOfTheFirst) {
    X11Owner owner;
    owner.offer({{"image/png", "old"}});
    Client client;
    client.wait_until_owned();
    owner.offer({{"image/svg+xml", "new"}});
    bool replaced = false;
    for (int k = 0; k < 200 && !replaced; ++k) replaced = client.ask("image/svg+xml", "X");
    EXPECT_TRUE(replaced);
    EXPECT_EQ(client.take("X").second, "new");
    EXPECT_FALSE(client.ask("image/png", "X"));
}

// 3 MB are sent in pieces. Meanwhile a second requestor is answered, and a third, which ends
// immediately, does no harm. The transfer is finished even if another program copies something.
TEST_F(X11OwnerTest, LargeBytesGoInPieces) {
    std::string large(3'000'000, 'x');
    for (std::size_t k = 0; k < large.size(); k += 7) large[k] = char(k % 251);
    X11Owner owner;
    owner.offer({{"image/png", large}});
    Client client, other;
    client.wait_until_owned();
    ASSERT_TRUE(client.ask("image/png", "X"));
    EXPECT_EQ(client.take("X").first, "INCR");
    {
        Client hasty;
        EXPECT_TRUE(hasty.ask("image/png", "X"));
    }
    EXPECT_TRUE(other.ask("TIMESTAMP", "X"));
    other.own("CLIPBOARD");
    EXPECT_TRUE(client.taken_in_pieces("X") == large);
}

// The client acts as a clipboard manager, which takes what the owner offers before the owner ends.
TEST_F(X11OwnerTest, AtItsEndAClipboardManagerTakesOver) {
    Client manager;
    manager.own("CLIPBOARD_MANAGER");
    auto owner = std::make_unique<X11Owner>();
    owner->offer({{"image/png", "bytes"}});
    std::thread end([&owner] { owner.reset(); });
    const auto asked = manager.next<xcb_selection_request_event_t>(XCB_SELECTION_REQUEST);
    ASSERT_TRUE(asked);
    EXPECT_EQ(manager.name(asked->target), "SAVE_TARGETS");
    EXPECT_TRUE(manager.ask("image/png", "X"));
    EXPECT_EQ(manager.take("X").second, "bytes");
    manager.answer(*asked);
    end.join();
    EXPECT_EQ(manager.owner("CLIPBOARD"), xcb_window_t{XCB_NONE});
}

// GLFW would wait for ever for a program that does not answer.
TEST_F(X11OwnerTest, WhoeverDoesNotAnswerIsWaitedForAShortTime) {
    using namespace std::chrono_literals;
    X11Text text;
    EXPECT_EQ(text.read(20ms), "") << "there is nothing";
    Client silent;
    silent.own("CLIPBOARD");
    silent.wait_until_owned();
    EXPECT_THROW(text.read(20ms), WorkError);
    text.owned();  // as if the window owned the selection; it cannot answer while it asks
    EXPECT_EQ(text.read(20ms), std::nullopt);
}

// A program that has announced pieces must send them within a time limit.
TEST_F(X11OwnerTest, PiecesThatDoNotComeAreNotWaitedForWithoutAnEnd) {
    using namespace std::chrono_literals;
    X11Text text;
    for (const bool sends : {false, true}) {
        Client slow;
        slow.own("CLIPBOARD");
        slow.wait_until_owned();
        std::atomic<bool> ends = false;
        std::thread answer([&] {
            const auto asked = slow.next<xcb_selection_request_event_t>(XCB_SELECTION_REQUEST);
            if (!asked) return;
            slow.hear_of(asked->requestor);
            slow.put(*asked, "INCR", std::string(4, 'n'));
            slow.answer(*asked);
            slow.next<xcb_property_notify_event_t>(XCB_PROPERTY_NOTIFY);  // INCR was put there
            slow.next<xcb_property_notify_event_t>(XCB_PROPERTY_NOTIFY);  // and was taken
            for (; sends && !ends; usleep(10'000)) slow.put(*asked, "UTF8_STRING", "x");
        });
        EXPECT_THROW(text.read(100ms), WorkError);
        ends = true;
        answer.join();
    }
}

TEST_F(X11OwnerTest, TextIsReadInPiecesAndInLatin1) {
    using namespace std::chrono_literals;
    std::string large;
    while (large.size() < 3'000'000) large += "aä漢 ";
    X11Text text;
    const auto read = [&](const std::vector<ClipboardContent>& kinds) {
        X11Owner owner;
        owner.offer(kinds);
        Client client;
        client.wait_until_owned();
        return text.read(20s);
    };
    EXPECT_EQ(read({{"UTF8_STRING", "short"}, {"STRING", "other"}}), "short");
    EXPECT_TRUE(read({{"UTF8_STRING", large}}) == large);
    EXPECT_EQ(read({{"STRING", "na\xefve"}}), "naïve");
    EXPECT_EQ(read({{"UTF8_STRING", ""}}), "");
    EXPECT_EQ(read({{"image/png", "bytes"}}), "");
    EXPECT_THROW(read({{"UTF8_STRING", std::string(16'000'000, 'x')}}), WorkError);
}

TEST_F(X11OwnerTest, WithoutAManagerItEndsAtOnce) {
    const auto begin = std::chrono::steady_clock::now();
    X11Owner().offer({{"image/png", "bytes"}});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace maskscope
