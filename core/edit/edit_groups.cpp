// Edits of one mask rule, wherever it is, and of groups of rules.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/edit/edit_parts.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

namespace {

// --- what makes a rule valid

std::string quoted(const MaskLayer& layer) { return fmt::format("“{}”", label(layer.kind)); }

void expect_whole_list(const std::vector<Index>& list, std::string_view what, Index n_k) {
    if (std::ssize(list) != n_k)
        throw EditError(fmt::format("There are {} keys, but {} {}. Each key needs one.", n_k,
                                    list.size(), what));
}

void expect_tokens(const std::vector<Index>& tokens, Index n_k) {
    if (tokens.empty()) throw EditError("At least one token must be listed.");
    for (const Index token : tokens)
        if (token < 0 || token >= n_k)
            throw EditError(
                fmt::format("There is no token {}. Tokens count from 1 to {}.", token + 1, n_k));
    if (std::set<Index>(tokens.begin(), tokens.end()).size() != tokens.size())
        throw EditError("A token is listed twice.");
}

void expect_parents(const std::vector<Index>& parents) {
    for (Index j = 0; j < std::ssize(parents); ++j)
        if (parents[j] < -1 || parents[j] >= j)
            throw EditError(
                fmt::format("The parent of token {} must come before it, so it cannot be token {}.",
                            j + 1, parents[j] + 1));
}

void expect_list(const std::vector<Index>& list, Counts counts, Index n_k) {
    switch (counts) {
        case Counts::documents: {
            if (std::ranges::any_of(list, [](Index length) { return length < 1; }))
                throw EditError("A document needs at least one token.");
            const double sum = std::accumulate(list.begin(), list.end(), 0.0);
            if (sum != static_cast<double>(n_k))
                throw EditError(
                    fmt::format("The lengths sum to {}, but there are {} keys.", sum, n_k));
            return;
        }
        case Counts::tokens:
            return expect_tokens(list, n_k);
        case Counts::ids:
            expect_whole_list(list, "groups", n_k);
            if (std::ranges::any_of(list, [](Index id) { return id < -1; }))
                throw EditError("A group is a whole number, 0 or more, or – for none.");
            return;
        case Counts::parents:
            expect_whole_list(list, "parents", n_k);
            return expect_parents(list);
        default:
            return;
    }
}

void expect_expression(const std::string& text) {
    if (text.size() > most_expression_bytes)
        throw EditError(fmt::format("A formula has at most {} bytes.", most_expression_bytes));
    try {
        (void)Expression(text);
    } catch (const InputError& error) {
        throw EditError(error.what());
    }
}

void expect_parameters(const Scene& scene, const MaskLayer& layer) {
    for (const LayerParameter& parameter : rule_of(layer.kind).parameters) {
        if (const auto* number = std::get_if<Index MaskLayer::*>(&parameter.member))
            if (layer.*(*number) < parameter.low)
                throw EditError(fmt::format("{}: expected a whole number, {} or more.",
                                            label(layer.kind), parameter.low));
        if (const auto* list = std::get_if<std::vector<Index> MaskLayer::*>(&parameter.member))
            if (!parameter.each || (layer.*parameter.each).empty())
                expect_list(layer.*(*list), parameter.counts, shape_of(scene).n_k);
        if (const auto* text = std::get_if<std::string MaskLayer::*>(&parameter.member))
            expect_expression(layer.*(*text));
    }
}

// Throws EditError unless the rule is valid. depth: the number of groups around it.
void expect_layer(const Scene& scene, const MaskLayer& layer, int depth) {
    const LayerRule& rule = rule_of(layer.kind);
    if (rule.is_bias() && depth > 0)
        throw EditError(fmt::format(
            "{} adds numbers and blocks nothing, so it cannot be in a group.", quoted(layer)));
    if (rule.is_bias() && std::holds_alternative<WeightsInputs>(scene.inputs))
        throw EditError("Given weights take no biases, as they have no softmax input.");
    if (depth > 0 && layer.heads)
        throw EditError(fmt::format(
            "{} applies only to some heads. Choose all heads before you group it.", quoted(layer)));
    if (rule.is_group && depth == most_groups)
        throw EditError(fmt::format("Groups can be nested at most {} deep.", most_groups));
    if (rule.is_group && layer.layers.empty()) throw EditError("A group needs at least one rule.");
    if (layer.invert && rule.opens && depth == 0)
        throw EditError(fmt::format("{} can be inverted only in a group.", quoted(layer)));
    expect_parameters(scene, layer);
    for (const MaskLayer& inner : layer.layers) expect_layer(scene, inner, depth + 1);
}

// --- places

using Layers = std::vector<MaskLayer>;

MaskLayer* layer_at(Layers& layers, const LayerPath& path) {
    return const_cast<MaskLayer*>(find_layer(layers, path));
}

// Returns the rules of a group; those of the variant if `group` is {}.
Layers& list_at(Layers& layers, const LayerPath& group) {
    if (group.empty()) return layers;
    MaskLayer* found = layer_at(layers, group);
    if (!found || !rule_of(found->kind).is_group)
        throw EditError("This group of rules no longer exists.");
    return found->layers;
}

LayerPath parent_of(LayerPath path) {
    path.pop_back();
    return path;
}

// Takes a rule out of its list and returns it. Removes groups that are then empty.
MaskLayer take(Layers& layers, LayerPath path) {
    const MaskLayer* found = find_layer(layers, path);
    if (!found) throw EditError("This rule no longer exists.");
    MaskLayer taken = *found;
    while (!path.empty()) {
        const std::size_t at = path.back();
        path.pop_back();
        Layers& list = list_at(layers, path);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        if (!list.empty()) break;
    }
    return taken;
}

// Changes the rules of all these variants, or of none if a rule would become invalid.
template <class Change>
void change_lists(Scene& scene, const std::vector<int>& variants, const Change& change) {
    Scene next = scene;
    for (const int variant : variants) {
        Layers& layers = variant_of(next, variant).mask.layers;
        change(layers);
        for (const MaskLayer& layer : layers) {
            expect_layer(next, layer, 0);
            expect_fitting_layer(next, layer);
        }
    }
    scene = std::move(next);
}

// --- brackets

bool is_term(const MaskLayer& layer) {
    return !is_bias(layer) && !rule_of(layer.kind).opens && !layer.heads;
}

LayerKind other_kind(LayerKind kind) {
    return kind == LayerKind::any ? LayerKind::all : LayerKind::any;
}

MaskLayer joined(LayerKind kind, Layers layers) {
    if (layers.size() == 1) return layers.front();
    MaskLayer group;
    group.kind = kind;
    group.layers = std::move(layers);
    return group;
}

// Turns "t₀ ∘ (c₀ • … • cₘ) ∘ t₁", ∘ being `outer`, into "(t₀ ∘ c₀) • … • (cₘ ∘ t₁)".
Layers rebracketed(const Layers& terms, LayerKind outer) {
    const auto group = std::ranges::find_if(terms, [&](const MaskLayer& layer) {
        return layer.kind == other_kind(outer) && !layer.invert && layer.layers.size() > 1;
    });
    if (group == terms.end() || terms.size() < 2)
        throw EditError("Nothing to regroup. This needs a group next to another rule.");
    Layers next = group->layers;
    Layers first(terms.begin(), group), last{next.back()};
    first.push_back(next.front());
    last.insert(last.end(), group + 1, terms.end());
    next.front() = joined(outer, std::move(first));
    next.back() = joined(outer, std::move(last));
    return next;
}

}  // namespace

