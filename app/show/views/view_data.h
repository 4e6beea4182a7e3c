#pragma once
// The data of the views other than the pipeline for one result: numbers and labels, no lengths.

#include <memory>
#include <string>

#include "app/show/views/generation_view.h"
#include "app/show/views/plane_view.h"
#include "app/show/views/root_d_view.h"
#include "app/show/views/translator_view.h"
#include "app/show/views/value_table.h"

namespace maskscope {

// The data of view.show.view; data of other views may still be there.
struct ViewData {
    std::shared_ptr<const PlaneView> plane;
    std::shared_ptr<const ValueTables> table;
    std::shared_ptr<const RootDView> root_d;
    std::shared_ptr<const GenerationView> generation;
    std::shared_ptr<const TranslatorView> translator;
    std::string failure;  // why what is shown could not be made, in a sentence
    bool operator==(const ViewData&) const = default;
};

// Computes the data in the call, even what is already there. Throws WorkError, Cancelled.
ViewData make_view_data(const Result& result, const View& view, Progress& progress);

// What the data of a view depend on: equal keys mean equal data.
struct ViewKey {
    ViewKind kind = ViewKind::pipeline;
    std::shared_ptr<const Result> result;  // plane, table and generation
    std::uint64_t seed = 0;                // root d, which no edit of tokens or mask changes
    std::vector<Scale> scales;
    std::vector<std::string> names;
    std::vector<int> lanes;
    std::vector<Index> sequences, heads;
    Cell components;
    Index row = 0;
    Colouring colouring{};
    bool operator==(const ViewKey&) const = default;
};
ViewKey view_key(const std::shared_ptr<const Result>& result, const View& view);

}  // namespace maskscope
