#pragma once
// Keeps unsaved work in one file for each run of the program, so that a crash loses nothing. The
// file is removed on a normal exit; a file whose lock no process holds was left behind by a crash.

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/files/descriptor.h"
#include "core/scene/scene.h"
#include "core/threads/background_work.h"

namespace maskscope {

class Session;
struct UnsavedWork;

// Writes unsaved work after a second without events, and at the latest after four seconds.
class Keeper {
public:
    using Clock = std::chrono::steady_clock;
    Keeper() = default;  // keeps nothing
    ~Keeper();           // leaves the file
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    // Sets the folder, which is created when there is something to keep.
    void keep_in(std::filesystem::path folder) { folder_ = std::move(folder); }
    void something_happened(Clock::time_point now);
    // Returns nullopt if everything is kept.
    std::optional<double> seconds_until_due(Clock::time_point now) const;
    // Saves on a worker thread. Reports an error once, and again only if the message changes.
    // Returns whether there is something to report.
    bool keep_if_due(Session& session, Clock::time_point now);
    void keep_now(Session& session);  // in this thread; throws Error
    void wait();                      // until the write under way is done
    void end();                       // on a normal exit

    // Files that other runs have left behind, the newest first.
    static std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);
    // Returns the title of such a file's lesson or scene, else the name of the file it belongs to;
    // may be "".
    static std::string title_of(const std::filesystem::path& left_behind);
    // Removes locks and numbers that no unsaved work needs, and no living run holds.
    static void tidy(const std::filesystem::path& folder);
    // Returns the names of the files and folders whose numbers unsaved work needs, of any run;
    // nullopt: some of it cannot be read.
    static std::optional<std::set<std::string>> needed_by_work(const std::filesystem::path& folder);
    static void discard(const std::filesystem::path& left_behind);
    // Takes over a file that was left behind. Returns false if it no longer exists, or must stay
    // because this run cannot have a file of its own.
    bool adopt(const std::filesystem::path& left_behind);

private:
    void keep(const std::optional<UnsavedWork>& work);
    void keep_numbers(std::vector<Array> arrays);
    const std::filesystem::path& own_file();

    std::filesystem::path folder_, file_;
    Descriptor lock_;                  // on file_, from its first use on
    std::optional<std::string> kept_;  // in file_
    std::vector<Array> arrays_;        // in numbers_, whose name file_ holds
    std::filesystem::path numbers_;
    std::vector<std::filesystem::path> numbers_before_;  // deleted when file_ no longer names one
    int written_ = 0;                                    // files of numbers
    std::optional<Clock::time_point> first_, last_;      // events since the work was last kept
    bool failed_ = false;
    bool told_ = false;
    BackgroundWork worker_;  // after what it uses
};

}  // namespace maskscope
