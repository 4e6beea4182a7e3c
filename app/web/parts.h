#pragma once
// Shared by the files behind calls.h.

#include <nlohmann/json.hpp>
#include <string>

#include "app/web/handout.h"
#include "core/base/json_text.h"
#include "core/format/scene_json.h"
#include "core/json/json_read.h"

namespace maskscope {

Json number(double x);  // "NaN", "Infinity" and "-Infinity" as text
std::size_t address_of(const void* numbers);

void apply_edit(Handout& handout, const Node& op);
void change_view(Handout& handout, const Node& change);
Json shown(Handout& handout);
Json words(Handout& handout);
Json card(Handout& handout, Index b, Index h, Cell cell);
Json answered_json(const Handout& handout);

// --- files that a page gives as bytes, in place of a folder

void give_file(const std::string& name, std::string bytes);

// Reads tensors and models from the bytes that a page has given.
SceneSources given_files();

}  // namespace maskscope
