#pragma once
// Helpers shared by the edits.

#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace maskscope {

// How an edit moves the positions along one axis (queries or keys).
struct AxisEdit {
    static constexpr Index added = -1;
    Index b = 0;                // the edited sequence; the others stay as they are
    Index old_size = 0;         // n before the edit
    std::vector<Index> source;  // [new position]: the old position, or `added`
    std::vector<Index> home;    // [new position]: the old position whose document it joins

    Index new_size() const { return static_cast<Index>(source.size()); }
    // Returns where position k of sequence `of` was, or `added`.
    Index source_of(Index of, Index k) const {
        if (of == b) return source[k];
        return k < old_size ? k : added;
    }
    bool is_identity() const;
    AxisEdit of(Index sequence) const;  // the moves of this one sequence
};

AxisEdit no_edit(Index size);

// Moves the given numbers of queries and keys, with zeros for new tokens. Arrays that change become
// nested lists: EditError if a file's numbers are not finite.
void move_numbers(Inputs& inputs, const AxisEdit& rows, const AxisEdit& columns);

// Moves the cells of a mask or bias tensor in the same way: a new token is allowed, and adds 0.
Array moved_tensor(const Array& tensor, bool is_mask, const AxisEdit& rows,
                   const AxisEdit& columns);

// Moves the indices in mask rules. Rules, and groups of rules, that have nothing left are removed.
void move_layers(std::vector<MaskLayer>& layers, const AxisEdit& rows, const AxisEdit& columns);

// Throws EditError if, after an edit of the tokens, a rule needs a key at the position of a query
// and there is none, or a formula gives an impossible bias or scale.
void expect_fitting_layers(const Scene& scene);
void expect_fitting_layer(const Scene& scene,
                          const MaskLayer& layer);  // the same for one rule and those in it

// Throws EditError if a new rule of this kind would write too many cells into the scene.
void expect_small_tensor(LayerKind kind, const Shape& shape);

// Drops empty lists of a blocked, allowed or bias rule. Returns false if no list is left.
bool tidy_listed(MaskLayer& layer);

enum class ScenePart { tokens, vectors, scores };
// Throws EditError if the inputs are a translator's, which makes this part itself.
void expect_given(const Inputs& inputs, ScenePart part);

// Returns the numbers of the array. EditError unless all are finite.
std::vector<double> finite_numbers(const Array& array);

// Throws EditError unless text is valid in a scene: not empty, UTF-8 without control characters.
void expect_name(const std::string& text, const std::string& what);
// Throws EditError unless 0 <= index < size.
void expect_index(Index index, Index size, const std::string& what);
// Removes a variant that no longer exists from `show`, and renumbers those after it.
void renumber_variants(Show& show, int gone);
Variant& variant_of(Scene& scene, int index);  // throws EditError if it does not exist

}  // namespace maskscope
