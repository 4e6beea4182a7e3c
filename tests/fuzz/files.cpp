// Targets for JSON and files of tensors. They need little of the program, so they are run most
// often.

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/tensors/tensor_file.h"
#include "core/tensors/tensor_list.h"
#include "tests/fuzz/target.h"

namespace maskscope {
namespace {

void read_json(std::string_view text) {
    const std::string once = write_json(parse_json(text));
    must(write_json(parse_json(once)) == once, "JSON is written stably");
}

class TensorFile {
public:
    explicit TensorFile(const char* name) : place_(name) {}
    void read(std::string_view bytes) {
        place_.put(bytes);
        const std::vector<ListedTensor> tensors = list_tensors(place_.file()).tensors;
        for (const ListedTensor& tensor : tensors) read(tensor, bytes.size());
        if (!tensors.empty()) judge(tensors.front());
    }

private:
    void read(const ListedTensor& tensor, std::size_t bytes) {
        try {
            const Array array = read_tensor(reference_to(tensor), place_.folder());
            must(array.axes == tensor.axes, "the axes are those of the header");
            must(array.values->size() <= 1032 * bytes, "no more numbers than the file can hold");
        } catch (const InputError& error) {
            must(std::strlen(error.what()) <= 300, "an error is short");
        }
    }
    // Checks that a tensor whose shape is refused is not read.
    void judge(const ListedTensor& tensor) {
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

const Target targets[] = {{"json", read_json},
                          {"npy", read_npy_file},
                          {"npz", read_npz_file, true},
                          {"safetensors", read_safetensors_file}};

}  // namespace
}  // namespace maskscope
