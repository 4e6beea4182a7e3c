#include "core/lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "core/attention/mask.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/compute/backend.h"
#include "core/lesson/address.h"
#include "core/lesson/caption.h"
#include "core/scene/names.h"
#include "core/scene/scene.h"

namespace maskscope {

bool Address::operator==(const Address&) const = default;
bool Comparand::operator==(const Comparand&) const = default;
bool Fact::operator==(const Fact&) const = default;
bool Step::operator==(const Step&) const = default;
bool Lesson::operator==(const Lesson&) const = default;

namespace {

// --- reading the numbers

// The results in which a fact is evaluated: that of the scene, and one for each `with`.
class Readings {
public:
    // compares: true if scenes are compared, perhaps to the bit, so that one backend must compute
    // them all.
    Readings(const Result& shown, bool compares, Backend& backend, const SceneSources& sources,
             Progress* progress)
        : shown_(shown),
          recomputes_(compares && shown.backend != backend.name()),
          backend_(backend),
          sources_(sources),
          progress_(progress) {}

    void throw_if_cancelled() const {
        if (progress_ != nullptr && progress_->cancel) throw Cancellation{};
    }

    // Throws InputError if the `with` or the address does not exist.
    const Result& of(const Address& address) {
        const bool is_shown = address.with.empty() && !recomputes_;
        const Result& result = is_shown ? shown_ : with(address.with);
        check_address(result.scene, address);
        return result;
    }

private:
    const Result& with(const Fields& fields) {
        for (const auto& [known, result] : computed_)
            if (known == fields) return result;
        const Scene scene = with_fields(shown_.scene, fields, sources_);
        throw_if_cancelled();
        Progress own;
        computed_.emplace_back(fields,
                               backend_.compute(scene, {}, nullptr, progress_ ? *progress_ : own));
        return computed_.back().second;
    }

    const Result& shown_;
    bool recomputes_ = false;
    Backend& backend_;
    const SceneSources& sources_;
    Progress* progress_;
    std::deque<std::pair<Fields, Result>> computed_;  // a deque: references stay valid
};

// A number, or the number at an address.
class OperandReader {
public:
    OperandReader(const Operand& operand, const Fact& fact, Readings& readings) {
        if (const double* number = std::get_if<double>(&operand)) {
            number_ = *number;
            return;
        }
        const Address& address = std::get<Address>(operand);
        const Result& result = readings.of(address);
        check_runs_along(result.scene, address, readings.of(fact.address).scene, fact.address);
        reader_.emplace(result, address);
    }
    double at(const Entries& entries) const { return reader_ ? reader_->at(entries) : number_; }

private:
    double number_ = 0;
    std::optional<AddressReader> reader_;
};

// Returns `within`; by default the tolerance of the coarsest dtype among the variants that the fact
// reads.
double within_of(const Fact& fact, Readings& readings) {
    if (fact.within) return *fact.within;
    double within = tolerance_of(Dtype::float64);  // for root_d, and the smallest
    for (const Address* address : addresses_of(fact)) {
        if (is_root_d(address->of)) continue;
        const std::vector<Variant>& variants = readings.of(*address).scene.variants;
        for (const int variant : {address->variant, address->minus.value_or(address->variant)})
            within = std::max(within, tolerance_of(variants[variant].dtype));
    }
    return within;
}

// --- judging

// Returns a − b, 0 for equal infinities, NaN if either is NaN.
double gap(double a, double b) { return a == b ? 0 : a - b; }

// Returns how far the relation is from the opposite verdict, negative if it does not hold.
double signed_margin(Relation is, double value, double than, double within) {
    switch (is) {
        case Relation::less:
        case Relation::less_equal:
            return gap(than, value);
        case Relation::greater:
        case Relation::greater_equal:
            return gap(value, than);
        case Relation::equal:
            return 0 - std::abs(gap(value, than));  // unary minus would give −0
        case Relation::not_equal:
            return std::abs(gap(value, than));
        case Relation::near:
            return within - std::abs(gap(value, than));
        case Relation::nan:
            break;
    }
    return not_a_number;
}

// One entry, or the deciding entry of several.
struct Decision {
    bool holds = false;
    double value = 0, margin = 0;
    double compared =
        0;  // the number to compare with: `than` × `times`, and `plus` if that is an address
    Entries entries{};
};

// Orders entries by how well they hold; those that fail come first.
bool holds_less(const Decision& a, const Decision& b) {
    return a.holds != b.holds ? b.holds : a.margin < b.margin;
}

// Returns the axis that Verdict::Count counts; nullopt if nothing is counted.
std::optional<std::size_t> counted_axis(const std::vector<AddressEntry>& at) {
    constexpr std::size_t rows = 2;
    std::size_t axis = at.size() - 1;  // root d has no axis, so this wraps around
    if (at.size() > rows && at[rows].is_quantifier()) axis = rows;
    while (axis < at.size() && !at[axis].is_quantifier()) --axis;
    if (axis >= at.size()) return std::nullopt;
    const auto is_any = [](const AddressEntry& entry) {
        return entry.kind == AddressEntry::Kind::any;
    };
    if (std::any_of(at.begin(), at.begin() + std::ptrdiff_t(axis) + 1, is_any)) return std::nullopt;
    return axis;
}

class Judge {
public:
    Judge(const Fact& fact, Readings& readings)
        : fact_(fact),
          readings_(readings),
          scene_(readings.of(fact.address).scene),
          value_(readings.of(fact.address), fact.address),
          within_(within_of(fact, readings)) {
        if (const auto axis = counted_axis(fact.address.at)) count_ = Verdict::Count{*axis};
        if (!fact.than) return;
        than_.emplace(fact.than->value, fact, readings);
        if (fact.than->times) times_.emplace(*fact.than->times, fact, readings);
        if (fact.than->plus) plus_.emplace(*fact.than->plus, fact, readings);
    }

