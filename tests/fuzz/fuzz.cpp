// Runs everything that reads untrusted bytes under libFuzzer: FUZZ=npy fuzz_files CORPUS. Whatever
// the bytes are, a reader either returns something that stays the same when it is written and read
// again, or throws an InputError of one line of at most 300 bytes. Reading may take one second, and
// 16 MiB plus 4 times the size of the input. If the input is compressed, its unpacked size counts,
// at the highest ratio of deflate.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "core/base/error.h"
#include "tests/fuzz/target.h"

// Declared as in AddressSanitizer's <sanitizer/allocator_interface.h>, which GCC lacks.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                              void (*)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void*);
}

namespace maskscope {
namespace {

const Target*& first_target() {
    static const Target* first = nullptr;
    return first;
}

const Target& target() {
    static const Target* const chosen = [] {
        const char* name = std::getenv("FUZZ");
        for (const Target* one = first_target(); one != nullptr; one = one->next)
            if (name != nullptr && std::strcmp(name, one->name) == 0) return one;
        std::fprintf(stderr, "FUZZ=json|scene|lesson|…: see tests/fuzz\n");
        std::exit(2);
    }();
    return *chosen;
}

// The allocated memory, as AddressSanitizer counts it.
struct Memory {
    std::ptrdiff_t now = 0, most = 0;
};
Memory memory;

void take(const volatile void*, std::size_t bytes) {
    memory.now += std::ptrdiff_t(bytes);
    memory.most = std::max(memory.most, memory.now);
}
void give(const volatile void* block) {
    if (block != nullptr) memory.now -= std::ptrdiff_t(__sanitizer_get_allocated_size(block));
}

}  // namespace

Target::Target(const char* name, void (*read)(std::string_view), bool unpacks)
    : name(name), read(read), unpacks(unpacks), next(first_target()) {
    first_target() = this;
}

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

FolderOfOne::FolderOfOne(const char* name) {
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

void FolderOfOne::put(std::string_view bytes, std::size_t zeros) {
    must(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()) &&
             ::ftruncate(descriptor_, off_t(bytes.size() + zeros)) == 0,
         "the file is written");
}

}  // namespace maskscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace maskscope;
    using Clock = std::chrono::steady_clock;
    static const bool counts = __sanitizer_install_malloc_and_free_hooks(take, give) != 0;
    must(counts, "memory is counted");
    memory = {};
    const std::clock_t start = std::clock();
    const Clock::time_point begin = Clock::now();
    try {
        target().read({reinterpret_cast<const char*>(data), size});
    } catch (const Error& error) {
        const std::string line = at_file("f", error).what();
        must(line.size() <= 300, "an error is short");
        must(line.find('\n') == line.npos, "an error is one line");
    }
    // The wall clock is read first, because that is cheaper.
    must(Clock::now() - begin < std::chrono::seconds(1) || std::clock() - start < CLOCKS_PER_SEC,
         "a second is enough");
    constexpr std::size_t most_packed = 1032;  // the highest ratio of deflate
    must(memory.most < std::ptrdiff_t((16 << 20) + 4 * size * (target().unpacks ? most_packed : 1)),
         "memory is as the bytes that are there");
    return 0;
}
