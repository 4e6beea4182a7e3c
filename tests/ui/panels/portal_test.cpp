// Tests the desktop's file dialog through its portal. Each test has its own bus, and on it a portal
// that answers as the test requires.

#include <gio/gio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "core/files/file.h"
#include "tests/ui/panels/panels_fixture.h"

namespace maskscope {
namespace {

const char* const interface_of_portal =
    "<node><interface name='org.freedesktop.portal.FileChooser'>"
    "<method name='OpenFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "<method name='SaveFile'><arg type='s' direction='in'/><arg type='s' direction='in'/>"
    "<arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>"
    "</interface></node>";

// A portal that answers requests in its own thread, as `does` says. If it chooses, it answers with
// `path`.
class FakePortal {
public:
    enum class Does { chooses, cancels, waits, ends };

    FakePortal(const char* address, Does does, std::string path = "")
        : does_(does), path_(std::move(path)), context_(g_main_context_new()) {
        std::promise<void> ready;
        auto is_ready = ready.get_future();
        thread_ = std::thread([this, address, &ready] { serve(address, ready); });
        is_ready.wait();
    }
    ~FakePortal() {
        ends_ = true;
        g_main_context_wakeup(context_);
        thread_.join();
        g_main_context_unref(context_);
    }
    FakePortal(const FakePortal&) = delete;
    FakePortal& operator=(const FakePortal&) = delete;

    std::atomic<bool> is_asked = false, is_left = false;
    std::string question{};  // the method and arguments of the last request

private:
    void serve(const char* address, std::promise<void>& ready) {
        g_main_context_push_thread_default(context_);
        GDBusConnection* bus = g_dbus_connection_new_for_address_sync(
            address,
            static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                              G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
            nullptr, nullptr, nullptr);
        GDBusNodeInfo* node = g_dbus_node_info_new_for_xml(interface_of_portal, nullptr);
        GDBusInterfaceVTable calls{};
        calls.method_call = take;
        g_dbus_connection_register_object(bus, "/org/freedesktop/portal/desktop",
                                          node->interfaces[0], &calls, this, nullptr, nullptr);
        g_variant_unref(g_dbus_connection_call_sync(
            bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "RequestName", g_variant_new("(su)", "org.freedesktop.portal.Desktop", 0u), nullptr,
            G_DBUS_CALL_FLAGS_NONE, -1, nullptr, nullptr));
        ready.set_value();
        while (!ends_) g_main_context_iteration(context_, TRUE);
        if (watching_ != 0) g_bus_unwatch_name(watching_);
        g_dbus_connection_close_sync(bus, nullptr, nullptr);
        g_object_unref(bus);
        g_dbus_node_info_unref(node);
        g_main_context_pop_thread_default(context_);
    }

    static void take(GDBusConnection* bus, const char* sender, const char*, const char*,
                     const char* method, GVariant* arguments, GDBusMethodInvocation* call,
                     gpointer self) {
        FakePortal& portal = *static_cast<FakePortal*>(self);
        char* text = g_variant_print(arguments, FALSE);
        portal.question = std::string(method) + text;
        g_free(text);
        portal.watching_ = g_bus_watch_name_on_connection(
            bus, sender, G_BUS_NAME_WATCHER_FLAGS_NONE, nullptr,
            [](GDBusConnection*, const char*, gpointer left) {
                static_cast<FakePortal*>(left)->is_left = true;
            },
            self, nullptr);
        const char* handle = "/org/freedesktop/portal/desktop/request/1/t";
        g_dbus_method_invocation_return_value(call, g_variant_new("(o)", handle));
        portal.is_asked = true;
        if (portal.does_ == Does::ends) portal.ends_ = true;
        if (portal.does_ == Does::waits || portal.does_ == Does::ends) return;
        GVariantBuilder results{}, uris{};
        g_variant_builder_init(&results, G_VARIANT_TYPE_VARDICT);
        if (portal.does_ == Does::chooses) {
            char* uri = g_filename_to_uri(portal.path_.c_str(), nullptr, nullptr);
            g_variant_builder_init(&uris, G_VARIANT_TYPE("as"));
            g_variant_builder_add(&uris, "s", uri);
            g_variant_builder_add(&results, "{sv}", "uris", g_variant_builder_end(&uris));
            g_free(uri);
        }
        g_dbus_connection_emit_signal(
            bus, sender, handle, "org.freedesktop.portal.Request", "Response",
            g_variant_new("(ua{sv})", portal.does_ == Does::chooses ? 0u : 1u, &results), nullptr);
    }

