// What reads the bytes of strangers, under libFuzzer: FUZZ=npy fuzz CORPUS. Whatever the bytes are,
// a reader returns what its writer writes again in the same bytes, or throws an InputError of one
// line of at most 300 bytes. What is read may take 16 MiB and some times the bytes that are there
// (tests/fuzz/run.sh gives the limits to libFuzzer).

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/figure/write/payload.h"
#include "app/session/files/carried.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compute/memory.h"
#include "core/dump/token_text.h"
#include "core/format/scene_json.h"
#include "core/lesson/lesson.h"
#include "core/scene/expression.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_list.h"

namespace {

using namespace maskscope;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

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

// --- files of tensors

class TensorFile {
public:
    explicit TensorFile(const char* name) {
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
    void read(std::string_view bytes) {
        must(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()) &&
                 ::ftruncate(descriptor_, off_t(bytes.size())) == 0,
             "the file is written");
        for (const ListedTensor& tensor : list_tensors(file_).tensors) read(tensor, bytes.size());
    }

private:
    // Reading what a scene of this shape asks for, and with a judge that wants another.
    void read(const ListedTensor& tensor, std::size_t bytes) {
        try {
            const Array array = read_tensor(reference_to(tensor), folder_);
            must(array.axes == tensor.axes, "the axes are those of the header");
            must(array.values->size() <= 1032 * bytes, "no more numbers than the file can hold");
        } catch (const InputError& error) {
            must(std::strlen(error.what()) <= 300, "an error is short");
        }
        try {
            read_tensor(reference_to(tensor), folder_,
                        [](const std::vector<Index>&) { throw InputError("/judged", ""); });
            must(false, "a tensor is judged before it is read");
        } catch (const InputError&) {}
    }

    std::filesystem::path folder_, file_;
    int descriptor_ = -1;
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

struct Target {
    const char* name;
    void (*read)(std::string_view);
};
constexpr Target targets[] = {{"json", read_json},
                              {"scene", read_a_scene},
                              {"lesson", read_a_lesson},
                              {"expression", read_expression},
                              {"tokenizer", read_a_tokenizer},
                              {"figure", read_figure},
                              {"archive", read_archive},
                              {"npy", read_npy_file},
                              {"npz", read_npz_file},
                              {"safetensors", read_safetensors_file}};

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
    try {
        target().read(bytes);
    } catch (const Error& error) {
        must(std::strlen(at_file("f", error).what()) <= 300, "an error is short");
        must(std::strchr(at_file("f", error).what(), '\n') == nullptr, "an error is one line");
    }
    return 0;
}