    // Quantifiers nest from the left, the first place outermost. "all" is decided by the entry that
    // holds least well, "any" by the entry that holds best.
    Decision decide(std::size_t place, Entries& entries) {
        const std::vector<AddressEntry>& at = fact_.address.at;
        if (place == at.size()) return decide_entry(entries);
        if (!at[place].is_quantifier()) return decide(place + 1, entries);
        const bool all = at[place].kind == AddressEntry::Kind::all;
        std::optional<Decision> decisive;
        const Index count = count_of(scene_, fact_.address, place);
        for (entries[place] = 0; entries[place] < count; ++entries[place]) {
            readings_.throw_if_cancelled();
            const Decision next = decide(place + 1, entries);
            if (count_ && count_->axis == place) ++count_->of, count_->held += next.holds;
            if (!decisive || (all ? holds_less(next, *decisive) : holds_less(*decisive, next)))
                decisive = next;
        }
        return *decisive;
    }

    const std::optional<Verdict::Count>& count() const { return count_; }  // valid once decided

private:
    Decision decide_entry(const Entries& entries) const {
        const double value = value_.at(entries);
        double compared = than_ ? than_->at(entries) : 0;
        if (times_) compared *= times_->at(entries);
        const double plus = plus_ ? plus_->at(entries) : 0;
        const double than = compared + plus;
        if (plus_ && std::holds_alternative<Address>(*fact_.than->plus)) compared = than;
        Decision entry{satisfies(value, fact_.is, than, within_), value, 0, compared, entries};
        entry.margin = signed_margin(fact_.is, value, than, within_);
        if (std::isnan(entry.margin)) entry.margin = entry.holds ? infinity : -infinity;
        return entry;
    }

