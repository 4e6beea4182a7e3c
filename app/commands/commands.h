#pragma once
// Implements the commands. The first here is maskscope compute, which writes every stage of every
// variant as .npy, and a summary.

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/session/backends.h"
#include "app/session/files/load.h"
#include "core/attention/row_figures.h"
#include "core/result/result.h"

namespace maskscope {

struct ComputeOptions {
    std::string out;  // the folder; created if missing, with its parents
    BackendChoice backend = BackendChoice::cpu;
    int threads = 0;  // 1 to 256; 0 = one per core; used on the CPU only
    std::bitset<stage_count> stages = std::bitset<stage_count>().set();  // the stages to write
};

// Returns the exit status; throws Error. `notes` receives a line if `auto` chose the CPU.
int compute(const SceneArgument& scene, const ComputeOptions& options, std::ostream& notes);

// Replaces the folders variant-0, variant-1, … of `out`, and removes those with higher numbers. If
// writing fails, changes none of them, and throws Error, naming the file that could not be written.
void write_result(const Result& result, const std::filesystem::path& out);

// Returns summary.json of one variant: backend, shape, and the statistics of each row as
// [b][h][n_q] lists; numbers that are not finite are null. reference: one entry for each row, in
// the order [b, h, n_q], if the variant has a reference; otherwise empty.
std::string summary_json(const VariantResult& variant, const std::string& backend,
                         const std::vector<ReferenceFigures>& reference = {});

// Implements maskscope describe SCENE: prints the scene and its statistics as text. Throws Error.
void describe(const SceneArgument& scene, std::ostream& out);

// Returns the text that describe() prints, for a result that holds weights and sensitivity.
std::string description(const Result& result);

// Implements maskscope extract FIGURE --out FILE: writes the scene that a figure contains, byte for
// byte as it was saved, and its tensor files beside it. A file with other bytes is replaced only
// with `force`. If the figure only names a tensor file that does not exist, a line on `notes` says
// which. Returns the exit status; throws Error.
int extract(const std::string& figure, const std::string& out, bool force, std::ostream& notes);

// Implements maskscope lessons: lists the built-in lessons.

// Writes one line for each lesson, tab-separated: name, number of steps, title. Returns the exit
// status; throws Error.
int lessons(std::ostream& out);

// Implements maskscope pytorch SCENE [--variant I]: writes the variant as a PyTorch script. notes:
// receives the path of a built-in model if the script reads one. Throws Error.
void pytorch(const SceneArgument& scene, int variant, std::ostream& out, std::ostream& notes);

// Implements maskscope check, which checks whether every fact of a lesson holds and can fail, and
// whether each Try does what it says; and maskscope test, which applies the four tests of a mask to
// a variant.

// Writes one line for each fact, tab-separated: step (from 1), fact, value, "holds", "fails" or
// "cannot fail". Then writes one for each fact of a Try, with "try: " before the fact: "holds",
// "fails" or "already true"; "valid" for a Try without a fact. An exercise has a line with
// "exercise: the mask of B", whose value is the number of cells that differ from the solution.
// warnings: receives a line for each thing that makes a caption hard to read on a slide, which does
// not change the exit status: "FILE: /steps/3/caption: 21 words (at most 18)". Returns the exit
// status: 1 if a fact fails or cannot fail, if a Try fails or is already true, or if the mask of an
// exercise is already its solution. Throws Error.
int check(const std::string& lesson_argument, std::ostream& out, std::ostream& warnings);

// Writes a line for each of these tests, in the order of mask_tests(): "future: pass", "future:
// fail: …", "future: n/a: …". only: the names of the tests; empty = all. Returns the exit status: 1
// if a test fails. Throws Error.
int test(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
         std::ostream& out);
// Writes these tests as a PyTorch script. Throws Error.
void test_in_pytorch(const SceneArgument& scene, int variant, const std::vector<std::string>& only,
                     std::ostream& out);

// Returns a value as written in files: the shortest text that is read back as the same number (the
// same float32 if it is one), NaN, inf or -inf.
std::string value_text(double value);

// --- trained models

// Return which attention is shown, and what a variant wrote or predicted; "" without a model.
std::string shown_attention(const Inputs& inputs);
std::string run_text(const VariantResult& result);
inline constexpr std::size_t longest_token = 100;  // bytes; no token is shown longer than that
std::string tokens_text(const TokenView& tokens);

// Returns the file of a built-in model, which a script needs beside it; nullopt without one.
std::optional<std::filesystem::path> built_in_file(const Inputs& inputs);

}  // namespace maskscope
