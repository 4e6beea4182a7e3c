#pragma once
// Keeps unsaved work in one file for each run of the program, so that a crash loses nothing. A
// normal exit removes the file. If no process holds the file's lock, a crash has left it behind.

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

// Writes unsaved work after a second without events, and at the latest four seconds after the first
// event.
class Keeper {
public:
    using Clock = std::chrono::steady_clock;
    Keeper() = default;  // keeps nothing before keep_in()
    ~Keeper();           // leaves the file where it is
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    // Sets the folder, which is created when there is something to keep.
    void keep_in(std::filesystem::path folder) { folder_ = std::move(folder); }
    void something_happened(Clock::time_point now);
    // Returns the seconds after which keep_if_due() must be called; nullopt if it has nothing to
    // do.
    std::optional<double> seconds_until_due(Clock::time_point now) const;
    // Saves on a worker thread. If that fails, the error becomes the message; if it fails
    // repeatedly, only when no other message is shown. Returns whether there is such a new message.
    bool keep_if_due(Session& session, Clock::time_point now);
    void keep_now(Session& session);  // keeps it in this thread; throws Error
    void wait();                      // until the current write is done
    void end();                       // call on a normal exit

    // Returns the files that other runs have left behind, newest first.
    static std::vector<std::filesystem::path> left_behind(const std::filesystem::path& folder);
    // Returns the title of the lesson or scene in such a file; if it has none, the name of the file
    // that the work belongs to, or "".
    static std::string title_of(const std::filesystem::path& left_behind);
    // Removes locks and numbers that neither unsaved work nor a running program needs.
    static void tidy(const std::filesystem::path& folder);
    // Returns the names of the files and folders with numbers that unsaved work of any run needs;
    // nullopt if some of that work cannot be read.
    static std::optional<std::set<std::string>> needed_by_work(const std::filesystem::path& folder);
    static void discard(const std::filesystem::path& left_behind);
    // Takes over a file that was left behind. Returns false if the file no longer exists, or must
    // stay because this run cannot create its own file.
    bool adopt(const std::filesystem::path& left_behind);

private:
    void keep(const std::optional<UnsavedWork>& work);
    void keep_numbers(std::vector<Array> arrays);
    const std::filesystem::path& own_file();

    std::filesystem::path folder_, file_;
    Descriptor lock_;                  // the lock of file_, from its first use on
    std::optional<std::string> kept_;  // the bytes in file_
    std::vector<Array> arrays_;        // the arrays in numbers_, which file_ names
    std::filesystem::path numbers_;
    std::vector<std::filesystem::path> numbers_before_;  // deleted once file_ names none of them
    int written_ = 0;                                    // counts files of numbers
    std::optional<Clock::time_point> first_, last_;      // first and last event since it was kept
    bool failed_ = false;
    bool told_ = false;
    BackgroundWork worker_;  // last: it uses the members above
};

}  // namespace maskscope
