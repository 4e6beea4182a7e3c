// Reads and writes the text of a lesson: read_lesson, write_lesson and is_lesson of lesson.h.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/compute/root_d.h"
#include "core/format/scene_parts.h"
#include "core/lesson/address.h"
#include "core/lesson/lesson.h"
#include "core/lesson/lesson_check.h"

namespace maskscope {

namespace {

// --- reading

AddressEntry read_at(const Node& node) {
    if (node.json.is_number())
        return {AddressEntry::Kind::index, read_count(node, 0, largest_index), {}};
    const auto* text = node.json.get_ptr<const std::string*>();
    const auto at = text ? parse_at(*text) : std::nullopt;
    if (!at || at->kind == AddressEntry::Kind::index)
        fail(node, "an index, or \"all\", \"any\" or \"sum\" as in \"all 0-4\"");
    return *at;
}

// Reads each value as JSON text, without checking it: with_fields() does that.
Fields read_fields(const Node& node) {
    if (!node.json.is_object()) fail(node, "an object");
    Fields fields;
    for (const auto& item : node.json.items())
        fields.emplace_back(item.key(), write_json_line(item.value()));
    return fields;
}

std::string read_of(const Node& node) {
    const auto* word = node.json.get_ptr<const std::string*>();
    if (!word || !is_stage_or_figure(*word))
        fail(node, "a stage, a row statistic or a statistic of root_d");
    return *word;
}

using Keys = std::vector<std::string_view>;

// Reads an address in an object that may also have the keys `more`.
Address read_address(const Node& node, const Keys& more) {
    Address address;
    address.of = read_of(require(node, "of"));
    const bool root_d = is_root_d(address.of);
    Keys keys = {"lane", "of", root_d ? "d" : "at", "with"};
    keys.insert(keys.end(), more.begin(), more.end());
    expect_keys(node, keys);
    const Node variant = require(node, "lane");
    if (!parse_variants(read_text(variant), address))
        fail(variant, "a variant such as \"B\", or two such as \"A-B\"");
    if (root_d) {
        address.d = read_count(require(node, "d"), 1, root_d_most);
    } else if (!is_mask_test(address.of) || find(node, "at")) {
        for (const Node& item : read_list_of(require(node, "at"), entries_of(address.of)))
            address.at.push_back(read_at(item));
    }
    if (const auto with = find(node, "with")) address.with = read_fields(*with);
    return address;
}

Operand read_operand(const Node& node, const Keys& more) {
    if (node.json.is_number()) return read_number(node);
    if (!node.json.is_object()) fail(node, "a number or an address");
    return read_address(node, more);
}

Comparand read_than(const Node& node) {
    Comparand than;
    than.value = read_operand(node, {"times", "plus"});
    if (!node.json.is_object()) return than;
    if (const auto times = find(node, "times")) than.times = read_operand(*times, {});
    if (const auto plus = find(node, "plus")) than.plus = read_operand(*plus, {});
    return than;
}

// Reads what a number is compared with. Every relation except "nan" needs `than`; only "near" takes
// `within`.
void read_right_side(const Node& node, Fact& fact) {
    const auto than = find(node, "than");
    if (than && fact.is == Relation::nan) throw InputError(than->place, "not allowed with \"nan\"");
    if (fact.is != Relation::nan) fact.than = read_than(require(node, "than"));
    const auto within = find(node, "within");
    if (!within) return;
    if (fact.is != Relation::near) throw InputError(within->place, "only with \"near\"");
    fact.within = read_number(*within);
    if (*fact.within < 0) fail(*within, "a number, 0 or more");
}

// Reads a fact. can_fail: the fact has fails_with.
Fact read_fact(const Node& node, bool can_fail = true) {
    Fact fact;
    Keys keys = {"is", "than", "within", "says"};
    if (can_fail) keys.push_back("fails_with");
    fact.address = read_address(node, keys);
    fact.is = static_cast<Relation>(read_word(require(node, "is"), relation_names));
    read_right_side(node, fact);
    fact.says = read_or(node, "says", read_text, fact.says);
    if (can_fail) fact.fails_with = read_fields(require(node, "fails_with"));
    return fact;
}

Cover read_covers(const Node& node) {
    expect_keys(node, {"lanes", "stages"});
    Cover covers;
    if (const auto variants = find(node, "lanes")) covers.variants = read_variants(*variants);
    if (const auto stages = find(node, "stages")) {
        read_filled_list(*stages);
        covers.stages = read_stages(*stages);
    }
    return covers;
}

Exercise read_exercise(const Node& node) {
    constexpr std::string_view mask[] = {"allowed"};
    expect_keys(node, {"lane", "of"});
    Address address;
    const Node variant = require(node, "lane");
    if (!parse_variants(read_text(variant), address) || address.minus)
        fail(variant, "a variant such as \"B\"");
    read_word(require(node, "of"), mask);
    return {address.variant};
}

Fields read_filled_fields(const Node& node) {
    Fields fields = read_fields(node);
    if (fields.empty()) fail(node, "an object that is not empty");
    return fields;
}

// Reads a text, or several of which the first is shown.
std::vector<std::string> read_answers(const Node& node) {
    if (!node.json.is_array()) return {read_label(node)};
    std::vector<std::string> answers;
    for (const Node& answer : read_filled_list(node)) answers.push_back(read_label(answer));
    return answers;
}

// Returns the items of a list with `least` to `most` of them.
std::vector<Node> read_few(const Node& node, std::size_t least, std::size_t most,
                           const char* items) {
    std::vector<Node> list = read_list(node);
    if (list.size() < least || list.size() > most)
        throw InputError(node.place, fmt::format("expected {} to {} {}, got {}", least, most, items,
                                                 list.size()));
    return list;
}

StepTable read_table(const Node& node) {
    StepTable table;
    for (const Node& row : read_few(node, 2, 6, "rows")) {
        std::vector<std::string>& cells = table.emplace_back();
        for (const Node& cell : read_few(row, 2, 4, "cells")) cells.push_back(read_text(cell));
        if (cells.size() != table.front().size())
            throw InputError(row.place,
                             fmt::format("expected {} cells, as in the first row, got {}",
                                         table.front().size(), cells.size()));
    }
    return table;
}

Step read_step(const Node& node, Reading& reading, bool is_draft) {
    expect_keys(node,
                {"title", "caption", "notes", "ask", "answer", "covers", "exercise", "try",
                 "try_sets", "try_shows", "source", "table", "place", "star", "scene", "facts"});
    Step step;
    step.title = read_text(require(node, "title"));
    step.caption = read_text(require(node, "caption"));
    step.notes = read_or(node, "notes", read_text, step.notes);
    step.ask = read_or(node, "ask", read_text, step.ask);
    if (const auto answer = find(node, "answer")) step.answers = read_answers(*answer);
    step.try_this = read_or(node, "try", read_text, step.try_this);
    step.source = read_or(node, "source", read_text, step.source);
    if (const auto table = find(node, "table")) step.table = read_table(*table);
    if (const auto place = find(node, "place"))
        step.place = static_cast<BlockPlace>(read_word(*place, block_place_names));
    if (const auto covers = find(node, "covers")) step.covers = read_covers(*covers);
    if (const auto exercise = find(node, "exercise")) step.exercise = read_exercise(*exercise);
    if (const auto sets = find(node, "try_sets")) step.try_sets = read_filled_fields(*sets);
    if (const auto shows = find(node, "try_shows")) step.try_shows = read_fact(*shows, false);
    step.star = read_or(node, "star", read_flag, step.star);
    reading.layers = 1;
    step.scene = read_scene_node(require(node, "scene"), reading);
    const Node& facts = require(node, "facts");
    for (const Node& fact : is_draft ? read_list(facts) : read_filled_list(facts))
        step.facts.push_back(read_fact(fact));
    return step;
}

std::string read_lesson_name(const Node& node) {
    std::string name = read_text(node);
    const bool plain =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (name.empty() || !plain) fail(node, "a name of a-z, 0-9 and -");
    return name;
}

Lesson read_lesson_node(const Node& node, Reading& reading, bool is_draft) {
    expect_keys(node, {"maskscope_lesson", "name", "title", "about", "steps"});
    read_integer(require(node, "maskscope_lesson"), 1, 1);  // the version
    Lesson lesson;
    lesson.name = read_lesson_name(require(node, "name"));
    lesson.title = read_text(require(node, "title"));
    lesson.about = read_or(node, "about", read_text, lesson.about);
    for (const Node& step : read_filled_list(require(node, "steps")))
        lesson.steps.push_back(read_step(step, reading, is_draft));
    return lesson;
}

// --- writing

Json at_to_json(const AddressEntry& at) {
    if (at.kind == AddressEntry::Kind::index) return at.index;
    return at_text(at);
}

Json fields_to_json(const Fields& fields) {
    Json json = Json::object();
    for (const auto& [pointer, value] : fields) json[pointer] = parse_json(value);
    return json;
}

Json address_to_json(const Address& address) {
    Json json = {{"lane", variants_text(address)}, {"of", address.of}};
    if (address.d) {
        json["d"] = *address.d;
    } else if (!is_mask_test(address.of)) {
        json["at"] = Json::array();
        for (const AddressEntry& at : address.at) json["at"].push_back(at_to_json(at));
    }
    if (!address.with.empty()) json["with"] = fields_to_json(address.with);
    return json;
}

Json operand_to_json(const Operand& operand) {
    if (const auto* address = std::get_if<Address>(&operand)) return address_to_json(*address);
    return number_to_json(std::get<double>(operand));
}

Json than_to_json(const Comparand& than) {
    Json json = operand_to_json(than.value);
    if (than.times) json["times"] = operand_to_json(*than.times);
    if (than.plus) json["plus"] = operand_to_json(*than.plus);
    return json;
}

Json fact_to_json(const Fact& fact, bool can_fail = true) {
    Json json = address_to_json(fact.address);
    json["is"] = relation_names[static_cast<int>(fact.is)];
    if (fact.than) json["than"] = than_to_json(*fact.than);
    if (fact.within) json["within"] = number_to_json(*fact.within);
    if (!fact.says.empty()) json["says"] = fact.says;
    if (can_fail) json["fails_with"] = fields_to_json(fact.fails_with);
    return json;
}

Json covers_to_json(const Cover& covers) {
    Json json = Json::object();
    if (covers.variants) json["lanes"] = variants_to_json(*covers.variants);
    if (covers.stages) json["stages"] = stages_to_json(*covers.stages);
    return json;
}

Json step_to_json(const Step& step) {
    Json json = {{"title", step.title}, {"caption", step.caption}};
    if (!step.notes.empty()) json["notes"] = step.notes;
    if (!step.ask.empty()) json["ask"] = step.ask;
    if (step.answers.size() == 1) json["answer"] = step.answers.front();
    if (step.answers.size() > 1) json["answer"] = step.answers;
    if (step.covers) json["covers"] = covers_to_json(*step.covers);
    if (step.exercise)
        json["exercise"] = {{"lane", variants_to_json({step.exercise->variant})[0]},
                            {"of", "allowed"}};
    if (!step.try_this.empty()) json["try"] = step.try_this;
    if (!step.try_sets.empty()) json["try_sets"] = fields_to_json(step.try_sets);
    if (step.try_shows) json["try_shows"] = fact_to_json(*step.try_shows, false);
    if (!step.source.empty()) json["source"] = step.source;
    if (!step.table.empty()) json["table"] = step.table;
    if (step.place) json["place"] = block_place_names[static_cast<int>(*step.place)];
    json["star"] = step.star;
    json["scene"] = scene_to_json(step.scene);
    json["facts"] = Json::array();
    for (const Fact& fact : step.facts) json["facts"].push_back(fact_to_json(fact));
    return json;
}

Lesson read_unjudged(std::string_view json, const SceneSources& sources, bool is_draft) {
    const Json root = parse_json(json);
    Reading reading = reading_from(sources);
    return read_lesson_node({root, ""}, reading, is_draft);
}

}  // namespace

Lesson read_lesson(std::string_view json, const SceneSources& sources) {
    Lesson lesson = read_unjudged(json, sources, false);
    check_lesson(lesson, sources);
    return lesson;
}

Lesson read_draft(std::string_view json, const SceneSources& sources) {
    return read_unjudged(json, sources, true);
}

std::string write_lesson(const Lesson& lesson) {
    Json json = {{"maskscope_lesson", 1}, {"name", lesson.name}, {"title", lesson.title}};
    if (!lesson.about.empty()) json["about"] = lesson.about;
    json["steps"] = Json::array();
    for (const Step& step : lesson.steps) json["steps"].push_back(step_to_json(step));
    return write_json(json);
}

bool is_lesson(std::string_view json) {
    // Search the text first: most files are scenes, and large ones should be read only once. A
    // lesson may lack its version.
    const auto has = [&](const char* key) { return json.find(key) != std::string_view::npos; };
    if (!has("\"maskscope_lesson\"") && (has("\"maskscope\"") || !has("\"steps\""))) return false;
    try {
        const Json root = parse_json(json);
        return root.is_object() && (root.contains("maskscope_lesson") || root.contains("steps"));
    } catch (const InputError&) {
        return true;  // reading it as a lesson reports what is wrong
    }
}

}  // namespace maskscope
