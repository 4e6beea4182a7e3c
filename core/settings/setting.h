#pragma once
// The settings of a variant, each stated once. A setting is an entry of the table in settings.cpp:
// reading, writing, undo, the sidebar, the palette, captions, `describe`, the words on connectors
// and the search for counterexamples follow from it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_text.h"
#include "core/scene/scene.h"

namespace maskscope {

struct Node;          // see json_read.h
struct VariantPlace;  // see variant_json.h
using WriteArray = std::function<Json(const Array&)>;

// One entry of a setting's menu.
struct Choice {
    std::string words;
    bool is_chosen = false;
    std::function<void(Variant&)> put;
};

// An operation on the numbers on their way into a stage, as a connector names it. The first one has
// the lowest order; the mask itself has 0.
struct Operation {
    StageKind into;
    int order = 0;
    std::string words;
    // Set if the operation changes each number by itself: its function, its formula, in which {}
    // stands for the number, and the term that explains it.
    double (*value)(const Variant&, double x) = nullptr;
    std::string formula{};
    std::string_view term{};
};

// The look of the choices in the sidebar: as a menu beside the label, as a menu below a heading, or
// as buttons, the first of them with or without the label.
enum class Look { menu, below_heading, buttons_with_label, buttons };

// A row of the table. Members without a default have a meaning in every row. The others are left
// out if they do not apply.
struct Setting {
    std::string_view key;       // in a variant of the file, dots for slashes: "mask.value"
    std::string_view label;     // in menus: "mask value"
    std::string_view undo;      // "change the mask value"
    std::string_view prefix{};  // goes before `words` that do not say what was set
    std::string_view term{};    // the term that the tooltip explains; default: the label
    Look look = Look::menu;

    // True if a variant over these inputs may have the setting.
    bool (*stands)(const Inputs&) = [](const Inputs&) { return true; };
    // True if the setting has an effect on this variant.
    bool (*has_effect)(const Inputs&, const Variant&) = [](const Inputs&, const Variant&) {
        return true;
    };
    bool acts(const Inputs& inputs, const Variant& variant) const {
        return stands(inputs) && has_effect(inputs, variant);
    }

    // --- in the file
    // Sets the default for a file that leaves the setting out, if the default depends on the
    // inputs.
    void (*be_default)(const Inputs&, Variant&) = {};
    void (*read)(const Node&, const VariantPlace&, Variant&) = {};
    // Throws InputError if the setting cannot be combined with the others, all of which have been
    // read.
    void (*check)(const Node& variant, const VariantPlace&, const Variant&) = {};
    Json (*write)(const Variant&, const WriteArray&) = {};  // null = left out

    // --- in words
    // Returns the value as it is written within a sentence: "multiplied after the softmax", "−1e9",
    // "float16".
    std::string (*words)(const Variant&) = {};
    std::string (*described)(const Variant&) = {};  // in `describe`; "": nothing
    std::vector<Operation> (*operations)(const Variant&) = {};

    // --- edits
    std::vector<Choice> (*choices)(const Scene&, int variant) = {};
    std::string (*text)(const Variant&) = {};  // the text in the field where it is typed
    // Sets what was typed and returns "", or returns what was expected: "scale: 1/√d, 1/√n or a
    // number".
    std::string (*typed)(const std::string&, Variant&) = {};
    // Adapts other settings of `now` to a change of this one since `before`.
    void (*settle)(const Inputs&, const Variant& before, Variant& now) = {};
    // Returns why a scene cannot have a variant with this setting: a sentence, or "".
    std::string (*conflict)(const Scene&, const Variant&) = {};
};

const std::vector<Setting>& settings();                // in the order of the file
const std::vector<const Setting*>& listed_settings();  // in the order of the sidebar
const Setting* find_setting(std::string_view key);     // nullptr if there is none

// Returns the choices of a setting that acts on this variant; none if there is nothing to choose.
std::vector<Choice> choices_of(const Setting& setting, const Scene& scene, int variant);
// Returns all operations into a stage, in order.
std::vector<Operation> operations_into(StageKind stage, const Variant& variant);
// True if the mask is applied to the scores before they are scaled.
bool masks_first(const Variant& variant);

// Returns a variant with the settings that inputs imply.
Variant default_variant(const Inputs& inputs);

// Describes the changes of a variant since its step: "mask value −2, float16". Empty if no setting
// that has a word was changed, if the variant was renamed, or if the step has no such variant. A
// variant that is named after the way its mask is applied is renamed with it, so that change is
// left out.
std::string changes_since(const Scene& step, const Scene& scene, int variant);
// Describes what sets a variant apart from the first one of the same name: "mask value −2", or
// "same as A". Empty if no earlier variant has its name, or if no words tell the two apart.
std::string changes_from_namesake(const Scene& scene, int variant);

}  // namespace maskscope