    Does does_;
    std::string path_;
    guint watching_ = 0;
    std::atomic<bool> ends_ = false;
    GMainContext* context_;
    std::thread thread_;
};

class BesidePortal : public InPanels {
protected:
    using Does = FakePortal::Does;

    BesidePortal() {
        bus = g_subprocess_new(static_cast<GSubprocessFlags>(G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                                             G_SUBPROCESS_FLAGS_STDERR_SILENCE),
                               nullptr, "dbus-daemon", "--session", "--nofork", "--print-address",
                               nullptr);
        std::array<char, 4096> line{};
        const gssize size = g_input_stream_read(g_subprocess_get_stdout_pipe(bus), line.data(),
                                                line.size(), nullptr, nullptr);
        address = std::string(line.data(), static_cast<std::size_t>(std::max<gssize>(size, 1)) - 1);
        setenv("DBUS_SESSION_BUS_ADDRESS", address.c_str(), 1);
    }
    ~BesidePortal() override {
        driver.reset();  // also closes the dialog
        portal.reset();
        g_subprocess_force_exit(bus);
        g_subprocess_wait(bus, nullptr, nullptr);
        g_object_unref(bus);
        setenv("DBUS_SESSION_BUS_ADDRESS", "", 1);
    }
    void start_portal(Does does, const fs::path& path = {}) {
        portal = std::make_unique<FakePortal>(address.c_str(), does, path);
    }
    bool until(const std::function<bool()>& done) {
        for (int k = 0; k < 6000 && !done(); ++k) {
            driver->settle();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return done();
    }
    bool asks() {
        return driver->app().ui.overlays.find<PathLine>() &&
               driver->app().ui.overlays.find<PathLine>()->dialog;
    }
    void press_open() {
        session.new_scene();
        driver->key(GLFW_KEY_O, GLFW_MOD_CONTROL);
    }
    bool question_has(const std::string& part) const {
        return portal->question.find(part) != std::string::npos;
    }

    Folder folder;
    GSubprocess* bus = nullptr;
    std::string address;
    std::unique_ptr<FakePortal> portal;
};

TEST_F(BesidePortal, OpensWhatWasChosen) {
    const fs::path file = folder.path() / "Übung 1%20.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", file);
    start_portal(Does::chooses, file);
    driver->app().gui.parent_of_dialogs = "x11:2a";
    press_open();
    EXPECT_TRUE(until([&] { return session.document().path() == file; }));
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_TRUE(question_has("OpenFile('x11:2a', 'Open', ")) << portal->question;
    EXPECT_TRUE(question_has("0, '*.json'), (0, '*.png')")) << portal->question;
    EXPECT_TRUE(question_has("'current_folder': <b'/")) << portal->question;
    EXPECT_FALSE(question_has("current_name")) << portal->question;
}

TEST_F(BesidePortal, SavesUnderTheChosenName) {
    start_portal(Does::chooses, folder.path() / "scene");
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return session.document().path() == folder.path() / "scene.json"; }));
    EXPECT_TRUE(question_has("SaveFile(")) << portal->question;
    EXPECT_TRUE(question_has("'current_name': <'")) << portal->question;
}

TEST_F(BesidePortal, DoesNotAskAgainToReplaceAFile) {
    const fs::path file = folder.path() / "scene.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", file);
    const std::string before = read_file(file);
    start_portal(Does::chooses, file);
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return session.document().path() == file; }));
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_NE(read_file(file), before);
}

