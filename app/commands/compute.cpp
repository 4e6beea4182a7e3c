#include "app/commands/commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <system_error>
#include <vector>

#include "app/commands/stage_files.h"
#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/files/file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

void check(const fs::path& path, const std::error_code& error) {
    if (error) throw at_file(path.string(), WorkError(error.message()));
}

// Returns N if the folder is called variant-N, as compute names them; otherwise nullopt.
std::optional<std::size_t> variant_number(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::string prefix = "variant-";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::size_t number = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    return variant_name(number) == name ? std::optional(number) : std::nullopt;
}

// Writes the folders of all variants into a folder; `shown` is the path that the folder will have.
using Fill = std::function<void(const fs::path& folder, const fs::path& shown)>;

void sync(const fs::path& workshop, const fs::path& shown) {
    try {
        sync_files(workshop);
    } catch (const WorkError& error) {
        throw at_file(shown.string(), error);
    }
}

// --- into place

fs::path folder_of_folder(const fs::path& folder) {
    return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

bool swap_names(const fs::path& x, const fs::path& y) {
    return ::renameat2(AT_FDCWD, x.c_str(), AT_FDCWD, y.c_str(), RENAME_EXCHANGE) == 0;
}

bool is_variant_folder(const fs::path& path) {
    std::error_code error;
    return variant_number(path) && fs::is_directory(fs::symlink_status(path, error));
}

std::unique_ptr<StagingFolder> staging_in(const fs::path& folder, const fs::path& shown) {
    try {
        return std::make_unique<StagingFolder>(folder);
    } catch (const WorkError& error) {
        throw at_file(shown.string(), error);
    }
}

// True if the folder belongs to this user, holds only folders named like those of compute, and does
// not contain this process's current directory.
bool is_ours_alone(const fs::path& out) {
    struct stat status {};
    std::error_code error;
    const std::string current = fs::current_path(error).string() + '/';
    const fs::directory_iterator entries(out, error);
    return !error && !current.starts_with(out.string() + '/') &&
           ::stat(out.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
           std::all_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
               return is_variant_folder(entry.path());
           });
}

void make_whole(const Fill& fill, const fs::path& out) {
    MadeFolders made(folder_of_folder(out));
    const auto staging = staging_in(folder_of_folder(out), out);
    std::error_code error;
    fs::create_directory(staging->path() / "new", error);
    check(out, error);
    fill(staging->path() / "new", out);
    sync(staging->path(), out);
    fs::rename(staging->path() / "new", out, error);
    // If another run has made the folder in the meantime, replace it as a whole.
    if (error && is_ours_alone(out) && swap_names(staging->path() / "new", out)) error.clear();
    check(out, error);
    made.keep();
    sync_folder(folder_of_folder(out));
}

// Replaces the whole folder in one step. Returns false if that is impossible: its parent may not be
// writable, or the folder is a mount point.
bool replace_whole(const Fill& fill, const fs::path& out, const fs::path& shown) {
    std::unique_ptr<StagingFolder> staging;
    std::error_code error;
    try {
        staging = std::make_unique<StagingFolder>(out.parent_path());
    } catch (const WorkError&) {
        return false;
    }
    const fs::path made = staging->path() / "new", other = staging->path() / "other";
    fs::create_directory(made, error);
    fs::permissions(made, fs::status(out, error).permissions(), error);
    fs::create_directory(other, error);
    check(shown, error);
    if (!swap_names(made, other)) return false;  // try this before any work is done
    fill(made, shown);
    sync(made, shown);
    if (!swap_names(made, out)) return false;
    sync_folder(out.parent_path());
    return true;
}

struct Move {
    fs::path from, to;
    bool swaps = false;
    fs::path aside() const { return from.string() + "-before"; }  // used if names cannot be swapped
    std::error_code make() const {
        std::error_code error;
        if (swaps && swap_names(from, to)) return error;
        if (swaps) fs::rename(to, aside(), error);
        if (!error) fs::rename(from, to, error);
        return error;
    }
    void undo() const {
        std::error_code ignored;
        if (swaps && swap_names(from, to)) return;
        fs::rename(to, from, ignored);
        if (swaps) fs::rename(aside(), to, ignored);
    }
};

