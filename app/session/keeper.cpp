#include "app/session/keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "app/session/document.h"
#include "app/session/files/state_files.h"
#include "app/session/session.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/files/file.h"
#include "core/tensors/tensor_list.h"

namespace maskscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "unsaved-", ending = ".json";

bool is_unsaved(const std::string& name) {
    return name.starts_with(prefix) && name.ends_with(ending);
}

// Returns the file of large arrays beside this one, if this one names it.
std::optional<fs::path> numbers_of(const fs::path& file) try {
    const Json json = parse_json(read_file(file));
    const std::string name = json.at("numbers").get<std::string>();
    if (!name.starts_with(prefix) || name.find('/') != name.npos) return std::nullopt;
    return file.parent_path() / name;
} catch (const std::exception&) {  // it does not exist, or cannot be read
    return std::nullopt;
}

bool same_arrays(const std::vector<Array>& x, const std::vector<Array>& y) {
    return std::ranges::equal(x, y, [](const Array& a, const Array& b) {
        return a.axes == b.axes && &*a.values == &*b.values;
    });
}

void remove_with_numbers(const fs::path& file) {
    std::error_code error;
    const auto numbers = numbers_of(file);
    // Remove this file first, because it must never name numbers that no longer exist. If another
    // run has just adopted the file, it cannot be removed, so keep its numbers.
    if (fs::remove(file, error) && numbers) fs::remove(*numbers, error);
}

fs::path lock_of(fs::path file) { return file.replace_extension(".lock"); }

// True if no running program holds the file. Process ids are reused, in a container almost at once,
// so only the lock is reliable.
bool is_free(const fs::path& file) {
    const Descriptor lock(
        ::open(lock_of(file).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!lock.is_open()) return errno == ENOENT;
    return ::flock(lock.number(), LOCK_SH | LOCK_NB) == 0;
}

}  // namespace

Keeper::~Keeper() {
    if (worker_.active()) wait();
}

// --- when

void Keeper::something_happened(Clock::time_point now) {
    if (!first_) first_ = now;
    last_ = now;
}

std::optional<double> Keeper::seconds_until_due(Clock::time_point now) const {
    using namespace std::chrono_literals;
    constexpr double until_kept = 0.05;
    if (worker_.active()) return until_kept;
    if (!first_) return std::nullopt;
    const Clock::time_point due = std::min(*last_ + 1s, *first_ + 4s);
    return std::max(0.0, std::chrono::duration<double>(due - now).count());
}

bool Keeper::keep_if_due(Session& session, Clock::time_point now) {
    told_ = false;
    if (worker_.finished()) worker_.join();
    const bool tells = told_;
    const bool is_needless = !worker_.active() && kept_ && session.document().is_saved();
    if (!is_needless && seconds_until_due(now).value_or(1) > 0) return tells;
    first_.reset();
    if (folder_.empty()) return tells;
    worker_.start(
        [this, work = session.document().unsaved(session.view().show)](Progress&) -> std::string {
            try {
                keep(work);
                return "";
            } catch (const std::exception& error) {
                return error.what();
            }
        },
        [this, &session](const std::string& error) {
            told_ = !error.empty() && (!failed_ || !session.message());
            failed_ = !error.empty();
            if (told_) session.say("Could not save the recovery file: " + error, true);
        },
        {});
    return tells;
}

void Keeper::keep_now(Session& session) {
    wait();
    first_.reset();
    if (!folder_.empty()) keep(session.document().unsaved(session.view().show));
}

void Keeper::wait() {
    if (worker_.active()) worker_.join();
}

void Keeper::end() {
    wait();
    std::error_code gone;
    if (!lock_.is_open()) return;
    remove_with_numbers(file_);
    fs::remove(lock_of(file_), gone);
}

// --- where

