// Handles files of tensors, and the tokens that are read from other files.

#include "app/session/document.h"
#include "app/session/files/state_files.h"
#include "app/session/keeper.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "core/base/error.h"
#include "core/dump/dump_scene.h"
#include "core/files/file.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& file, const Error& error) {
    return at_file(file.string(), error).what();
}

// Returns the folder for rearranged numbers that are not saved yet.
fs::path copies_folder() {
    const fs::path state = state_folder();
    return (state.empty() ? fs::temp_directory_path() / "maskscope" : state) / "opened";
}

}  // namespace

TensorSheet tensor_sheet_of(const fs::path& path) {
    try {
        TensorSheet sheet{.dump = std::make_shared<const Dump>(read_dump(path))};
        plan_again(sheet);
        return sheet;
    } catch (const Error& error) {
        throw at_file(path.string(), error);
    }
}

void open_path(App& app, const fs::path& path) {
    if (!holds_tensors(path)) {
        app.session.open(path);
        return;
    }
    try {
        app.ui.overlays.open(tensor_sheet_of(path));
        if (app.ui.presenting) present(app);  // the sheet is for the lecturer, not the audience
    } catch (const Error& error) {
        app.session.say(error.what(), true);
    }
}

void plan_again(TensorSheet& sheet) {
    sheet.plan = plan_of(*sheet.dump, sheet.choice);
    sheet.error.clear();
}

void bring_tokens(TensorSheet& sheet, const fs::path& path) {
    constexpr std::size_t longest = std::size_t{1} << 26;  // bytes: a large tokenizer.json
    try {
        TokenLists tokens = tokens_for(*sheet.dump, sheet.plan, read_file(path, longest));
        sheet.choice.tokens = std::move(tokens);
    } catch (const Error& error) {
        throw at_file(path.string(), error);
    }
    sheet.tokens_of = path.filename().string();
    plan_again(sheet);
}

void type_tokens(TensorSheet& sheet, const std::vector<std::string>& tokens) {
    std::string lines;
    for (const std::string& token : tokens) lines += token + '\n';
    sheet.choice.tokens = tokens_for(*sheet.dump, sheet.plan, lines);
    sheet.tokens_of = "what was typed";
    plan_again(sheet);
}

void open_tensors(App& app) {
    auto* const open = app.ui.overlays.find<TensorSheet>();
    if (!open || !open->plan.missing.empty()) return;
    TensorSheet& sheet = *open;
    const fs::path& file = sheet.dump->file;
    try {
        if (const auto needed = Keeper::needed_by_work(state_folder()))
            remove_old_scratch_folders(copies_folder(), *needed);
        auto copies = std::make_shared<ScratchFolder>(copies_folder());
        DumpScene made = scene_of(*sheet.dump, sheet.plan, copies->path());
        if (std::holds_alternative<TensorsInputs>(made.scene.inputs) && !made.scene.show)
            made.scene.show.emplace().stages = first_stages();
        if (!app.session.open_scene(made.scene, made.folder, file.string(), copies)) {
            sheet.error = app.session.message() ? app.session.message()->text : "";
            return;
        }
        const std::string note = agreement(sheet.plan, made.scene);
        app.session.say(printable(sheet.plan.opens) + (note.empty() ? "" : " " + note));
        app.ui.opened_tensors = OpenedTensors{sheet, made.scene.inputs, std::move(copies)};
        app.ui.sidebar.selected.reset();
        remember_file(state_folder(), file);
        app.ui.overlays.close<TensorSheet>();
    } catch (const Error& error) {
        sheet.error = line_of(file, error);
    } catch (const std::bad_alloc&) {
        sheet.error = line_of(file, WorkError("not enough memory to open it"));
    }
}

bool shows_tensors(const Session& session, const std::optional<OpenedTensors>& opened) {
    return opened && session.lesson() == nullptr && session.scene().inputs == opened->inputs;
}

std::string_view why_no_tensors(const App& app) {
    return shows_tensors(app.session, app.ui.opened_tensors) ? "" : "no tensors are shown";
}

void reopen_tensors(App& app) {
    if (!shows_tensors(app.session, app.ui.opened_tensors)) return;
    leave_unsaved(app, "Open other tensors?",
                  [](App& a) { a.ui.overlays.open(TensorSheet(a.ui.opened_tensors->sheet)); });
}

}  // namespace maskscope