// Makes all moves, or none.
void make_all(const std::vector<Move>& moves) {
    for (std::size_t done = 0; done < moves.size(); ++done) {
        const std::error_code error = moves[done].make();
        if (!error) continue;
        const fs::path& failed = moves[done].to;
        while (done-- > 0) moves[done].undo();
        return check(failed, error);
    }
}

// Returns the moves that replace earlier variants and remove those with higher numbers.
std::vector<Move> moves_of(const fs::path& out, const fs::path& staging, std::size_t variants) {
    std::vector<Move> moves;
    std::error_code error;
    for (std::size_t k = 0; k < variants; ++k)
        moves.push_back({staging / variant_name(k), out / variant_name(k),
                         is_variant_folder(out / variant_name(k))});
    for (fs::directory_iterator entry(out, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        if (is_variant_folder(path) && *variant_number(path) >= variants)
            moves.push_back({path, staging / ("gone-" + path.filename().string())});
    }
    check(out, error);
    return moves;
}

// Replaces the variants one by one, each in a single step.
void write_among_others(const Fill& fill, std::size_t variants, const fs::path& out) {
    std::error_code error;
    if (!fs::is_directory(out, error)) throw at_file(out.string(), WorkError("Not a directory"));
    const auto staging = staging_in(out, out);
    fill(staging->path(), out);
    sync(staging->path(), out);
    make_all(moves_of(out, staging->path(), variants));
    sync_folder(out);
}

void replace_variants(const Fill& fill, std::size_t variants, const fs::path& out) {
    const fs::path folder = out.has_filename() ? out : out.parent_path();
    std::error_code error;
    if (!fs::exists(fs::symlink_status(folder, error))) return make_whole(fill, folder);
    const fs::path place = fs::canonical(folder, error);
    if (error || !is_ours_alone(place) || !replace_whole(fill, place, folder))
        write_among_others(fill, variants, folder);
}

// Throws WorkError, before a long computation begins, if the disk has too little free space.
void refuse_too_many_bytes(const Scene& scene, const Request& request, const fs::path& out) {
    constexpr double long_to_write = 1e9;
    const double needed = bytes_of_files(scene, request);
    std::error_code error;
    fs::path there = fs::absolute(out, error);
    while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
    const double free = static_cast<double>(fs::space(there, error).available);
    if (error || needed <= std::max(free, long_to_write)) return;
    const Shape shape = shape_of(scene);
    const double part = std::sqrt(free / needed);  // the share of the tokens that would fit
    throw WorkError(fmt::format(
        "{} × {} tokens need {:.0f} GB of disk space, but {:.0f} GB are free; {:.0f} tokens "
        "would fit",
        shape.n_q, shape.n_k, needed / 1e9, free / 1e9, std::floor(part * double(shape.n_q))));
}

}  // namespace

void write_result(const Result& result, const fs::path& out) {
    const auto fill = [&](const fs::path& folder, const fs::path& shown) {
        StageFiles files(folder, shown);
        files.add(result);
        files.finish();
    };
    replace_variants(fill, result.variants.size(), out);
}

int compute(const SceneArgument& scene, const ComputeOptions& options, std::ostream& notes) {
    const LoadedScene loaded = load_scene(scene);
    Request request{options.stages, {}, {}};
    if (std::ranges::any_of(loaded.scene.variants,
                            [](const Variant& variant) { return variant.reference.has_value(); }))
        request.stages.set(static_cast<std::size_t>(StageKind::weights));  // the summary needs them
    const auto fill = [&](const fs::path& folder, const fs::path& shown) {
        StageFiles files(folder, shown, options.stages);
        const auto take = [&](const Result& block, const std::optional<Rows>& rows) {
            if (rows)
                files.add(block, *rows, shape_of(loaded.scene).n_q);
            else
                files.add(block);
        };
        compute_in_blocks(options.backend, options.threads, loaded.scene, request, notes, take);
        files.finish();
    };
    try {
        refuse_too_many_bytes(loaded.scene, request, options.out);
        replace_variants(fill, loaded.scene.variants.size(), options.out);
    } catch (const WorkError& error) {
        throw at_file(scene.name, error);
    }
    tell_notes(scene, loaded);
    return 0;
}

}  // namespace maskscope