    const Fact& fact_;
    const Readings& readings_;
    const Scene& scene_;
    AddressReader value_;
    double within_;
    std::optional<OperandReader> than_, times_, plus_;
    std::optional<Verdict::Count> count_;
};

using Is = bool (*)(std::string_view of);

bool reads(const Fact& fact, Is is) {
    return std::ranges::any_of(addresses_of(fact), is, &Address::of);
}

bool reads(const Step& step, Is is) {
    std::vector<std::string> texts = {step.caption, step.ask, step.try_this};
    texts.push_back(step.notes);
    texts.insert(texts.end(), step.answers.begin(), step.answers.end());
    for (const std::vector<std::string>& row : step.table)
        texts.insert(texts.end(), row.begin(), row.end());
    for (const Fact& fact : step.facts) {
        if (reads(fact, is)) return true;
        texts.push_back(fact.says);
    }
    if (step.try_shows && reads(*step.try_shows, is)) return true;
    return std::ranges::any_of(texts, [is](const std::string& text) {
        return std::ranges::any_of(addresses_in(text), is, &Address::of);
    });
}

// --- the fact

std::string with_text(const Fields& with) {
    std::string text;
    for (const auto& [pointer, value] : with)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", pointer, value);
    return text.empty() ? "" : fmt::format(" (with {})", text);
}

std::string operand_text(const Operand& operand) {
    if (const double* number = std::get_if<double>(&operand)) return shortest(*number);
    const Address& address = std::get<Address>(operand);
    return address_text(address) + with_text(address.with);
}

}  // namespace

bool satisfies(double value, Relation is, double than, double within) {
    switch (is) {
        case Relation::less:
            return value < than;
        case Relation::less_equal:
            return value <= than;
        case Relation::equal:
            return value == than;
        case Relation::not_equal:
            return value != than;
        case Relation::greater_equal:
            return value >= than;
        case Relation::greater:
            return value > than;
        case Relation::near:
            return std::abs(gap(value, than)) <= within;
        case Relation::nan:
            return std::isnan(value);
    }
    return false;
}

std::vector<const Address*> addresses_of(const Fact& fact) {
    std::vector<const Address*> addresses = {&fact.address};
    const auto add = [&](const Operand& operand) {
        if (const auto* address = std::get_if<Address>(&operand)) addresses.push_back(address);
    };
    if (!fact.than) return addresses;
    add(fact.than->value);
    if (fact.than->times) add(*fact.than->times);
    if (fact.than->plus) add(*fact.than->plus);
    return addresses;
}

Verdict judge(const Fact& fact, const Result& result, Backend& backend, const SceneSources& sources,
              Progress* progress) {
    const bool compares = std::ranges::any_of(
        addresses_of(fact), [](const Address* address) { return !address->with.empty(); });
    Readings readings(result, compares, backend, sources, progress);
    try {
        Entries entries{};
        Judge judge(fact, readings);
        const Decision decision = judge.decide(0, entries);
        Verdict verdict{decision.holds, decision.value, true, decision.margin};
        verdict.count = judge.count();
        if (fact.than && std::holds_alternative<Address>(fact.than->value))
            verdict.gap = gap(decision.value, decision.compared);
        for (std::size_t k = 0; k < fact.address.at.size(); ++k) {
            const AddressEntry& at = fact.address.at[k];
            if (!at.is_quantifier()) continue;
            verdict.place[k] = (at.range ? at.range->first : 0) + decision.entries[k];
        }
        return verdict;
    } catch (const InputError&) {  // an address no longer exists
        return {false, not_a_number, false, -infinity};
    }
}

bool can_fail(const Fact& fact, const Scene& scene, Backend& backend, const SceneSources& sources,
              Progress* progress) {
    const Scene broken = with_fields(scene, fact.fails_with, sources);
    Progress own;
    const Result result = backend.compute(broken, {}, nullptr, progress ? *progress : own);
    return !judge(fact, result, backend, sources, progress).holds;
}

TryVerdict judge_try(const Step& step, const Result& result, Backend& backend,
                     const SceneSources& sources, Progress* progress) {
    const Fact& fact = *step.try_shows;
    const Scene tried = with_fields(step.scene, step.try_sets, sources);
    Progress own;
    const Result after = backend.compute(tried, {}, nullptr, progress ? *progress : own);
    return {judge(fact, after, backend, sources, progress),
            judge(fact, result, backend, sources, progress).holds, claim(fact, after)};
}

std::size_t count_of_with(const Fact& fact) {
    std::set<Fields> fields;
    for (const Address* address : addresses_of(fact))
        if (!address->with.empty()) fields.insert(address->with);
    return fields.size();
}

bool reads_root_d(const Fact& fact) { return reads(fact, is_root_d); }
bool reads_root_d(const Step& step) { return reads(step, is_root_d); }
bool reads_depends(const Fact& fact) { return reads(fact, is_depends); }
bool reads_depends(const Step& step) { return reads(step, is_depends); }

std::string claim(const Fact& fact) {
    if (!fact.says.empty()) return fact.says;
    std::string text =
        fmt::format("{} {}", operand_text(fact.address), relation_names[static_cast<int>(fact.is)]);
    if (!fact.than) return text;
    text += " " + operand_text(fact.than->value);
    if (fact.than->times) text += " × " + operand_text(*fact.than->times);
    if (fact.than->plus) text += " + " + operand_text(*fact.than->plus);
    if (fact.within) text += " within " + shortest(*fact.within);
    return text;
}

std::string claim(const Fact& fact, const Result& result, bool draws) {
    try {
        if (!fact.says.empty())
            return fill_caption(fact.says, result, result.scene, draws).value_or(fact.says);
    } catch (const InputError&) {  // the text is still being typed
    }
    return claim(fact);
}

Scene scene_after_try(const Step& step, const SceneSources& sources) {
    Scene scene = with_fields(step.scene, step.try_sets, sources);
    for (std::size_t k = 0; k < std::min(scene.variants.size(), step.scene.variants.size()); ++k)
        if (const Variant& before = step.scene.variants[k]; before.name == label(before.mask.apply))
            scene.variants[k].name = label(scene.variants[k].mask.apply);
    return scene;
}

Scene scene_to_begin(const Step& step) {
    Scene scene = step.scene;
    if (step.exercise && step.exercise->variant < std::ssize(scene.variants))
        std::erase_if(scene.variants[step.exercise->variant].mask.layers,
                      [](const MaskLayer& layer) { return !is_bias(layer); });
    return scene;
}

std::optional<ExerciseProgress> differing_cells(const Step& step, const Scene& scene) {
    const Shape shape = shape_of(scene);
    if (!step.exercise || shape != shape_of(step.scene)) return std::nullopt;
    const int variant = step.exercise->variant;
    if (variant >= std::min(std::ssize(scene.variants), std::ssize(step.scene.variants)))
        return std::nullopt;
    ExerciseProgress differing{0, shape.b * shape.h * shape.n_q * shape.n_k};
    const auto allowed = [&](const Scene& of, Index b, Index h) {
        return allowed_cells(of, of.variants[variant].mask.layers, b, h);
    };
    for (Index b = 0; b < shape.b; ++b)
        for (Index h = 0; h < shape.h; ++h)
            differing.cells += (allowed(scene, b, h) != allowed(step.scene, b, h)).count();
    return differing;
}

}  // namespace maskscope
