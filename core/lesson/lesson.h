#pragma once
// A lesson: steps with a scene each, captions that compute their numbers, and facts that can fail.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/progress.h"
#include "core/format/scene_json.h"

namespace maskscope {

class Backend;
struct Result;

// One entry of an address's "at".
struct At {
    enum class Kind { index, all, any, sum };
    Kind kind = Kind::index;
    Index index = 0;  // where kind is index
    std::optional<std::pair<Index, Index>>
        range;  // of a quantifier, ends included; absent = the whole axis
    bool operator==(const At&) const = default;
};

// A number of the scene: B.sum[0,0,2]
struct Address {
    int lane = 0;
    std::optional<int> minus;  // "A-B": the difference
    std::string of;            // a stage, a per-row figure, outside, or root_d.variance, …
    std::vector<At> at;        // an entry for each axis; empty for root_d
    std::optional<Index> d;    // root_d
    Fields with;               // read in the scene with these fields set
    bool operator==(const Address&) const;
};

using Operand = std::variant<double, Address>;

struct Than {
    Operand value = 0.0;
    std::optional<Operand> times, plus;  // value × times + plus
    bool operator==(const Than&) const;
};

enum class Relation { less, less_equal, equal, not_equal, greater_equal, greater, near, nan };

struct Fact {
    Address address;
    Relation is = Relation::equal;
    std::optional<Than> than;      // absent with nan
    std::optional<double> within;  // near
    std::string says;              // "" = the fact in the caption's notation
    Fields fails_with;             // with these set the fact must not hold
    bool operator==(const Fact&) const;
};

// Its own address, then those that it is compared with.
std::vector<const Address*> addresses_of(const Fact& fact);

struct Step {
    std::string title, caption;
    std::string ask, try_this;  // "" = none; "try" in the file
    bool star = false;
    Scene scene;
    std::vector<Fact> facts;  // at least one
    bool operator==(const Step&) const;
};

struct Lesson {
    std::string name, title;
    std::vector<Step> steps;  // at least one
    bool operator==(const Lesson&) const;
};

// Strict, as read_scene. Every address, pointer, caption and fails_with is judged too, which
// computes scenes where an address can only be judged so.
Lesson read_lesson(std::string_view json, const std::filesystem::path& folder);
// A lesson that is being written: steps may lack facts, and nothing is judged.
Lesson read_draft(std::string_view json, const std::filesystem::path& folder);
std::string write_lesson(const Lesson& lesson);
bool is_lesson(std::string_view json);  // does the text look like a lesson rather than a scene?

// --- facts and captions of an edited scene

struct Verdict {
    bool holds = false;
    double value = 0;    // of a quantified fact the entry that decides it most narrowly
    bool exists = true;  // false: an address is gone after an edit; then the fact does not hold
    // How far that entry is from the other verdict: positive or 0 where it holds (its distance from
    // `than`, or what `within` leaves), negative or 0 where it does not; infinite for NaN.
    double margin = 0;
};

// result must hold all stages of scene; scenes of `with` are computed with backend. Throws
// Cancelled where progress, which may be null, says so.
Verdict judge(const Fact& fact, const Result& result, Backend& backend,
              const std::filesystem::path& folder, Progress* progress = nullptr);
// How many scenes must be computed to judge the fact: one for each `with`.
std::size_t count_of_with(const Fact& fact);
// Does the fact fail with its fails_with, as it must?
bool can_fail(const Fact& fact, const Scene& scene, Backend& backend,
              const std::filesystem::path& folder, Progress* progress = nullptr);
std::string claim(const Fact& fact);  // its words, or B.sum[0,0,2] < 1

// The caption with its numbers filled in; an address that is gone, or that there is no memory for,
// is shown as "—". draws: where not, a number of root d whose draw is not the kept one is "…".
std::string fill_caption(const std::string& caption, const Result& result, bool draws = true);

// Does it read root d, whose draw takes some tenths of a second?
bool reads_root_d(const Fact& fact);
bool reads_root_d(const Step& step);  // a fact of it, or the caption

}  // namespace maskscope
