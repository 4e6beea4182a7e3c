// Removes parts of a failing scene until nothing can be left out.

#include <exception>

#include "core/edit/edit.h"
#include "core/format/scene_json.h"
#include "tests/golden/compare_results.h"

namespace maskscope::golden {
namespace {

using Change = std::function<void(Scene&)>;

// Returns all changes that make the scene simpler, roughly the largest first.
std::vector<Change> changes_of(const Scene& scene) {
    std::vector<Change> changes;
    for (std::size_t k = 0; scene.variants.size() > 1 && k < scene.variants.size(); ++k)
        changes.push_back([=](Scene& s) { s.variants.erase(s.variants.begin() + Index(k)); });
    for (std::size_t b = 0; scene.sequences.size() > 1 && b < scene.sequences.size(); ++b)
        changes.push_back([=](Scene& s) { s.sequences.erase(s.sequences.begin() + Index(b)); });
    for (Index b = 0; b < Index(scene.sequences.size()); ++b) {
        const Sequence& sequence = scene.sequences[std::size_t(b)];
        for (Index i = 0; i < Index(sequence.queries.size()); ++i)
            changes.push_back([=](Scene& s) { delete_token(s, b, Side::queries, i); });
        for (Index j = 0; sequence.keys && j < Index(sequence.keys->size()); ++j)
            changes.push_back([=](Scene& s) { delete_token(s, b, Side::keys, j); });
    }
    for (std::size_t k = 0; k < scene.variants.size(); ++k) {
        const auto change = [&](auto set) {
            changes.push_back([=](Scene& s) { set(s.variants[k]); });
        };
        for (std::size_t l = 0; l < scene.variants[k].mask.layers.size(); ++l)
            change([=](Variant& v) { v.mask.layers.erase(v.mask.layers.begin() + Index(l)); });
        change([](Variant& v) { v.output = {}; });
        change([](Variant& v) { v.normalizer = Normalizer::softmax; });
        change([](Variant& v) { v.empty_rows = EmptyRows::nan; });
        change([](Variant& v) { v.mask.apply = Apply::none; });
        change([](Variant& v) { v.mask.value = {}; });
        change([](Variant& v) { v.mask.times = 1; });
        change([](Variant& v) { v.mask.order = Order::scale_then_mask; });
        change([](Variant& v) { v.scale = {ScaleKind::none, 1}; });
        change([](Variant& v) { v.score = {}; });
        change([](Variant& v) { v.dtype = Dtype::float32; });
    }
    return changes;
}

bool still_fails(Scene& scene, const Change& change,
                 const std::function<bool(const Scene&)>& fails) {
    Scene smaller = scene;
    try {
        change(smaller);
        if (smaller == scene) return false;
        check_scene(smaller);
        if (!fails(smaller)) return false;
    } catch (const std::exception&) {  // cannot be left out
        return false;
    }
    scene = smaller;
    return true;
}

}  // namespace

Scene shrunk(Scene scene, const std::function<bool(const Scene&)>& fails) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (const Change& change : changes_of(scene)) {
            smaller = still_fails(scene, change, fails);
            if (smaller) break;  // the other changes were made from the larger scene
        }
    }
    return scene;
}

}  // namespace maskscope::golden