const MaskLayer* find_layer(const Layers& layers, const LayerPath& path) {
    const Layers* list = &layers;
    const MaskLayer* found = nullptr;
    for (const std::size_t at : path) {
        if (at >= list->size()) return nullptr;
        found = &(*list)[at];
        list = &found->layers;
    }
    return found;
}

void add_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& group,
               LayerKind kind) {
    expect_small_tensor(kind, shape_of(scene));
    const MaskLayer layer = new_layer(kind, shape_of(scene));
    change_lists(scene, variants, [&](Layers& layers) { list_at(layers, group).push_back(layer); });
}

void replace_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& path,
                   const MaskLayer& layer) {
    change_lists(scene, variants, [&](Layers& layers) {
        MaskLayer* found = layer_at(layers, path);
        if (!found) throw EditError("This rule no longer exists.");
        *found = layer;
    });
}

void remove_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& path) {
    change_lists(scene, variants, [&](Layers& layers) { take(layers, path); });
}

void move_layer(Scene& scene, const std::vector<int>& variants, const LayerPath& from,
                const LayerPath& group) {
    const bool into_itself =
        group.size() >= from.size() && std::equal(from.begin(), from.end(), group.begin());
    if (into_itself) throw EditError("A group cannot contain itself.");
    if (from.empty() || parent_of(from) == group) return;
    change_lists(scene, variants, [&](Layers& layers) {
        const MaskLayer* found = find_layer(layers, from);
        if (!found) throw EditError("This rule no longer exists.");
        MaskLayer copy = *found;
        list_at(layers, group).push_back(std::move(copy));  // at the end, so that `from` stays
                                                            // where it is
        take(layers, from);
    });
}

void group_layers(Scene& scene, const std::vector<int>& variants, std::vector<LayerPath> paths,
                  LayerKind kind) {
    if (paths.empty()) throw EditError("Select the rules of the group first.");
    std::ranges::sort(paths);
    paths.erase(std::ranges::unique(paths).begin(), paths.end());
    const LayerPath list = parent_of(paths.front());
    for (const LayerPath& path : paths)
        if (path.empty() || parent_of(path) != list)
            throw EditError("The rules of a group must be next to each other, in one list.");
    change_lists(scene, variants, [&](Layers& layers) {
        MaskLayer group;
        group.kind = kind;
        for (const LayerPath& path : paths) {
            const MaskLayer* found = find_layer(layers, path);
            if (!found) throw EditError("This rule no longer exists.");
            group.layers.push_back(*found);
        }
        group.heads = group.layers.front().heads;
        for (MaskLayer& layer : group.layers)
            if (layer.heads == group.heads) layer.heads.reset();
        Layers& all = list_at(layers, list);
        for (auto path = paths.rbegin(); path != paths.rend(); ++path)
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(path->back()));
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(paths.front().back()), group);
    });
}

void move_bracket(Scene& scene, int variant) {
    Scene next = scene;
    Layers terms, others;
    for (const MaskLayer& layer : variant_of(next, variant).mask.layers)
        (is_term(layer) ? terms : others).push_back(layer);
    const bool one_group =
        terms.size() == 1 && terms.front().kind == LayerKind::any && !terms.front().invert;
    Layers moved = one_group ? rebracketed(terms.front().layers, LayerKind::any)
                             : Layers{joined(LayerKind::any, rebracketed(terms, LayerKind::all))};
    const std::string name = in_words(moved);
    moved.insert(moved.end(), others.begin(), others.end());
    duplicate_variant(next, variant);
    const int copy = static_cast<int>(next.variants.size()) - 1;
    rename_variant(next, copy, name);
    change_lists(next, {copy}, [&](Layers& layers) { layers = moved; });
    scene = std::move(next);
}

}  // namespace maskscope
