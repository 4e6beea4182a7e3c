// Reads the arguments of ms_edit() and ms_view(): see calls.h.

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "app/web/handout.h"
#include "core/edit/edit.h"
#include "core/format/scene_parts.h"
#include "core/settings/setting.h"

namespace maskscope {

namespace {

// One requested edit, and the scene that it changes.
class Edit {
public:
    Edit(const Node& op, Scene& scene, std::vector<int> shown)
        : op_(op), scene_(scene), shown_(std::move(shown)), shape_(shape_of(scene)) {}

    Node at(std::string_view key) const { return require(op_, key); }
    Index b() const { return index("b", std::ssize(scene_.sequences)); }
    Index h() const { return index("h", shape_.h); }
    Index i() const { return read_index(at("i"), shape_.n_q); }
    Index j() const { return read_index(at("j"), shape_.n_k); }
    Cell cell() const { return {i(), j()}; }
    const Setting& setting() const {
        const Node word = at("setting");
        const Setting* const found = find_setting(read_text(word));
        if (!found) fail(word, "the name of a setting");
        return *found;
    }
    int variant() const {
        return static_cast<int>(read_index(at("lane"), std::ssize(scene_.variants)));
    }
    std::vector<int> variants() const {
        const auto list = find(op_, "lanes");
        if (!list) return shown_;
        std::vector<int> variants;
        for (const Index variant : read_distinct(*list, std::ssize(scene_.variants)))
            variants.push_back(static_cast<int>(variant));
        return variants;
    }
    Side side() const {
        constexpr std::string_view sides[] = {"queries", "keys"};
        const auto word = find(op_, "side");
        return word && read_word(*word, sides) == 1 ? Side::keys : Side::queries;
    }
    Index token() const { return read_index(at("index"), largest_index); }
    std::string text() const { return read_text(at("text")); }
    std::optional<bool> allow() const {
        const auto node = find(op_, "allow");
        return node ? std::optional(read_flag(*node)) : std::nullopt;
    }
    Scene& scene() const { return scene_; }

private:
    Index index(std::string_view key, Index size) const {
        const auto node = find(op_, key);
        return node ? read_index(*node, size) : 0;
    }
    const Node& op_;
    Scene& scene_;
    std::vector<int> shown_;
    Shape shape_;
};

void set_cell(const Edit& edit) {
    const std::vector<int> variants = edit.variants();
    const Cell cell = edit.cell();
    const auto is_blocked = [&](int variant) {
        return !is_allowed(edit.scene(), variant, edit.b(), edit.h(), cell);
    };
    const bool allow = edit.allow().value_or(std::ranges::any_of(variants, is_blocked));
    set_allowed(edit.scene(), variants, edit.b(), edit.h(), cell, allow);
}

void set_words(const Edit& edit) {
    const std::vector<std::string> words = split_sentence(edit.text());
    if (edit.at("side").json == "source")
        set_source(edit.scene(), edit.b(), words);
    else
        set_sentence(edit.scene(), edit.b(), edit.side(), words);
}

void choose(const Edit& edit) {
    const Setting& setting = edit.setting();
    const int variant = edit.variant();
    const std::vector<Choice> choices = choices_of(setting, edit.scene(), variant);
    const Index choice = read_index(edit.at("choice"), std::ssize(choices));
    set_setting(edit.scene(), variant, setting, choices[static_cast<std::size_t>(choice)].put);
}

void type(const Edit& edit) {
    const Setting& setting = edit.setting();
    if (!setting.typed) fail(edit.at("setting"), "a setting that is typed");
    type_setting(edit.scene(), edit.variant(), setting, edit.text());
}

void set_fields(const Edit& edit) {
    const Node fields = edit.at("fields");
    if (!fields.json.is_object()) fail(fields, "an object");
    Fields set;
    for (const auto& [pointer, value] : fields.json.items())
        set.emplace_back(pointer, value.dump());
    edit.scene() = with_fields(edit.scene(), set, given_files());
}

using Change = void (*)(const Edit&);

const std::map<std::string_view, Change>& operations() {
    static const std::map<std::string_view, Change> all = {
        {"cell", set_cell},
        {"row", [](const Edit& e) { toggle_row(e.scene(), e.variants(), e.b(), e.h(), e.i()); }},
        {"column",
         [](const Edit& e) { toggle_column(e.scene(), e.variants(), e.b(), e.h(), e.j()); }},
        {"sentence", set_words},
        {"rename",
         [](const Edit& e) { rename_token(e.scene(), e.b(), e.side(), e.token(), e.text()); }},
        {"insert",
         [](const Edit& e) { insert_token(e.scene(), e.b(), e.side(), e.token(), e.text()); }},
        {"delete", [](const Edit& e) { delete_token(e.scene(), e.b(), e.side(), e.token()); }},
        {"pad", [](const Edit& e) { toggle_pad(e.scene(), e.b(), e.side(), e.token()); }},
        {"choose", choose},
        {"type", type},
        {"heads",
         [](const Edit& e) { set_heads(e.scene(), read_count(e.at("value"), 1, most_heads)); }},
        {"head",
         [](const Edit& e) { turn_head(e.scene(), e.variant(), e.h(), read_flag(e.at("on"))); }},
        {"layer",
         [](const Edit& e) {
             set_layer(e.scene(), e.variants(), read_name<LayerKind>(e.at("kind")),
                       read_flag(e.at("on")));
         }},
        {"fields", set_fields},
    };
    return all;
}

void set_score_of(Handout& handout, const Node& op) {
    const Result& shown = handout.result();
    handout.edit([&](Scene& scene) {
        const Edit edit(op, scene, {});
        set_score(scene, shown, edit.b(), edit.h(), edit.cell(), read_number(edit.at("value")));
    });
}

}  // namespace

void apply_edit(Handout& handout, const Node& op) {
    if (!op.json.is_object()) fail(op, "an object");
    const Node word = require(op, "op");
    const std::string name = read_text(word);
    if (name == "undo" || name == "redo") {
        handout.undo(name == "redo");
    } else if (name == "restore") {
        handout.restore();
    } else if (name == "score") {
        set_score_of(handout, op);
    } else {
        const auto found = operations().find(name);
        if (found == operations().end()) fail(word, "the name of an edit");
        handout.edit([&](Scene& scene) { found->second(Edit(op, scene, handout.variants())); });
    }
}

namespace {

constexpr std::string_view theme_names[] = {"light", "dark", "high_contrast", "print"};

void merge_show(Handout& handout, const Node& change) {
    if (!change.json.is_object()) fail(change, "an object");
    Scene as_shown = handout.scene();
    as_shown.show = handout.view().show;
    Json json = parse_json(write_scene(as_shown)).value("show", Json::object());
    json.merge_patch(change.json);
    handout.view().show = read_show({json, change.place}, handout.scene(), true);
}

}  // namespace

void change_view(Handout& handout, const Node& change) {
    expect_keys(change, {"show", "theme", "map", "logarithmic"});
    View next = handout.view();
    if (const auto theme = find(change, "theme"))
        next.theme = static_cast<ThemeKind>(read_word(*theme, theme_names));
    if (const auto map = find(change, "map"))
        next.colouring.map =
            map->json.is_null()
                ? std::nullopt
                : std::optional(static_cast<ColourMap>(read_word(*map, colour_map_names)));
    if (const auto logarithmic = find(change, "logarithmic"))
        next.colouring.logarithmic =
            logarithmic->json.is_null() ? std::nullopt : std::optional(read_flag(*logarithmic));
    if (const auto show = find(change, "show")) {
        merge_show(handout, *show);
        next.show = handout.view().show;
    }
    handout.view() = std::move(next);
}

}  // namespace maskscope