// Returns the path of this run's file. Its lock is taken before the file exists, so that no other
// run mistakes it for one that was left behind.
const fs::path& Keeper::own_file() {
    std::error_code exists;
    if (lock_.is_open() && fs::exists(lock_of(file_), exists)) return file_;
    fs::create_directories(folder_, exists);
    std::random_device random;
    for (;;) {
        file_ = folder_ / fmt::format("{}{:08x}{:08x}{}", prefix, random(), random(), ending);
        Descriptor lock(::open(lock_of(file_).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
        if (!lock.is_open() ||
            (::flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK))
            throw WorkError(std::generic_category().message(errno));
        if (!lock_new(lock, lock_of(file_))) continue;  // tidy() has removed it
        lock_ = std::move(lock);
        return file_;
    }
}

void Keeper::keep(const std::optional<UnsavedWork>& work) {
    if (!work) {
        if (lock_.is_open()) remove_with_numbers(file_);
        if (!arrays_.empty()) numbers_before_.push_back(numbers_);
        for (const fs::path& old : std::exchange(numbers_before_, {}))
            if (std::error_code gone; !old.empty()) fs::remove(old, gone);
        kept_.reset();
        arrays_.clear();
        return;
    }
    keep_numbers(numbers_apart(*work));
    if (!kept_)
        if (auto before = numbers_of(own_file())) numbers_before_.push_back(std::move(*before));
    std::string bytes = unsaved_bytes(*work, arrays_.empty() ? "" : numbers_.filename().string());
    if (std::error_code gone; bytes == kept_ && fs::exists(file_, gone)) return;
    replace_file(own_file(), bytes, {.readers = Readers::owner});
    kept_ = std::move(bytes);
    for (const fs::path& old : numbers_before_)
        if (std::error_code gone; arrays_.empty() || old != numbers_) fs::remove(old, gone);
    numbers_before_.clear();
}

// Writes large arrays when they change: into a new file, because the last one must stay valid
// meanwhile.
void Keeper::keep_numbers(std::vector<Array> arrays) {
    std::error_code gone;
    if (same_arrays(arrays, arrays_) && (arrays.empty() || fs::exists(numbers_, gone))) return;
    fs::path next;
    if (!arrays.empty()) {
        std::vector<std::pair<std::string, Array>> named;
        for (const Array& array : arrays) named.emplace_back(std::to_string(named.size()), array);
        next = folder_ / fmt::format("{}.{}.safetensors", own_file().stem().string(), ++written_);
        replace_file(next, safetensors_bytes(named), {.readers = Readers::owner});
    }
    if (!arrays_.empty()) numbers_before_.push_back(numbers_);
    numbers_ = std::move(next);
    arrays_ = std::move(arrays);
}

// --- what other runs have left

std::vector<fs::path> Keeper::left_behind(const fs::path& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code error;
    if (folder.empty()) return {};
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code gone;
        if (is_unsaved(at->path().filename().string()) && at->is_regular_file(gone) &&
            is_free(at->path()))
            found.emplace_back(fs::last_write_time(at->path(), gone), at->path());
    }
    std::ranges::sort(found, std::greater<>());
    std::vector<fs::path> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    return paths;
}

std::optional<std::set<std::string>> Keeper::needed_by_work(const fs::path& folder) try {
    std::set<std::string> names;
    if (folder.empty()) return names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (!is_unsaved(entry.path().filename().string()) || !entry.is_regular_file()) continue;
        const Json json = parse_json(read_file(entry.path()));
        names.insert(fs::path(json.at("folder").get<std::string>()).filename().string());
        names.insert(json.value("numbers", ""));
    }
    return names;
} catch (const std::exception&) {
    return std::nullopt;
}

void Keeper::tidy(const fs::path& folder) {
    // Keep adopt() out, because it renames the files that needed_by_work() reads.
    const Descriptor alone = take_lock(folder / ".");  // the folder, which may be a link
    if (!alone.is_open()) return;
    std::vector<fs::path> numbers, locks;
    std::error_code error, gone;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const fs::path& path = at->path();
        if (!path.filename().string().starts_with(prefix)) continue;
        if (path.extension() == ".lock") locks.push_back(path);
        if (path.extension() == ".safetensors" && is_free(folder / path.stem()))
            numbers.push_back(path);
    }
    // Delete only files of runs that have ended: no later run uses their names.
    if (const auto needed = needed_by_work(folder))
        for (const fs::path& path : numbers)
            if (!needed->contains(path.filename().string())) fs::remove(path, gone);
    for (const fs::path& path : locks) {
        if (fs::exists(fs::path(path).replace_extension(ending), gone)) continue;
        if (const Descriptor lock = take_lock(path); lock.is_open()) fs::remove(path, gone);
    }
}

std::string Keeper::title_of(const fs::path& left_behind) {
    try {
        const Json json = parse_json(read_file(left_behind));
        for (const char* part : {"lesson", "scene"}) {
            if (!json.contains(part)) continue;
            const std::string title =
                parse_json(json.at(part).get<std::string>()).value("title", std::string());
            if (!title.empty()) return title;
        }
        if (const Json& path = json.at("path"); path.is_string())
            return fs::path(path.get<std::string>()).filename().string();
    } catch (const Error&) {            // opening it will report this
    } catch (const Json::exception&) {  // opening it will report this
    }
    return "";
}

void Keeper::discard(const fs::path& left_behind) {
    std::error_code gone;
    if (!is_free(left_behind)) return;
    remove_with_numbers(left_behind);
    fs::remove(lock_of(left_behind), gone);
}

bool Keeper::adopt(const fs::path& left_behind) try {
    wait();
    std::error_code error, gone;
    kept_.reset();
    change_state(folder_, [&] { fs::rename(left_behind, own_file(), error); });
    fs::remove(lock_of(left_behind), gone);
    return !error;
} catch (const WorkError&) {
    return false;
}

}  // namespace maskscope
