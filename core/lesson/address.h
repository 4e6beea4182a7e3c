#pragma once
// The address of a number in a scene, B.sum[0,0,2]: its notation, whether it exists, and its value.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/row_figures.h"
#include "core/compute/plane.h"
#include "core/lesson/lesson.h"

namespace maskscope {

// --- notation

// Parses one entry of `at`: "2", "all", "any 0-4", "sum 3-5"; nullopt for anything else.
std::optional<AddressEntry> parse_at(std::string_view text);
std::string at_text(const AddressEntry& at);

// Parses "0,0,sum 3-5"; throws InputError (empty place).
std::vector<AddressEntry> parse_entries(std::string_view text);

// Sets the variants of the address from "B" or "A-B"; returns false for anything else.
bool parse_variants(std::string_view text, Address& address);
std::string variants_text(const Address& address);

// Parses "B.sum[0,0,2]", "A-B.weights[0,0,2,sum 3-5]", "A.root_d.variance[64]", "A.test.future";
// the notation has no `with`. Throws InputError (empty place).
Address parse_address(std::string_view text);
std::string address_text(const Address& address);  // without `with`

bool is_stage_or_figure(std::string_view of);  // true if `of` names a number
bool is_figure(std::string_view of);           // a row statistic, including outside and kept
bool is_of_sequence(std::string_view of);      // loss, accuracy, right: numbers of a translation
// Return the axes of such a number, [b], and its values. Throw InputError if the scene has none.
std::vector<Index> axes_of_sequence(const Scene& scene, std::string_view of);
std::vector<double> numbers_of_sequences(const Result& result, int variant, std::string_view of);
std::size_t entries_of(std::string_view of);  // in `at`: stage 4, row 3, sequence 1, test 0
bool has_columns(std::string_view of);        // a stage or decode: its addresses have a key
bool is_root_d(std::string_view of);          // root_d.variance, …
bool is_mask_test(std::string_view of);       // test.future, …: for a whole variant
bool is_truth(std::string_view of);           // allowed, empty, nan: Booleans, read as 1 and 0
bool is_share(std::string_view of);           // a share of 1: softmax, weights, sum, …
bool is_depends(std::string_view of);
// True if the scene has the stage depends, but the result does not hold it.
bool lacks_depends(const Result& result);

// --- existence, judged only by shapes: nothing is computed. `with` is ignored: pass the scene in
// which the address is read.

// Throws InputError at "/lane" if the scene has no such variant.
void check_variant(const Scene& scene, int variant);
// Throws InputError; its place is relative to the address: "/lane", "/of", "/at", "/at/2".
void check_address(const Scene& scene, const Address& address);
bool exists(const Scene& scene, const Address& address);

// Checks that each "all" in an operand has, at the same place of the fact's address, a quantifier
// of the same length, with which it is paired entry by entry; "any" is an error in an operand. Both
// addresses exist. Throws InputError at the operand's "/at/2".
void check_runs_along(const Scene& scene_of_operand, const Address& operand, const Scene& scene,
                      const Address& address);

// Returns the number of entries that the quantifier or sum at this place covers; 1 for an index.
Index count_of(const Scene& scene, const Address& address, std::size_t place);

// --- the number

// The entries to read: for each place of `at`, an index into its quantifier, from 0.
using Entries = std::array<Index, 4>;

// A reader of the numbers at one address, which must exist in result.scene; `result` must outlive
// the reader. For root_d it makes the draw for the scene's seed unless that draw is cached; for
// depends it computes the stage unless the result holds it.
class AddressReader {
public:
    AddressReader(const Result& result, const Address& address);
    double at(const Entries& entries) const;  // summed if the address says so

private:
    struct Span {
        Index first = 0;
        Index summed = 1;         // number of entries of a sum
        bool quantified = false;  // the given entry is added to `first`
    };
    double cell_of(int index, const Entries& place) const;
    double root_d_of(int variant) const;
    double test_of(int variant) const;

    const Result& result_;
    const Address& address_;
    std::optional<StageKind> stage_;                 // a stage, or:
    double (*figure_)(const RowFigures&) = nullptr;  // a row statistic, or:
    double (*of_reference_)(const ReferenceFigures&) = nullptr;
    std::vector<OutsideRows> outside_;       // outside, for one variant or two, or:
    double root_d_ = 0;                      // root_d or a test, already subtracted
    std::vector<Stage> depends_;             // by variant, if the result does not hold it
    std::vector<Stage> decode_;              // for one variant or two, or:
    std::vector<std::vector<double>> said_;  // [b] for one variant or two, or:
    std::array<Span, 4> spans_;              // by axis; a statistic has only three
};

}  // namespace maskscope
