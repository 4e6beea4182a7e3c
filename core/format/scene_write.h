#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/scene/scene.h"

namespace maskscope {

using WriteArray = std::function<Json(const Array&)>;
using WriteTokens = std::function<Json(const TokenList&)>;

// As written in the file: nested lists, or the name of its tensor.
Json array_to_json(const Array& array);
Json tokens_to_json(const TokenList& tokens);
Json lanes_to_json(const std::vector<int>& lanes);          // ["A", "C"]
Json stages_to_json(const std::vector<StageKind>& stages);  // ["scores", "weights"]

// The scene with its keys in the order of the format and its defaults written out.
Json scene_to_json(const Scene& scene, const WriteArray& write_array = array_to_json,
                   const WriteTokens& write_tokens = tokens_to_json);

}  // namespace maskscope
