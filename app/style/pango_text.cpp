#include "app/style/pango_text.h"

#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "app/style/labels.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/large_array.h"
#include "core/files/descriptor.h"

namespace maskscope::pango {

namespace {

PangoWeight weight_of(Weight weight) {
    switch (weight) {
        case Weight::medium:
            return PANGO_WEIGHT_MEDIUM;
        case Weight::semibold:
            return PANGO_WEIGHT_SEMIBOLD;
        case Weight::bold:
            return PANGO_WEIGHT_BOLD;
        case Weight::regular:
            break;
    }
    return PANGO_WEIGHT_NORMAL;
}

GLogWriterOutput say_nothing(GLogLevelFlags, const GLogField*, gsize, gpointer) {
    return G_LOG_WRITER_HANDLED;
}

// Returns the descriptor, which may be invalid. Throws if no more files can be opened, because the
// libraries then crash when they read a font.
Descriptor needed(int descriptor) {
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE))
        throw WorkError("could not read any font: " + std::generic_category().message(errno));
    return Descriptor(descriptor);
}

// Silences both libraries, which complain on standard error about problems that they work around: a
// missing configuration, a cache that cannot be written, an unknown language. Our own errors report
// real failures.
void hush_libraries() {
    g_log_set_writer_func(say_nothing, nullptr, nullptr);
    std::fflush(stderr);
    const Descriptor kept = needed(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    const Descriptor nowhere = needed(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    const bool both = kept.is_open() && nowhere.is_open();
    if (both) ::dup2(nowhere.number(), STDERR_FILENO);
    FcInit();
    FcStrSetDestroy(FcGetDefaultLangs());  // fontconfig reads LANG and the like only once
    // Add fonts that are installed with the program: see app/portable.cmake.
    const std::string fonts = (assets_folder() / "fonts").string();
    FcConfigAppFontAddDir(nullptr, reinterpret_cast<const FcChar8*>(fonts.c_str()));
    if (both) ::dup2(kept.number(), STDERR_FILENO);
}

// Makes a font map with FreeType and Fontconfig, even if PANGOCAIRO_BACKEND asks for others.
PangoFontMap* new_font_map() {
    static std::once_flag hushed;
    std::call_once(hushed, hush_libraries);
    PangoFontMap* fonts = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    if (fonts == nullptr) throw std::runtime_error("Pango cannot use FreeType fonts");
    return fonts;
}

// Throws if there is no usable font: Pango crashes when it measures text without one, and cannot
// use bitmap fonts.
void need_a_font(PangoContext* context) {
    using LoadedFont = std::unique_ptr<PangoFont, Release<g_object_unref>>;
    if (!LoadedFont(pango_context_load_font(context, font_of({}).get())))
        throw WorkError(
            "no font found. Install fonts-inter or fonts-dejavu-core (fc-list lists the installed "
            "fonts)");
}

}  // namespace

PangoContext* context() {
    using FontMap = std::unique_ptr<PangoFontMap, Release<g_object_unref>>;
    using Context = std::unique_ptr<PangoContext, Release<g_object_unref>>;
    thread_local const FontMap fonts{new_font_map()};
    thread_local const Context shared = [] {
        pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(fonts.get()), 72);
        Context made{pango_font_map_create_context(fonts.get())};
        pango_context_set_language(made.get(), pango_language_from_string("en"));
        pango_context_set_round_glyph_positions(made.get(), FALSE);
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        pango_cairo_context_set_font_options(made.get(), options);
        cairo_font_options_destroy(options);
        need_a_font(made.get());
        return made;
    }();
    return shared.get();
}

Font font_of(const TextStyle& style) {
    Font font{pango_font_description_new()};
    pango_font_description_set_family_static(
        font.get(), style.mono ? "DejaVu Sans Mono,DejaVu Sans" : "Inter,DejaVu Sans");
    pango_font_description_set_weight(font.get(), weight_of(style.weight));
    pango_font_description_set_absolute_size(font.get(), units(1));
    return font;
}

Layout layout_of(const std::string& text, const TextStyle& style) {
    // If its font thread runs out of memory, Pango waits for ever.
    need_address_space(std::size_t(32) << 20);
    Layout layout{pango_layout_new(context())};
    pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
    pango_layout_set_font_description(layout.get(), font_of(style).get());
    if (would_be_other_letters(text)) {
        PangoAttrList* plain = pango_attr_list_new();
        pango_attr_list_insert(plain, pango_attr_font_features_new("calt=0, liga=0"));
        pango_layout_set_attributes(layout.get(), plain);
        pango_attr_list_unref(plain);
    }
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
    return layout;
}

}  // namespace maskscope::pango
