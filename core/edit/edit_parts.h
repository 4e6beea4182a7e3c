#pragma once
// What the edits share among themselves.

#include <string>
#include <vector>

#include "core/edit/edit.h"

namespace maskscope {

// How the positions of one axis move: of the queries, or of the keys.
struct AxisEdit {
    static constexpr Index added = -1;
    Index b = 0;                // the sequence that is edited; the others stay as they are
    Index old_size = 0;         // n before, and after it source.size()
    std::vector<Index> source;  // [new position]: where it was, or `added`
    std::vector<Index> home;    // [new position]: the old position whose document it joins

    Index new_size() const { return static_cast<Index>(source.size()); }
    // Where position k of sequence `of` was, or `added`.
    Index source_of(Index of, Index k) const {
        if (of == b) return source[k];
        return k < old_size ? k : added;
    }
    bool is_identity() const;
};

AxisEdit no_edit(Index size);

// The numbers that follow queries and keys as `rows` and `columns` move, zero where a token is new.
// Arrays that change become nested lists: EditError where a file's numbers are not finite.
void move_numbers(Inputs& inputs, const AxisEdit& rows, const AxisEdit& columns);

// Layers whose indices follow. EditError where a documents layer would not fit any more.
void move_layers(std::vector<MaskLayer>& layers, const AxisEdit& rows, const AxisEdit& columns);

// blocked, allowed and bias: drops empty lists. False where nothing is listed any more.
bool tidy_listed(MaskLayer& layer);

// A copy of the array as nested lists. EditError where it holds a number that is not finite.
std::vector<double> finite_numbers(const Array& array);

// EditError unless text may stand in a scene: UTF-8 without control characters.
void expect_text(const std::string& text, const std::string& what);
void expect_name(const std::string& text, const std::string& what);  // not empty either
// EditError unless 0 <= index < size.
void expect_index(Index index, Index size, const std::string& what);
Variant& lane_of(Scene& scene, int lane);  // EditError where it is gone

// Matrices that the variants left out are written down as they were seeded, before the inputs turn
// into given numbers, which have no seed.
void write_down_matrices(Scene& scene);

}  // namespace maskscope
