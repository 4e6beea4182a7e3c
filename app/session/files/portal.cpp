#include "app/session/files/portal.h"

#include <gio/gio.h>

#include <cstdlib>

namespace maskscope {

namespace fs = std::filesystem;

namespace {

const char* const service = "org.freedesktop.portal.Desktop";
const char* const request = "org.freedesktop.portal.Request";
// A bus that takes longer than patience_for_bus to accept a connection is assumed to hang. The
// portal gets more time, because it may have to be started first.
constexpr int patience_for_bus = 2000, patience_for_portal = 5000;  // ms

template <class T, void (*end)(T*)>
struct End {
    void operator()(T* thing) const { end(thing); }
};
void unref(GDBusConnection* bus) { g_object_unref(bus); }
void unref(GAsyncResult* result) { g_object_unref(result); }
using Bus = std::unique_ptr<GDBusConnection, End<GDBusConnection, unref>>;
using Outcome = std::unique_ptr<GAsyncResult, End<GAsyncResult, unref>>;
using Value = std::unique_ptr<GVariant, End<GVariant, g_variant_unref>>;

// The outcome of the dialog.
struct Response {
    bool is_there = false;
    std::string path{};  // "" = none chosen
};

void take_outcome(GObject*, GAsyncResult* result, gpointer kept) {
    g_object_ref(result);
    static_cast<Outcome*>(kept)->reset(result);
}

void take_response(GDBusConnection*, const char*, const char*, const char*, const char*,
                   GVariant* arguments, gpointer kept) {
    Response& response = *static_cast<Response*>(kept);
    response.is_there = true;
    if (!g_variant_is_of_type(arguments, G_VARIANT_TYPE("(ua{sv})"))) return;
    const Value results(g_variant_get_child_value(arguments, 1));
    const char** uris = nullptr;
    if (!g_variant_lookup(results.get(), "uris", "^a&s", &uris)) return;
    char* path = uris[0] != nullptr ? g_filename_from_uri(uris[0], nullptr, nullptr) : nullptr;
    if (path != nullptr) response.path = path;
    g_free(path);
    g_free(uris);
}

// Ends the wait for a response, because the portal or the bus has ended.
void lose_portal(GDBusConnection*, const char*, gpointer kept) {
    static_cast<Response*>(kept)->is_there = true;
}

GVariant* options_of(const FileQuestion& question) {
    GVariantBuilder options{}, filters{}, globs{};
    g_variant_builder_init(&options, G_VARIANT_TYPE_VARDICT);
    const auto add = [&](const char* name, GVariant* value) {
        g_variant_builder_add(&options, "{sv}", name, value);
    };
    if (!question.extensions.empty()) {
        g_variant_builder_init(&globs, G_VARIANT_TYPE("a(us)"));
        for (const std::string& extension : question.extensions)
            g_variant_builder_add(&globs, "(us)", 0u, ("*" + extension).c_str());
        g_variant_builder_init(&filters, G_VARIANT_TYPE("a(sa(us))"));
        g_variant_builder_add(&filters, "(sa(us))", patterns(question.extensions).c_str(), &globs);
        add("filters", g_variant_builder_end(&filters));
    }
    std::error_code unknown;
    const bool is_folder = fs::is_directory(question.at, unknown);
    const fs::path folder = is_folder ? question.at : question.at.parent_path();
    add("current_folder", g_variant_new_bytestring(folder.c_str()));
    const std::string name = is_folder ? "" : question.at.filename().string();
    if (question.saves && g_utf8_validate(name.c_str(), -1, nullptr))
        add("current_name", g_variant_new_string(name.c_str()));
    return g_variant_builder_end(&options);
}

}  // namespace

std::string patterns(const std::vector<std::string>& extensions) {
    std::string text;
    for (const std::string& extension : extensions) text += (text.empty() ? "*" : " *") + extension;
    return text.empty() ? "*" : text;
}

struct Portal::Parts {
    GMainContext* context = g_main_context_new();  // for the thread that asks
    GCancellable* stopped = g_cancellable_new();

    Parts() = default;
    ~Parts() {
        g_object_unref(stopped);
        g_main_context_unref(context);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    bool is_stopped() const { return g_cancellable_is_cancelled(stopped) != 0; }

    Bus connect() const {
        const auto give_up = [](gpointer stop) -> gboolean {
            g_cancellable_cancel(static_cast<GCancellable*>(stop));
            return G_SOURCE_REMOVE;
        };
        GSource* patience = g_timeout_source_new(patience_for_bus);
        g_source_set_callback(patience, give_up, stopped, nullptr);
        g_source_attach(patience, context);
        Outcome outcome;
        g_dbus_connection_new_for_address(
            bus().c_str(),
            static_cast<GDBusConnectionFlags>(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                              G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION),
            nullptr, stopped, take_outcome, &outcome);
        while (!outcome) g_main_context_iteration(context, TRUE);
        g_source_destroy(patience);
        g_source_unref(patience);
        return Bus(g_dbus_connection_new_for_address_finish(outcome.get(), nullptr));
    }

    std::optional<std::string> ask(GDBusConnection* bus, const FileQuestion& question) const {
        Response response;
        const guint listening = g_dbus_connection_signal_subscribe(
            bus, service, request, "Response", nullptr, nullptr, G_DBUS_SIGNAL_FLAGS_NONE,
            take_response, &response, nullptr);
        const Value reply(g_dbus_connection_call_sync(
            bus, service, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.FileChooser",
            question.saves ? "SaveFile" : "OpenFile",
            g_variant_new("(ss@a{sv})", question.parent.c_str(), question.title.c_str(),
                          options_of(question)),
            G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NONE, patience_for_portal, stopped, nullptr));
        if (reply) {
            const guint watching =
                g_bus_watch_name_on_connection(bus, service, G_BUS_NAME_WATCHER_FLAGS_NONE, nullptr,
                                               lose_portal, &response, nullptr);
            while (!response.is_there && !is_stopped()) g_main_context_iteration(context, TRUE);
            g_bus_unwatch_name(watching);
        }
        g_dbus_connection_signal_unsubscribe(bus, listening);
        return reply ? std::optional(response.path) : std::nullopt;
    }
};

std::string Portal::bus() {
    if (const char* address = std::getenv("DBUS_SESSION_BUS_ADDRESS")) return address;
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    const fs::path socket = fs::path(folder != nullptr ? folder : "") / "bus";
    std::error_code unknown;
    return folder != nullptr && fs::is_socket(socket, unknown) ? "unix:path=" + socket.string()
                                                               : "";
}

Portal::Portal() : parts_(std::make_unique<Parts>()) {}

Portal::~Portal() = default;

std::optional<std::string> Portal::ask(const FileQuestion& question) {
    g_main_context_push_thread_default(parts_->context);
    std::optional<std::string> path;
    if (const Bus bus = parts_->connect()) {
        path = parts_->ask(bus.get(), question);
        // The portal closes the dialogs of a program that leaves the bus.
        g_dbus_connection_close_sync(bus.get(), nullptr, nullptr);
    }
    g_main_context_pop_thread_default(parts_->context);
    return path;
}

void Portal::stop() {
    g_cancellable_cancel(parts_->stopped);
    g_main_context_wakeup(parts_->context);
}

}  // namespace maskscope
