// What reads the bytes of strangers, under libFuzzer: FUZZ=npy fuzz CORPUS. Whatever the bytes are,
// a reader returns what its writer writes again in the same bytes, or throws an InputError of one
// line of at most 300 bytes. What is read may take 16 MiB and 4 times the bytes that are there, or
// that were packed, and a second.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/export/export_choices.h"
#include "app/figure/write/payload.h"
#include "app/session/course.h"
#include "app/session/document.h"
#include "app/session/files/carried.h"
#include "app/session/files/recent_files.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compute/memory.h"
#include "core/dump/token_text.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/frameworks/framework.h"
#include "core/lesson/lesson.h"
#include "core/scene/expression.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_list.h"

// Of AddressSanitizer's <sanitizer/allocator_interface.h>, which GCC does not come with.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace {

using namespace maskscope;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

// What is allocated, as AddressSanitizer counts it.
struct Memory {
    std::ptrdiff_t now = 0, most = 0;
    static Memory& held() {
        static Memory memory;
        return memory;
    }
    static void take(const volatile void*, std::size_t bytes) {
        Memory& memory = held();
        memory.now += std::ptrdiff_t(bytes);
        memory.most = std::max(memory.most, memory.now);
    }
    static void give(const volatile void* block) {
        if (block != nullptr) held().now -= std::ptrdiff_t(__sanitizer_get_allocated_size(block));
    }
};

// --- texts

void read_json(std::string_view text) {
    const std::string once = write_json(parse_json(text));
    must(write_json(parse_json(once)) == once, "JSON is written stably");
}

void read_a_scene(std::string_view text) {
    const Scene scene = read_scene(text, "/nonexistent");
    const std::string once = write_scene(scene);
    const Scene again = read_scene(once, "/nonexistent");
    must(again == scene, "a scene that was written is the same");
    must(write_scene(again) == once, "a scene is written stably");
    must(bytes_needed(scene, {}) > 0, "a scene needs memory");
}

void read_a_lesson(std::string_view text) {
    const Lesson lesson = read_draft(text, "/nonexistent");
    const std::string once = write_lesson(lesson);
    must(write_lesson(read_draft(once, "/nonexistent")) == once, "a lesson is written stably");
}

void read_expression(std::string_view text) {
    const Expression expression(text);
    const double j[] = {0, 1, 2, 1e300}, pads[] = {0, 0, 1, 1};
    double first[4], second[4];
    const ExpressionRow row{.i = 3, .n_q = 4, .n_k = 4, .heads = 1, .j = j, .pad_j = pads};
    expression.evaluate(row, first);
    expression.evaluate(row, second);
    must(std::memcmp(first, second, sizeof first) == 0, "an expression has one value");
}

void read_a_tokenizer(std::string_view text) {
    const auto read = read_tokens(text);
    if (const auto* lists = std::get_if<TokenLists>(&read))
        for (const auto& list : *lists)
            for (const std::string& token : list) must(!token.empty(), "a token is not empty");
}

void read_figure(std::string_view bytes) {
    if (!is_figure_file(bytes)) return;
    if (const auto archive = payload_of(bytes)) unpacked(*archive);
}

void read_archive(std::string_view bytes) {
    const Carried carried = unpacked(bytes);
    must(unpacked(packed(carried)) == carried, "an archive that was packed is the same");
}

void read_a_framework(std::string_view text) {
    const Framework framework = read_framework(text);
    must(!framework.name.empty(), "a framework has a name");
}

void read_recovery(std::string_view bytes) {
    const std::string text(bytes);
    const Document document = read_unsaved(text, "/nonexistent");
    must(!is_damaged_work(text), "what was left behind is whole if it can be read");
    const Show show = document.scene.show.value_or(Show());
    if (const auto work = document.unsaved(show)) {
        const std::string once = unsaved_bytes(*work);
        const auto again = read_unsaved(once).unsaved(show);
        must(again && unsaved_bytes(*again) == once, "what is left behind is left the same again");
    }
}

// --- files

// One file in a folder of its own, gone with the program.
class FolderOfOne {
public:
    explicit FolderOfOne(const char* name) {
        std::string made = "/dev/shm/maskscope-fuzz-XXXXXX";
        must(mkdtemp(made.data()) != nullptr, "a folder");
        folder_ = made;
        file_ = folder_ / name;
        descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        static std::filesystem::path last;
        last = folder_;
        std::atexit([] {
            std::error_code ignored;
            std::filesystem::remove_all(last, ignored);
        });
    }
    // zeros: that follow the bytes.
    void put(std::string_view bytes, std::size_t zeros = 0) {
        must(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()) &&
                 ::ftruncate(descriptor_, off_t(bytes.size() + zeros)) == 0,
             "the file is written");
    }
    const std::filesystem::path& folder() const { return folder_; }
    const std::filesystem::path& file() const { return file_; }

