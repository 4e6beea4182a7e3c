#pragma once
// Writes the folders of compute: variant-0, variant-1, …, each with a .npy file for every stage and
// a summary. Blocks of rows are written as soon as they are computed.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/row_figures.h"
#include "core/result/request.h"
#include "core/tensors/npy_file.h"

namespace maskscope {

// Returns the name of a variant's folder.
std::string variant_name(std::size_t variant);

class StageFiles {
public:
    // folder: exists, and contains no folders of variants. `shown`: the path that the folder will
    // have, for error messages. stages: those to be written, if a result has them.
    StageFiles(std::filesystem::path folder, std::filesystem::path shown,
               std::bitset<stage_count> stages = std::bitset<stage_count>().set());
    // Add all rows of every variant, or only `rows` out of n_q rows. Every row must be added;
    // adding one again replaces it. Throw WorkError, naming the file.
    void add(const Result& whole);
    void add(const Result& block, const Rows& rows, Index n_q);
    void finish();  // call after all rows were added

private:
    void make_folder(const VariantResult& like, Index n_q);
    NpyFile& file(std::size_t variant, StageKind kind, NpyNumbers numbers, const Shape& shape);
    void add(std::size_t variant, const Result& result, const Rows& rows);
    void add(std::size_t variant, const VariantResult& block, StageKind kind, const Rows& rows);

    std::filesystem::path folder_, shown_;
    std::bitset<stage_count> stages_;
    std::string backend_;
    std::vector<VariantResult> whole_;                      // the summaries' data, without stages
    std::vector<std::vector<ReferenceFigures>> reference_;  // for each variant, see summary_json()
    std::map<std::pair<std::size_t, StageKind>, NpyFile> files_;
};

// Returns how many bytes the files of compute will have, without outputs and summaries.
double bytes_of_files(const Scene& scene, const Request& request);

}  // namespace maskscope
