// Handles the selected token.

#include <fmt/format.h>

#include <algorithm>

#include "app/window/actions/actions.h"
#include "app/window/widgets/widgets.h"
#include "core/scene/names.h"

namespace maskscope {
namespace {

const std::vector<std::string>& tokens_of(const Scene& scene, const TokenRef& ref) {
    const Sequence& sequence = scene.sequences[ref.b];
    return ref.side == Side::keys && sequence.keys ? *sequence.keys : sequence.queries;
}

Index count_of(const Scene& scene, const TokenRef& ref) {
    return static_cast<Index>(tokens_of(scene, ref).size());
}

}  // namespace

std::string strip_id(const std::string& what, Index b, Side side) {
    return fmt::format("{}/{}/{}", what, b, side == Side::queries ? "queries" : "keys");
}

std::string token_field_id(const TokenRef& token) {
    return fmt::format("{}/{}", strip_id("token", token.b, token.side), token.index);
}

std::string sentence_field_id(Index b, Side side) { return strip_id("sentence", b, side); }

Index listed_sequence(const Session& session, const SidebarState& sidebar) {
    const Scene& scene = session.scene();
    const auto count = static_cast<Index>(scene.sequences.size());
    if (sidebar.selected && sidebar.selected->b < count) return sidebar.selected->b;
    const auto shown = shown_sequences(session.view(), shape_of(scene));
    return shown.empty() ? 0 : std::clamp<Index>(shown.front(), 0, count - 1);
}

std::optional<TokenRef> selected_token(const Session& session, const SidebarState& sidebar) {
    const std::optional<TokenRef>& ref = sidebar.selected;
    const Scene& scene = session.scene();
    if (!ref || ref->b >= static_cast<Index>(scene.sequences.size())) return std::nullopt;
    if (ref->side == Side::keys && !scene.sequences[ref->b].keys) return std::nullopt;
    return ref->index < count_of(scene, *ref) ? ref : std::nullopt;
}

// Selects a token. The keys of a sequence follow its queries, as if in one row.
void select_token(const Session& session, SidebarState& sidebar, Index steps) {
    const Scene& scene = session.scene();
    const TokenRef queries{listed_sequence(session, sidebar), Side::queries, 0};
    const TokenRef keys{queries.b, Side::keys, 0};
    const Index query_count = count_of(scene, queries);
    const bool apart = scene.sequences[queries.b].keys.has_value();
    const Index all = query_count + (apart ? count_of(scene, keys) : 0);
    const auto selected = selected_token(session, sidebar);
    if (all == 0) return;  // the words of a translator are typed as a sentence
    Index at = steps > 0 ? 0 : all - 1;
    if (selected)
        at = selected->index + steps + (apart && selected->side == Side::keys ? query_count : 0);
    at = std::clamp<Index>(at, 0, all - 1);
    const bool is_key = at >= query_count;
    sidebar.selected = {queries.b, is_key ? Side::keys : Side::queries,
                        is_key ? at - query_count : at};
}

void move_selected_token(Session& session, SidebarState& sidebar, Index steps) {
    const auto ref = selected_token(session, sidebar);
    if (!ref) return;
    const Index to = ref->index + steps;
    if (to < 0 || to >= count_of(session.scene(), *ref)) return;
    if (session.edit("move a token",
                     [&](Scene& scene) { move_token(scene, ref->b, ref->side, ref->index, to); }))
        sidebar.selected->index = to;
}

void rename_selected_token(Gui& gui, const Session& session, SidebarState& sidebar) {
    const auto ref = selected_token(session, sidebar);
    if (!ref) return;
    sidebar.open();  // the field is in the sidebar
    edit_field(gui, token_field_id(*ref), tokens_of(session.scene(), *ref)[ref->index]);
}

void pad_selected_token(Session& session, const SidebarState& sidebar) {
    if (const auto ref = selected_token(session, sidebar))
        session.edit("pad a token",
                     [&](Scene& s) { toggle_pad(s, ref->b, ref->side, ref->index); });
}

void insert_token_at(Gui& gui, Session& session, SidebarState& sidebar, const TokenRef& at) {
    const std::string name = "token", id = token_field_id(at);
    if (!session.edit(
            "insert a token", [&](Scene& s) { insert_token(s, at.b, at.side, at.index, name); },
            id))
        return;
    sidebar.selected = at;
    sidebar.open();  // the field is in the sidebar
    edit_field(gui, id, name);
}

void insert_after_selected_token(Gui& gui, Session& session, SidebarState& sidebar) {
    const auto ref = selected_token(session, sidebar);
    if (ref) insert_token_at(gui, session, sidebar, {ref->b, ref->side, ref->index + 1});
}

void delete_selected_token(Session& session, SidebarState& sidebar) {
    const auto ref = selected_token(session, sidebar);
    if (!ref) return;
    session.edit("delete a token",
                 [&](Scene& s) { delete_token(s, ref->b, ref->side, ref->index); });
    sidebar.selected->index = std::min(ref->index, count_of(session.scene(), *ref) - 1);
}

void type_sentence(Gui& gui, Session& session, SidebarState& sidebar) {
    if (is_trained(session.scene().inputs)) {  // a translator's words are typed above its view
        session.view().show.view = ViewKind::translator;
        const Index b = shown_sequences(session.view(), shape_of(session.scene())).front();
        return edit_field(gui, sentence_field_id(b, Side::queries),
                          joined(session.scene().sequences[std::size_t(b)].source));
    }
    sidebar.open();
    edit_field(gui, sentence_field_id(listed_sequence(session, sidebar), Side::queries), "");
}

std::string_view why_no_token(const Session& session, const SidebarState& sidebar) {
    return selected_token(session, sidebar) ? "" : "no token is selected";
}

}  // namespace maskscope