private:
    std::filesystem::path folder_, file_;
    int descriptor_ = -1;
};

class TensorFile {
public:
    explicit TensorFile(const char* name) : place_(name) {}
    void read(std::string_view bytes) {
        place_.put(bytes);
        for (const ListedTensor& tensor : list_tensors(place_.file()).tensors)
            read(tensor, bytes.size());
    }

private:
    // Reading what a scene of this shape asks for, and with a judge that wants another.
    void read(const ListedTensor& tensor, std::size_t bytes) {
        try {
            const Array array = read_tensor(reference_to(tensor), place_.folder());
            must(array.axes == tensor.axes, "the axes are those of the header");
            must(array.values->size() <= 1032 * bytes, "no more numbers than the file can hold");
        } catch (const InputError& error) {
            must(std::strlen(error.what()) <= 300, "an error is short");
        }
        try {
            read_tensor(reference_to(tensor), place_.folder(),
                        [](const std::vector<Index>&) { throw InputError("/judged", ""); });
            must(false, "a tensor is judged before it is read");
        } catch (const InputError&) {}
    }

    FolderOfOne place_;
};

void read_npy_file(std::string_view bytes) {
    static TensorFile file("t.npy");
    file.read(bytes);
}
void read_npz_file(std::string_view bytes) {
    static TensorFile file("t.npz");
    file.read(bytes);
}
void read_safetensors_file(std::string_view bytes) {
    static TensorFile file("t.safetensors");
    file.read(bytes);
}

void read_model_file(std::string_view bytes) {
    static FolderOfOne place("m.safetensors");
    // As many zeros as its tensors have bytes, so that a header alone is a whole file.
    std::size_t zeros = 0;
    const std::string text(bytes), word = "\"data_offsets\":[";
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) {
        const char* end = std::strchr(text.c_str() + at, ',');
        const std::size_t bytes_of_all = end ? std::strtoull(end + 1, nullptr, 10) : 0;
        if (bytes_of_all < 1 << 20) zeros = std::max(zeros, bytes_of_all);
    }
    place.put(bytes, zeros);
    must(!read_model("m.safetensors", place.folder())->tensors.empty(), "a model has tensors");
}

// What the program notes for itself: whatever stands there, it starts.
void read_recent(std::string_view bytes) {
    static FolderOfOne place("recent");
    place.put(bytes);
    must(recent_files(place.folder()).size() <= 10, "ten files at most");
}
void read_the_course(std::string_view bytes) {
    static FolderOfOne place("course.json");
    place.put(bytes);
    const Course course = read_course(place.folder());
    must(course.step >= 0 && course.step < 1000, "a step is one of a lesson");
}
void read_choices(std::string_view bytes) {
    static FolderOfOne place("figures.json");
    place.put(bytes);
    const ExportOptions options = remembered_choices(place.folder());
    must(options.dpi >= least_dpi && options.dpi <= most_dpi, "dots per inch are in range");
}

struct Target {
    const char* name;
    void (*read)(std::string_view);
    bool unpacks = false;
};
constexpr Target targets[] = {{"json", read_json},
                              {"scene", read_a_scene},
                              {"lesson", read_a_lesson},
                              {"expression", read_expression},
                              {"tokenizer", read_a_tokenizer},
                              {"figure", read_figure, true},
                              {"archive", read_archive, true},
                              {"npy", read_npy_file},
                              {"npz", read_npz_file, true},
                              {"safetensors", read_safetensors_file},
                              {"model", read_model_file},
                              {"framework", read_a_framework},
                              {"recovery", read_recovery},
                              {"recent", read_recent},
                              {"course", read_the_course},
                              {"choices", read_choices}};

const Target& target() {
    static const Target* const chosen = [] {
        const char* name = std::getenv("FUZZ");
        for (const Target& one : targets)
            if (name != nullptr && std::strcmp(name, one.name) == 0) return &one;
        std::fprintf(stderr, "FUZZ=json|scene|lesson|…: see tests/fuzz/fuzz.cpp\n");
        std::exit(2);
    }();
    return *chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    static const bool counts =
        __sanitizer_install_malloc_and_free_hooks(Memory::take, Memory::give) != 0;
    must(counts, "memory is counted");
    Memory& memory = Memory::held();
    memory = {};
    const std::clock_t start = std::clock();
    try {
        target().read(bytes);
    } catch (const Error& error) {
        must(std::strlen(at_file("f", error).what()) <= 300, "an error is short");
        must(std::strchr(at_file("f", error).what(), '\n') == nullptr, "an error is one line");
    }
    must(std::clock() - start < CLOCKS_PER_SEC, "a second is enough");
    constexpr std::size_t most_packed = 1032;  // of deflate
    must(memory.most < std::ptrdiff_t((16 << 20) + 4 * size * (target().unpacks ? most_packed : 1)),
         "memory is as the bytes that are there");
    return 0;
}
