// Replaces the program's system calls in a module that has no system: memory, fonts, files.

#include <cstdlib>
#include <new>

#include "app/show/views/view_entry.h"
#include "app/style/labels.h"
#include "app/web/handout.h"
#include "core/base/large_array.h"
#include "core/base/utf8.h"
#include "core/compute/memory.h"
#include "core/format/model_file.h"

namespace maskscope {

// --- memory: see core/base/large_array.cpp. No block is kept for reuse, because pages are small.

void* take_block(std::size_t bytes) {
    const std::size_t whole = block_size(bytes);
    void* const memory = std::aligned_alloc(block_alignment(whole), whole);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void give_block(void* block, std::size_t) noexcept { std::free(block); }
void need_address_space(std::size_t) {}
std::size_t kept_bytes() { return 0; }
void release_kept_blocks() noexcept {}

// Returns the number of bytes by which the memory of a module may still grow.
std::optional<double> available_bytes() {
    constexpr double page = 65536, most_pages = 65536;
    return (most_pages - static_cast<double>(__builtin_wasm_memory_size(0))) * page;
}

// --- models

SharedValue<Model> right_model(const std::string& name, const SharedValue<Model>& loaded) {
    for (const std::string_view built_in : built_in_models())
        if (built_in == name) return given_files().model(std::string(built_in_models().front()));
    return loaded;
}

// --- not needed in a page, which measures its own text, and draws no view of app/views

TextSize measure(const std::string& text, const TextStyle& style) {
    return {0.6 * style.size * static_cast<double>(text.size()), style.size};
}

std::span<const ViewEntry* const> view_entries() { return {}; }

}  // namespace maskscope

// Does nothing, because the only thread ends with the page, whose objects are never destroyed.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
