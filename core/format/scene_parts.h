#pragma once
// The parts of a scene as JSON (see scene_json.h), each read and written in one file. Functions
// that read throw InputError.

#include "core/format/scene_json.h"
#include "core/json/array_json.h"
#include "core/scene/scene.h"
#include "core/settings/variant_json.h"

namespace maskscope {

// Returns a context that reads tensors and models from these sources.
Reading reading_from(const SceneSources& sources);

Scene read_scene_node(const Node& node, Reading& reading);
using WriteTokens = std::function<Json(const TokenList&)>;
Json tokens_to_json(const TokenList& tokens);
// Returns the scene as JSON, with its keys in the order of the format.
Json scene_to_json(const Scene& scene, const WriteArray& write_array = array_to_json,
                   const WriteTokens& write_tokens = tokens_to_json);

// Reads inputs of kind `model`, and the sequences of their words. Returns false, and reads nothing,
// if the inputs are of another kind.
bool read_words_and_model(const Node& node, const Reading& reading, Scene& scene);
using NamedModel = decltype(Reading::named_model);
// Returns the function Reading::named_model for a scene in memory; `other` is called for models
// that the scene does not name.
NamedModel models_in(const Scene& scene, NamedModel other = {});
// Reads inputs of any other kind.
Inputs read_inputs(const Node& node, const AttendedTokens& tokens, Reading& reading);
Json inputs_to_json(const Inputs& inputs, const WriteArray& array);  // of all kinds

Show read_show(const Node& node, const Scene& scene, bool judge);
Json show_to_json(const Show& show);
// Read a list without repetition: variants as in ["A", "C"], each among the first `variants`, or
// stages as in ["scores", "weights"], a list that may be empty.
std::vector<int> read_variants(const Node& node, int variants = most_variants);
std::vector<StageKind> read_stages(const Node& node);
Json variants_to_json(const std::vector<int>& variants);
Json stages_to_json(const std::vector<StageKind>& stages);

}  // namespace maskscope
