// Moves the cell cursor, and chooses variants, stages and heads.

#include <algorithm>

#include "app/show/views/view_entry.h"
#include "app/window/actions/actions.h"

namespace maskscope {

namespace {

// Returns the focus cell, or if there is none, the ringed cell; nullopt if there is neither. While
// presenting, the ringed cell comes first until the cursor is moved in this step.
std::optional<Cell> cursor_cell(const Session& session,
                                const std::optional<Presenting>& presenting) {
    const Show& show = session.view().show;
    const bool on_ring = presenting && presenting->moved_in != session.entered();
    if (show.ring && (on_ring || !show.focus)) return show.ring;
    return show.focus;
}

// Returns the variant whose mask Space edits: shared_variant if all shown variants have the same
// rules, otherwise the one under the pointer, or else the chosen one if it is shown.
int variant_to_edit(const Session& session, const SidebarState& sidebar) {
    const View& view = session.view();
    const std::vector<int> variants = shown_variants(view, session.scene());
    if (layers_are_shared(session.scene(), variants)) return shared_variant;
    if (view.hovered && view.hovered->variant >= 0) return view.hovered->variant;
    const int chosen = chosen_variant(session, sidebar);
    return std::ranges::count(variants, chosen) > 0 ? chosen : variants.front();
}

int variant_count(const Session& session) {
    return static_cast<int>(session.scene().variants.size());
}

void choose_last_variant(const Session& session, SidebarState& sidebar) {
    choose_variant(sidebar, variant_count(session) - 1);
}

}  // namespace

// --- cells

void move_cursor(Session& session, BenchState& bench, std::optional<Presenting>& presenting,
                 Index down, Index right) {
    bench.follows = true;
    if (move_in_view(session, bench, down, right) ||
        move_in_tensors(session, bench, presenting, down, right))
        return;
    const Result& shown = session.shown();
    if (shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    Show& show = session.view().show;
    const Cell from = cursor_cell(session, presenting).value_or(Cell{});
    const bool appears = !show.focus && !presenting;  // the first press only shows the cursor
    if (appears) down = right = 0;
    if (presenting) presenting->moved_in = session.entered();
    const auto [b, h] = place_of_focus(session.view(), shape);  // keys do not change these
    show.focus = Cell{std::clamp<Index>(from.i + down, 0, shape.n_q - 1),
                      std::clamp<Index>(from.j + right, 0, shape.n_k - 1)};
    session.view().pinned =
        CellRef{shared_variant, StageKind::weights, b, h, show.focus->i, show.focus->j};
}

void toggle_cursor_cell(Session& session, const BenchState& bench, const SidebarState& sidebar,
                        const std::optional<Presenting>& presenting) {
    if (act_in_view(session, bench)) return;
    const Result& shown = session.shown();
    const auto cursor = cursor_cell(session, presenting);
    if (!cursor || shown.variants.empty()) return;
    const Shape& shape = shown.variants.front().shape;
    if (cursor->i >= shape.n_q || cursor->j >= shape.n_k) return;
    const auto [b, h] = place_of_focus(session.view(), shape);
    toggle_cell(session, variant_to_edit(session, sidebar), b, h, *cursor);
}

// --- variants

int chosen_variant(const Session& session, const SidebarState& sidebar) {
    const auto& open = sidebar.variant;
    if (open && *open >= 0 && *open < variant_count(session)) return *open;
    return shown_variants(session.view(), session.scene()).front();
}

void choose_variant(SidebarState& sidebar, int variant) {
    sidebar.variant = variant;
    sidebar.open();  // the settings are in the sidebar
}

void add_variant_card(Session& session, SidebarState& sidebar) {
    if (session.edit("add a variant", add_variant)) choose_last_variant(session, sidebar);
}

void duplicate_variant_card(Session& session, SidebarState& sidebar, int variant) {
    if (session.edit("duplicate a variant",
                     [variant](Scene& scene) { duplicate_variant(scene, variant); }))
        choose_last_variant(session, sidebar);
}

void remove_variant_card(Session& session, SidebarState& sidebar, int variant) {
    if (session.edit("remove a variant",
                     [variant](Scene& scene) { remove_variant(scene, variant); }))
        sidebar.variant.reset();
}

void show_other_bracket(Session& session, SidebarState& sidebar) {
    const int variant = chosen_variant(session, sidebar);
    if (session.edit("regroup the mask rules",
                     [variant](Scene& scene) { move_bracket(scene, variant); }))
        choose_last_variant(session, sidebar);
}

std::string_view why_no_bracket(const Session& session, const SidebarState& sidebar) {
    Scene tried = session.scene();
    try {
        move_bracket(tried, chosen_variant(session, sidebar));
        return "";
    } catch (const EditError&) {
        return "it needs a group of mask rules next to another rule";
    }
}

// Chooses the variant `steps` further. If no variant is open, only opens the chosen one.
void turn_variant(const Session& session, SidebarState& sidebar, int steps) {
    const int count = variant_count(session);
    const bool is_open = sidebar.variant && *sidebar.variant < count;
    choose_variant(sidebar,
                   (chosen_variant(session, sidebar) + (is_open ? steps : 0) + count) % count);
}

// --- stages and heads

void show_or_hide_stage(Session& session, StageKind stage) {
    if (!why_no_stage(session, stage).empty()) return;
    View& view = session.view();
    std::vector<StageKind> stages = shown_stages(view.show);
    const auto found = std::ranges::find(stages, stage);
    if (shows_all_heads(session))
        stages = {stage};
    else if (found != stages.end())
        stages.erase(found);
    else
        stages.insert(std::ranges::upper_bound(stages, stage), stage);
    view.show.stages = stages;
}

std::string_view why_no_stage(const Session& session, StageKind stage) {
    const ViewKind kind = shown_view(session.view(), session.shown().scene);
    if (kind != ViewKind::pipeline && kind != ViewKind::heads) return "this view has no stages";
    if (!has_stage(session.shown().scene, stage)) return "this scene has no such stage";
    if (kind == ViewKind::heads && stage == StageKind::output) return "this view shows no outputs";
    if (kind == ViewKind::heads && stage == StageKind::depends)
        return "influence is computed for all heads together";
    return "";
}

void show_head(Session& session, Index h) { jump_to_head(session, h); }

std::string_view why_no_head(const Session& session, Index h) {
    const Shape shape = shape_of(session.scene());
    if (shape.h < 2) return "this scene has one head";
    return h < shape.h ? "" : "this scene has no head with this number";
}

// --- numbers

void ask_for_number(BenchState& bench, const CellRef& cell) { bench.number_asked = cell; }

void ask_for_number_at_cursor(Session& session, BenchState& bench) {
    if (bench.tensor_cursor) return ask_for_number(bench, *bench.tensor_cursor);
    const auto& focus = session.view().show.focus;
    for (const Heatmap& map : bench.whole.heatmaps) {
        const StageKind stage = map.cells->stage;
        if (stage != StageKind::scores && stage != StageKind::scaled) continue;
        const Cell cell = focus.value_or(Cell{});
        return ask_for_number(bench, {map.variant, stage, map.b, map.h, cell.i, cell.j});
    }
    session.say("No scores are shown. Choose “Scores” above the variants, then type over one.",
                true);
}

namespace {

// Returns the first shown one of Q, K and V, beginning at `variant`; nullptr if there is none.
const BenchStage* tensor_from(const Bench& bench, int variant) {
    if (bench.blocks.empty()) return nullptr;
    for (const BenchStage& stage : bench.blocks.front().tensors)
        if (stage.variant <= variant) return &stage;
    return nullptr;
}

void put_cursor(Session& session, BenchState& bench, const BenchStage& stage, Index row,
                Index column) {
    const BenchBlock& block = session.results().bench().blocks.front();
    const CellRef cell{stage.variant,
                       StageKind::output,
                       block.b,
                       block.h,
                       std::clamp<Index>(row, 0, stage.cells->rows - 1),
                       std::clamp<Index>(column, 0, stage.cells->columns - 1)};
    bench.tensor_cursor = cell;
    pin(session, cell);
}

// Moves the cursor into a tensor, in the row of the focused query or key. Returns false if no such
// tensor is shown.
bool enter_tensor(Session& session, BenchState& bench, int variant) {
    const BenchStage* stage = tensor_from(session.results().bench(), variant);
    if (stage == nullptr) return false;
    const Cell focus = session.view().show.focus.value_or(Cell{});
    put_cursor(session, bench, *stage, stage->variant == queries_variant ? focus.i : focus.j, 0);
    return true;
}

}  // namespace

void fold_tensors(Session& session, BenchState& bench) {
    View& view = session.view();
    bench.tensor_cursor.reset();
    view.show.vectors = !view.show.vectors;
    if (!view.show.vectors) return;
    const auto why = why_no_tensors(session.scene());
    if (!why) return;
    session.say(*why, true);
    view.show.vectors = false;
}

void step_through_tensors(Session& session, BenchState& bench) {
    if (!session.view().show.vectors) {
        fold_tensors(session, bench);
        session.update();  // makes a bench with Q, K and V
        if (session.view().show.vectors) enter_tensor(session, bench, queries_variant);
        return;
    }
    const int next = bench.tensor_cursor ? bench.tensor_cursor->variant - 1 : queries_variant;
    if (!enter_tensor(session, bench, next)) fold_tensors(session, bench);
}

bool move_in_tensors(Session& session, BenchState& bench,
                     const std::optional<Presenting>& presenting, Index down, Index right) {
    keep_cursor_within(session, bench);
    if (!bench.tensor_cursor || presenting) return false;
    const CellRef from = *bench.tensor_cursor;
    const BenchStage* stage = tensor_from(session.results().bench(), from.variant);
    put_cursor(session, bench, *stage, from.i + down, from.j + right);
    return true;
}

bool leave_tensors(BenchState& bench) {
    const bool was_there = bench.tensor_cursor.has_value();
    bench.tensor_cursor.reset();
    return was_there;
}

void keep_cursor_within(const Session& session, BenchState& bench) {
    auto& cursor = bench.tensor_cursor;
    if (!cursor) return;
    const BenchStage* stage = tensor_from(session.results().bench(), cursor->variant);
    const bool there = stage != nullptr && stage->variant == cursor->variant &&
                       cursor->i < stage->cells->rows && cursor->j < stage->cells->columns;
    if (!there) return cursor.reset();
    cursor->b = stage->cells->b;
    cursor->h = stage->cells->h;
}

void take_cursor_to(BenchState& bench, const CellRef& cell) {
    if (is_tensor_variant(cell.variant))
        bench.tensor_cursor = cell;
    else
        bench.tensor_cursor.reset();
}

// --- keys in the shown view, unless it shows heatmaps

const ViewEntry* shown_entry(const Session& session) {
    return entry_of(shown_view(session.view(), session.shown().scene));
}

namespace {

bool can_turn_page(const Session& session) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->can_turn_page && entry->can_turn_page(session) && may_explore(session);
}

}  // namespace

void go_on(const Gui& gui, Session& session, Ui& ui, int steps) {
    const bool begins = steps > 0 && session.lesson() == nullptr;
    if (can_turn_page(session) && shown_entry(session)->step(session, steps, begins)) return;
    go_through_lessons(gui, session, ui, steps);
}

std::string_view why_not_on(const Session& session) {
    return can_turn_page(session) ? "" : why_no_next_step(session);
}

bool step_in_view(Session& session, Index steps) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->step && may_explore(session) && entry->step(session, steps, steps > 0);
}

bool move_in_view(Session& session, BenchState& bench, Index down, Index right) {
    const ViewEntry* entry = shown_entry(session);
    return entry && entry->move && entry->move(session, bench.spot, down, right);
}

bool act_in_view(Session& session, const BenchState& bench) {
    const ViewEntry* entry = shown_entry(session);
    if (!entry || !entry->act) return false;
    if (bench.spot) entry->act(session, *bench.spot);
    return true;
}

}  // namespace maskscope
