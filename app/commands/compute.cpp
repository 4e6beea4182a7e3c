#include "app/commands/compute.h"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <ostream>
#include <system_error>
#include <vector>

#include "app/session/files/load.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/scene/names.h"
#include "core/tensors/tensor_file.h"

namespace maskscope {

namespace {

namespace fs = std::filesystem;

void check(const fs::path& path, const std::error_code& error) {
    if (error) throw at_file(path.string(), WorkError(error.message()));
}

std::string variant_name(std::size_t variant) { return "variant-" + std::to_string(variant); }

// The number of a folder called variant-N, as compute names them.
std::optional<std::size_t> variant_number(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::string prefix = "variant-";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::size_t number = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    return variant_name(number) == name ? std::optional(number) : std::nullopt;
}

// Folders created by this run, the outermost first; removed again unless kept.
class MadeFolders {
public:
    explicit MadeFolders(const fs::path& folder) {
        std::vector<fs::path> missing;
        std::error_code error;
        for (fs::path path = folder; !path.empty() && !fs::exists(path, error);
             path = path.parent_path())
            missing.push_back(path);
        for (; !missing.empty(); missing.pop_back()) make(missing.back());
        if (!fs::is_directory(folder, error))
            throw at_file(folder.string(), WorkError("Not a directory"));
    }
    ~MadeFolders() {
        std::error_code ignored;
        for (; !made_.empty() && !kept_; made_.pop_back()) fs::remove(made_.back(), ignored);
    }
    MadeFolders(const MadeFolders&) = delete;
    MadeFolders& operator=(const MadeFolders&) = delete;
    void keep() { kept_ = true; }

private:
    void make(const fs::path& path) {
        std::error_code error;
        if (fs::create_directory(path, error)) made_.push_back(path);
        if (error) {
            std::error_code ignored;
            for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), ignored);
            check(path, error);
        }
    }

    std::vector<fs::path> made_;
    bool kept_ = false;
};

// A temporary folder next to the variants' folders, which are first written there.
class Workshop {
public:
    explicit Workshop(const fs::path& out)
        : path_(out / (".maskscope-" + std::to_string(getpid()))) {
        std::error_code error;
        fs::remove_all(path_, error);
        fs::create_directory(path_, error);
        check(out, error);
    }
    ~Workshop() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// `shown`: the path that the file will have, for error messages.
void write(const fs::path& path, const fs::path& shown, const std::string& bytes) {
    try {
        write_new_file(path, bytes);
    } catch (const WorkError& error) {
        throw at_file(shown.string(), error);
    }
}

void sync(const fs::path& workshop, const fs::path& shown) {
    try {
        sync_files(workshop);
    } catch (const WorkError& error) {
        throw at_file(shown.string(), error);
    }
}

void write_variant(const VariantResult& variant, const std::string& backend, const fs::path& folder,
                   const fs::path& shown) {
    std::error_code error;
    fs::create_directory(folder, error);
    check(shown, error);
    const auto all = names<StageKind>();
    for (int k = 0; k < stage_count; ++k) {
        const auto kind = static_cast<StageKind>(k);
        const std::string file = std::string(all[k]) + ".npy";
        if (kind == StageKind::allowed)
            write(folder / file, shown / file, npy_bytes(variant.allowed.all(), variant.shape));
        else if (variant.stage(kind).exists())
            write(folder / file, shown / file, npy_bytes(variant.stage(kind)));
    }
    write(folder / "summary.json", shown / "summary.json", summary_json(variant, backend));
}

struct Move {
    fs::path from, to;
};

// All moves, or none of them.
void move_all(const std::vector<Move>& moves) {
    std::size_t done = 0;
    std::error_code error;
    for (; done < moves.size() && !error; ++done)
        fs::rename(moves[done].from, moves[done].to, error);
    if (!error) return;
    const Move& failed = moves[--done];
    std::error_code ignored;
    while (done-- > 0) fs::rename(moves[done].to, moves[done].from, ignored);
    check(failed.to, error);
}

// Existing folders of an earlier run, whatever their number, are moved into the workshop first.
std::vector<Move> moves_of(const fs::path& out, const fs::path& workshop, std::size_t variants) {
    std::vector<Move> moves;
    std::error_code error;
    for (fs::directory_iterator entry(out, error), end; !error && entry != end;
         entry.increment(error)) {
        const fs::path& path = entry->path();
        if (!variant_number(path) || !fs::is_directory(fs::symlink_status(path, error))) continue;
        moves.push_back({path, workshop / ("old-" + path.filename().string())});
    }
    check(out, error);
    for (std::size_t k = 0; k < variants; ++k)
        moves.push_back({workshop / variant_name(k), out / variant_name(k)});
    return moves;
}

}  // namespace

void write_result(const Result& result, const fs::path& out) {
    MadeFolders made(out);
    const Workshop workshop(out);
    for (std::size_t k = 0; k < result.variants.size(); ++k)
        write_variant(result.variants[k], result.backend, workshop.path() / variant_name(k),
                      out / variant_name(k));
    sync(workshop.path(), out);
    move_all(moves_of(out, workshop.path(), result.variants.size()));
    made.keep();
}

int compute(const std::string& scene, const ComputeOptions& options, std::ostream& notes) {
    const LoadedScene loaded = load_scene(scene);
    try {
        const Computed computed = compute_on(options.backend, options.threads, loaded.scene, notes);
        write_result(computed.result, options.out);
    } catch (const WorkError& error) {
        throw at_file(scene, error);
    }
    return 0;
}

}  // namespace maskscope
