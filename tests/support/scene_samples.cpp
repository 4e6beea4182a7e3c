#include "tests/support/scene_samples.h"

#include <map>
#include <nlohmann/json.hpp>

namespace maskscope::test {

namespace {

constexpr const char* embedding = R"({"kind": "embedding", "seed": 7, "heads": 2, "d_k": 4,
                                      "d_v": 2})";
constexpr const char* patterns = R"({"kind": "patterns", "seed": 7, "d_v": 2, "heads": [
                                     {"pattern": "previous", "strength": 6},
                                     {"pattern": "random", "strength": 0.5}]})";
constexpr const char* tensors = R"({"kind": "tensors", "queries": [[1, 2], [3, 4], [5, 6]],
                                    "keys": [[[1, 0], [0, 1]]], "values": [[[[7], [8]]]]})";
constexpr const char* scores = R"({"kind": "scores", "scores": [[[0, 1], [2, 3]], [[0, 1], [2, 3]]],
                                   "values": [[[1], [2]], [[1], [2]]], "d_k": 4})";
constexpr const char* weights = R"({"kind": "weights", "weights": [[0.5, 0.5], [0, 1]],
                                    "values": [[1], [2]]})";

constexpr const char* translator = R"({"kind": "model", "model": "italian-english",
                                       "attention": "cross", "layer": 1})";
constexpr const char* forced = R"({"kind": "model", "model": "italian-english-no-causal",
                                   "attention": "decoder"})";
constexpr const char* sentences = R"([{"source": ["la", "casa", "rossa"]},
                                      {"source": ["dorme", "<pad>"]}])";
constexpr const char* with_target = R"([{"source": ["la", "casa"], "target": ["the", "house"]}])";

constexpr const char* self = R"([{"queries": ["a", "b"]}])";
constexpr const char* batch = R"([{"queries": ["a", "b", "c"]}, {"queries": ["d"]}])";
constexpr const char* cross = R"([{"queries": ["a", "b", "c"], "keys": ["x", "y"]}])";

std::string scene_text(const std::string& sequences, const std::string& inputs) {
    return R"({"maskscope": 1, "sequences": )" + sequences + R"(, "inputs": )" + inputs +
           R"(, "variants": [{"name": "one"}, {"name": "two"}]})";
}

std::string layer(const std::string& inputs) {
    return R"({"inputs": )" + inputs + R"(, "variant": {"name": "before"}})";
}

// Inserts the value as it is written: 7.0, 1e999.
std::string with_text(Json json, const Json::json_pointer& at, const std::string& value) {
    const std::string mark = "here comes the value";
    json[at] = mark;
    std::string text = write_json(json);
    return text.replace(text.find(mark) - 1, mark.size() + 2, value);
}

}  // namespace

std::string sample(const std::string& name) {
    const std::string of = R"({"kind": "output", "of": )" + layer(embedding);
    const std::map<std::string, std::string> scenes = {
        {"embedding", scene_text(batch, embedding)},
        {"cross", scene_text(cross, embedding)},
        {"patterns", scene_text(self, patterns)},
        {"tensors", scene_text(cross, tensors)},
        {"scores", scene_text(self, scores)},
        {"weights", scene_text(self, weights)},
        {"output", scene_text(self, of + "}")},
        {"translator", scene_text(sentences, translator)},
        {"forced", scene_text(with_target, forced)},
        {"decoder", scene_text(cross, of + R"(, "keys": )" + layer(embedding) + "}")},
    };
    return scenes.at(name);
}

std::string changed(const std::string& name, const std::string& pointer, const std::string& value) {
    Json json = parse_json(sample(name));
    const Json::json_pointer at(pointer);
    if (!value.empty()) return with_text(json, at, value);
    Json& parent = json[at.parent_pointer()];
    if (parent.is_object())
        parent.erase(at.back());
    else
        parent.erase(std::stoul(at.back()));
    return write_json(json);
}

}  // namespace maskscope::test
