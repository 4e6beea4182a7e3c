#include "core/gl/headless.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/large_array.h"

namespace maskscope {

struct HeadlessContext::State {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;  // one pixel, if the context needs a surface

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    // Leaves the display initialized, because others in this process may be using it.
    ~State() {
        if (context == EGL_NO_CONTEXT) return;
        if (eglGetCurrentContext() == context)
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    }
};

namespace {

bool offers(EGLDisplay display, const char* extension) {
    return epoxy_has_egl_extension(display, extension);
}

// Returns the machine's devices that are not software renderers.
std::vector<EGLDeviceEXT> hardware_devices() {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (!offers(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
        !offers(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
        eglQueryDevicesEXT(devices.size(), devices.data(), &count) == EGL_FALSE)
        return {};
    std::vector<EGLDeviceEXT> hardware;
    for (EGLint k = 0; k < count; ++k) {
        const char* extensions = eglQueryDeviceStringEXT(devices[k], EGL_EXTENSIONS);
        const std::string all = extensions != nullptr ? extensions : "";
        if (all.find("EGL_MESA_device_software") == std::string::npos)
            hardware.push_back(devices[k]);
    }
    return hardware;
}

// Returns the displays that may have a context, in the order they are tried.
std::vector<EGLDisplay> displays() {
    std::vector<EGLDisplay> all;
    if (offers(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        all.push_back(
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    for (EGLDeviceEXT device : hardware_devices())
        all.push_back(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr));
    all.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
    return all;
}

// Returns EGL_NO_CONFIG_KHR if a context needs no configuration, else one for off-screen pixels;
// nullopt if the display has none.
std::optional<EGLConfig> config_of(EGLDisplay display) {
    if (offers(display, "EGL_KHR_no_config_context") &&
        offers(display, "EGL_KHR_surfaceless_context"))
        return EGL_NO_CONFIG_KHR;
    const std::array<EGLint, 5> wanted = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                          EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (eglChooseConfig(display, wanted.data(), &config, 1, &count) == EGL_FALSE || count == 0)
        return std::nullopt;
    return config;
}

EGLContext make_context(EGLDisplay display, EGLConfig config, EGLContext share, int major,
                        int minor) {
    // Prefer a context that reports when it is lost.
    for (const bool robust : {true, false}) {
        const std::array<EGLint, 9> wanted = {
            EGL_CONTEXT_MAJOR_VERSION,
            major,
            EGL_CONTEXT_MINOR_VERSION,
            minor,
            EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
            robust ? EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY : EGL_NONE,
            EGL_LOSE_CONTEXT_ON_RESET,
            EGL_NONE};
        if (EGLContext made = eglCreateContext(display, config, share, wanted.data());
            made != EGL_NO_CONTEXT)
            return made;
    }
    return EGL_NO_CONTEXT;
}

bool make_current(const HeadlessContext::State& state) {
    gl::note_made_current();
    return eglMakeCurrent(state.display, state.surface, state.surface, state.context) == EGL_TRUE;
}

// Makes a context of the first available version current and stores it in `state`. Returns false if
// there is none.
bool open(EGLDisplay display, EGLContext share,
          std::initializer_list<HeadlessContext::Version> versions, HeadlessContext::State& state) {
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE ||
        eglBindAPI(EGL_OPENGL_API) == EGL_FALSE)
        return false;
    const auto config = config_of(display);
    if (!config) return false;
    state.display = display;
    for (const auto& [major, minor] : versions)
        if (state.context == EGL_NO_CONTEXT)
            state.context = make_context(display, *config, share, major, minor);
    if (state.context == EGL_NO_CONTEXT) return false;
    if (!offers(display, "EGL_KHR_surfaceless_context")) {
        const std::array<EGLint, 5> size = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        state.surface = eglCreatePbufferSurface(display, *config, size.data());
    }
    return make_current(state);
}

}  // namespace

HeadlessContext::HeadlessContext(std::initializer_list<Version> versions,
                                 const HeadlessContext* share) {
    need_address_space(std::size_t(256) << 20);  // llvmpipe frees memory twice if it has less
    if (share != nullptr) {
        state_ = std::make_unique<State>();
        const State& first = *share->state_;
        if (open(first.display, first.context, versions, *state_)) return;
        throw WorkError("could not create a second OpenGL context that shares with the first");
    }
    // A software renderer is the last resort, because a GPU of another vendor may come after it.
    for (EGLDisplay display : displays()) {
        auto tried = std::make_unique<State>();
        if (!open(display, EGL_NO_CONTEXT, versions, *tried)) continue;
        const bool software = is_software_renderer(renderer_name());
        if (!state_ || !software) state_ = std::move(tried);
        if (!software) break;
    }
    if (!state_)
        throw WorkError(fmt::format("this machine offers no OpenGL {}.{} without a display",
                                    versions.begin()->major, versions.begin()->minor));
    if (eglGetCurrentContext() != state_->context) make_current(*state_);  // another is current
}

HeadlessContext::~HeadlessContext() = default;

std::string renderer_name() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    return name != nullptr ? name : "unknown";
}

bool is_software_renderer(const std::string& renderer) {
    std::string lower = renderer;
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* software : {"llvmpipe", "softpipe", "swrast", "software rasterizer"})
        if (lower.find(software) != std::string::npos) return true;
    return false;
}

}  // namespace maskscope

namespace maskscope::gl {

namespace {

std::atomic<std::uint64_t> made_current = 0;

}  // namespace

bool has_context() { return glGetString(GL_VERSION) != nullptr; }

void forget_errors() {
    for (int k = 0; k < 16 && glGetError() != GL_NO_ERROR; ++k) {}
}

std::uint64_t times_made_current() { return made_current; }
void note_made_current() { ++made_current; }

}  // namespace maskscope::gl
