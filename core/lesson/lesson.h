#pragma once
// A lesson: steps with a scene each, captions that compute their numbers, and facts that can fail.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/progress.h"
#include "core/format/scene_json.h"
#include "core/scene/cover.h"

namespace maskscope {

class Backend;
struct Result;

// One entry of an address's "at".
struct AddressEntry {
    enum class Kind { index, all, any, sum };
    Kind kind = Kind::index;
    Index index = 0;  // only for Kind::index
    // The range of a quantifier or sum, both ends included; nullopt = the whole axis.
    std::optional<std::pair<Index, Index>> range;
    bool is_quantifier() const { return kind == Kind::all || kind == Kind::any; }
    bool operator==(const AddressEntry&) const = default;
};

// A number of the scene: B.sum[0,0,2]
struct Address {
    int variant = 0;
    std::optional<int> minus;  // "A-B": the difference
    std::string of;            // a stage, a row statistic, loss, root_d.variance, test.future, …
    std::vector<AddressEntry> at;  // an entry for each axis; empty for root_d and tests
    std::optional<Index> d;        // root_d
    Fields with;                   // the address is read in the scene with these fields set
    bool operator==(const Address&) const;
};

using Operand = std::variant<double, Address>;

struct Comparand {
    Operand value = 0.0;
    std::optional<Operand> times, plus;  // value × times + plus
    bool operator==(const Comparand&) const;
};

enum class Relation { less, less_equal, equal, not_equal, greater_equal, greater, near, nan };
inline constexpr std::string_view relation_names[] = {
    "<", "<=", "==", "!=", ">=", ">", "near", "nan"};

struct Fact {
    Address address;
    Relation is = Relation::equal;
    std::optional<Comparand> than;  // nullopt for nan
    std::optional<double> within;   // for near
    std::string says;               // "" = the fact in the notation of captions
    Fields fails_with;              // the fact must not hold with these fields set
    bool operator==(const Fact&) const;
};

// Returns the fact's own address, then the addresses it is compared with.
std::vector<const Address*> addresses_of(const Fact& fact);

// A variant that begins without its mask, which the learner then paints or types. The step's scene
// has the mask.
struct Exercise {
    int variant = 0;
    bool operator==(const Exercise&) const = default;
};

// The part of a Transformer block that a step is about.
enum class BlockPlace { encoder, decoder, cross, head };
inline constexpr std::string_view block_place_names[] = {"encoder", "decoder", "cross", "head"};

// Rows of cells, all of the same length; the first row is the header.
using StepTable = std::vector<std::vector<std::string>>;

struct Step {
    std::string title, caption;
    std::string ask, try_this, source;  // "" = none; try_this is "try" in the file
    std::string notes;                  // words for the lecturer, never on the slide; "" = none
    StepTable table;                    // beside the picture; empty = none
    std::vector<std::string> answers;   // answers to `ask`, the first as it is shown; empty = none
                                        // given
    std::optional<Cover>
        covers;  // covered while the step asks; nullopt = everything after the fork
    std::optional<Exercise> exercise;
    std::optional<BlockPlace> place;  // the part of a small map that is highlighted; nullopt = no
                                      // map
    Fields try_sets;                  // the changes that the Try asks for; empty = not given
    std::optional<Fact> try_shows;  // holds after the Try, but not before; its fails_with is empty
    bool star = false;
    Scene scene;
    std::vector<Fact> facts;  // at least one
    bool operator==(const Step&) const;
};

struct Lesson {
    std::string name, title;
    std::vector<Step> steps;  // at least one
    std::string about{};      // a line for the list of lessons; "" = none
    bool operator==(const Lesson&) const;
};

// Reads a lesson as strictly as read_scene, and also checks every address, pointer, caption and set
// of fields (see check_lesson). Throws InputError, WorkError.
Lesson read_lesson(std::string_view json, const SceneSources& sources);
// Reads an unfinished lesson: steps may lack facts, and check_lesson is not run.
Lesson read_draft(std::string_view json, const SceneSources& sources);
std::string write_lesson(const Lesson& lesson);
bool is_lesson(std::string_view json);  // true if the text looks like a lesson, not a scene

// Returns the scene to which the step's Try leads. A variant that is named after the way its mask
// is applied is named after the new way. Throws as with_fields() does.
Scene scene_after_try(const Step& step, const SceneSources& sources);

// --- exercises

// Returns the scene that a step begins with: its own, but an exercise removes the mask rules of its
// variant, except biases.
Scene scene_to_begin(const Step& step);

// The number of cells in which a scene differs from an exercise's mask, out of the cells of all
// heads and sequences.
struct ExerciseProgress {
    Index cells = 0, of = 0;
};
// Counts these cells; nullopt if the step is not an exercise, or the scene has other sizes or no
// longer has this variant.
std::optional<ExerciseProgress> differing_cells(const Step& step, const Scene& scene);

// --- facts and captions of an edited scene

struct Verdict {
    bool holds = false;
    double value = 0;    // for a quantified fact, the value of the deciding entry
    bool exists = true;  // false: an edit removed an address; the fact does not hold
    // The distance of that entry from the opposite verdict (its distance from `than`, or the slack
    // that `within` leaves): >= 0 if the fact holds, <= 0 if not; infinite for NaN.
    double margin = 0;
    // The amount by which that entry exceeds another address, without `plus` if that is a number;
    // nullopt if the fact compares with no address.
    std::optional<double> gap{};
    std::array<Index, 4> place{};  // the entry's index on each axis that is quantified, else 0
    // The number of entries for which a fact over all entries of an axis holds. The axis is that of
    // the rows if the fact is over rows, else the last one with a quantifier. Rows of several heads
    // or sequences are counted together.
    struct Count {
        std::size_t axis = 0;
        Index held = 0, of = 0;
    };
    std::optional<Count> count{};
};

// Judges a fact. `result` must hold all stages; scenes that an address needs (`with`) are computed
// by `backend`. `progress` may be null. Throws Cancellation.
Verdict judge(const Fact& fact, const Result& result, Backend& backend, const SceneSources& sources,
              Progress* progress = nullptr);
// Returns how many scenes judging the fact computes: one for each distinct `with`.
std::size_t count_of_with(const Fact& fact);
// True if the fact fails with its fails_with, as it must.
bool can_fail(const Fact& fact, const Scene& scene, Backend& backend, const SceneSources& sources,
              Progress* progress = nullptr);
// Returns `says` filled in for the result, or the fact in the notation: B.sum[0,0,2] < 1. If
// something that `says` names no longer exists, `says` stays as it was written. draws: as in
// fill_caption().
std::string claim(const Fact& fact, const Result& result, bool draws = true);
std::string claim(const Fact& fact);  // `says` as written, or the notation

// The result of checking a Try.
struct TryVerdict {
    Verdict verdict;            // for try_shows, with try_sets applied
    bool holds_before = false;  // true if try_shows already holds in the step's own scene, which is
                                // an error
    std::string claim;          // the words of try_shows, for the scene after the Try
    bool is_sound() const { return verdict.holds && !holds_before; }
};
// Judges try_shows, which the step must have. `result` is that of the step's own scene. `progress`
// may be null. Throws Cancellation.
TryVerdict judge_try(const Step& step, const Result& result, Backend& backend,
                     const SceneSources& sources, Progress* progress = nullptr);

// True if `value` has this relation to `than`; within: for near. NaN satisfies only nan and !=.
bool satisfies(double value, Relation is, double than, double within = 0);

// True if the fact reads root_d, whose draw takes a few tenths of a second.
bool reads_root_d(const Fact& fact);
bool reads_root_d(const Step& step);  // true if its facts or words do
// True if the fact reads depends, which takes as long as computing the scene once for each of its
// tokens.
bool reads_depends(const Fact& fact);
bool reads_depends(const Step& step);

}  // namespace maskscope