// The portal asked about “scene”, not about “scene.json”.
TEST_F(BesidePortal, AsksBeforeItReplacesAnotherFile) {
    const fs::path file = folder.path() / "scene.json";
    fs::copy_file(source_folder() + "/assets/scenes/cross.json", file);
    const std::string before = read_file(file);
    start_portal(Does::chooses, folder.path() / "scene");
    session.new_scene();
    driver->key(GLFW_KEY_S, GLFW_MOD_CONTROL);
    EXPECT_TRUE(until([&] { return shows("Replace", path_line()); }));
    EXPECT_EQ(read_file(file), before);
}

TEST_F(BesidePortal, ACancelledDialogLeavesTheLine) {
    start_portal(Does::cancels);
    press_open();
    EXPECT_TRUE(until([&] { return portal->is_asked && !asks(); }));
    EXPECT_TRUE(shows_part("Tab: complete", path_line()));
    EXPECT_TRUE(shows("Browse…", path_line())) << "to open it again";
    EXPECT_EQ(session.document().path(), std::nullopt);
}

TEST_F(BesidePortal, EscapeClosesAnOpenDialog) {
    start_portal(Does::waits);
    press_open();
    EXPECT_TRUE(until([&] { return portal->is_asked.load(); }));
    EXPECT_TRUE(shows_part("Choose in the desktop's dialog", path_line()));
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_TRUE(until([&] { return portal->is_left.load(); })) << "then the portal closes it";
}

TEST_F(BesidePortal, APortalThatEndsLeavesTheLine) {
    start_portal(Does::ends);
    press_open();
    EXPECT_TRUE(until([&] { return portal->is_asked && !asks(); }));
    EXPECT_TRUE(driver->app().ui.overlays.find<PathLine>());
}

// A zenity on PATH that chooses the lesson.
class WithZenity {
public:
    explicit WithZenity(const Folder& folder) : before_(std::getenv("PATH")) {
        const fs::path script = folder.path() / "zenity";
        std::ofstream(script) << "#!/bin/sh\necho " << lesson_file << "\n";
        fs::permissions(script, fs::perms::owner_all);
        setenv("PATH", (folder.path().string() + ":" + before_).c_str(), 1);
    }
    ~WithZenity() { setenv("PATH", before_.c_str(), 1); }
    WithZenity(const WithZenity&) = delete;
    WithZenity& operator=(const WithZenity&) = delete;

private:
    std::string before_;
};

TEST_F(BesidePortal, WithoutAPortalAProgramIsAskedAtOnce) {
    const WithZenity zenity(folder);
    press_open();
    EXPECT_TRUE(until([&] { return session.lesson() != nullptr; }));
}

TEST_F(BesidePortal, WithoutAnyDialogTheListIsLeft) {
    press_open();
    EXPECT_TRUE(until([&] { return !asks(); }));
    EXPECT_TRUE(shows_part("Tab: complete", path_line()));
    EXPECT_FALSE(shows("Browse…", path_line()));
}

// This bus never answers.
TEST_F(BesidePortal, ABusThatHangsDoesNotHangTheWindow) {
    const WithZenity zenity(folder);
    const int hanging = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un place{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string path = (folder.path() / "bus").string();
    path.copy(place.sun_path, sizeof place.sun_path - 1);
    ASSERT_EQ(bind(hanging, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
    ASSERT_EQ(listen(hanging, 1), 0);
    setenv("DBUS_SESSION_BUS_ADDRESS", ("unix:path=" + path).c_str(), 1);
    press_open();
    EXPECT_TRUE(asks()) << "the window goes on";
    driver->key(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(driver->app().ui.overlays.find<PathLine>());
    EXPECT_EQ(session.lesson(), nullptr);
    press_open();
    EXPECT_TRUE(until([&] { return session.lesson() != nullptr; })) << "the next dialog";
    close(hanging);
}

}  // namespace
}  // namespace maskscope
