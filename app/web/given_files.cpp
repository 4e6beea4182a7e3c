#include "app/web/handout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/byte_source.h"
#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/tensors/tensor_formats.h"

namespace maskscope {

namespace {

struct GivenFiles {
    std::map<std::string, std::string> files;
    std::map<std::string, SharedValue<Model>> models;  // models that were read already
};

GivenFiles& given() {
    static GivenFiles all;
    return all;
}

class Bytes : public ByteSource {
public:
    explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_.size(); }
    std::size_t read(std::uint64_t offset, char* to, std::size_t count) const override {
        if (offset >= bytes_.size()) return 0;
        return bytes_.copy(to, count, static_cast<std::size_t>(offset));
    }

private:
    const std::string& bytes_;
};

Bytes bytes_of(const std::string& name) {
    const auto found = given().files.find(name);
    if (found == given().files.end())
        throw InputError("", name + ": this page does not contain the file");
    return Bytes(found->second);
}

Array tensor(const std::string& reference, const JudgeAxes& judge, bool of_mask) {
    return read_referenced(reference, [&] {
        const TensorReference parsed = parse_reference(reference);
        if (parsed.format == TensorReference::Format::npz)
            throw InputError("", "a page cannot read .npz files");
        return read_tensor(bytes_of(parsed.file), parsed, judge, of_mask);
    });
}

SharedValue<Model> model(const std::string& name) {
    const auto known = given().models.find(name);
    if (known != given().models.end()) return known->second;
    const Bytes bytes = bytes_of(name);
    try {
        return given().models.emplace(name, SharedValue<Model>(read_model(bytes))).first->second;
    } catch (const InputError& error) {
        throw InputError("", name + ": " + error.what());
    }
}

}  // namespace

void give_file(const std::string& name, std::string bytes) {
    given().models.erase(name);
    given().files.insert_or_assign(name, std::move(bytes));
}

SceneSources given_files() { return {tensor, model}; }

}  // namespace maskscope
