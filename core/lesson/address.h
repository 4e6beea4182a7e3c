#pragma once
// The address of a number in a scene, B.sum[0,0,2]: how it is written, whether it exists, and what
// stands there.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/plane.h"
#include "core/lesson/lesson.h"

namespace maskscope {

// --- notation

// One entry of `at`: "2", "all", "any 0-4", "sum 3-5". Nothing where it is none of these.
std::optional<At> parse_at(std::string_view text);
std::string at_text(const At& at);

// "B.sum[0,0,2]", "A-B.weights[0,0,2,sum 3-5]", "A.root_d.variance[64]". An address as it is
// written has no `with`. Throws InputError (empty place).
Address parse_address(std::string_view text);
std::string address_text(const Address& address);  // `with` is left out

bool is_figure(std::string_view of);  // a per-row figure, outside included
bool is_root_d(std::string_view of);  // root_d.variance, …
bool is_truth(std::string_view of);   // allowed, empty, nan: true and false, read as 1 and 0
bool is_share(std::string_view of);   // a part of the weight 1: softmax, weights, sum, …

// --- existence, by shapes alone: nothing is computed. `with` is not looked at: hand over the scene
// in which the address is read.

// Throws InputError; its place is relative to the address: "/lane", "/of", "/at", "/at/2".
void check_address(const Scene& scene, const Address& address);
bool exists(const Scene& scene, const Address& address);

// An "all" in an operand runs along, k-th with k-th, with a quantifier of the fact's address at the
// same place with as many entries; "any" has no meaning there. Both addresses exist. Throws
// InputError at the operand's "/at/2".
void check_runs_along(const Scene& scene_of_operand, const Address& operand, const Scene& scene,
                      const Address& address);

// How many entries the quantifier or sum at this place of the address runs over; 1 for an index.
Index count_of(const Scene& scene, const Address& address, std::size_t place);

// --- the number

// For each place of `at`, which entry of the quantifier there is meant, from 0.
using Entries = std::array<Index, 4>;

// Reads the numbers of one address. It must exist in result.scene, and result must outlive this.
// root_d: draws, where the draw of the scene's seed is not the one that is kept.
class AddressReader {
public:
    AddressReader(const Result& result, const Address& address);
    double at(const Entries& entries) const;  // sums are taken

private:
    struct Span {
        Index first = 0;
        Index summed = 1;      // of a sum: how many entries
        bool follows = false;  // a quantifier: the entry is added to first
    };
    double cell(const Entries& place) const;
    double cell_of(int lane, const Entries& place) const;
    double root_d_of(int lane) const;
    const OutsideRows& outside_of(int lane) const {
        return outside_[lane == address_.lane ? 0 : 1];
    }

    const Result& result_;
    const Address& address_;
    std::optional<StageKind> stage_;                 // a stage, or:
    double (*figure_)(const RowFigures&) = nullptr;  // a per-row figure, or:
    std::vector<OutsideRows> outside_;               // outside, of one lane or two, or:
    double root_d_ = 0;                              // root_d, the difference taken
    std::array<Span, 4> spans_;  // by axis; a figure has three, the fourth then stays {0, 1}
};

}  // namespace maskscope
