// Draws tokens as chips, which a click selects, a double click renames in place, and a drag moves;
// and a field for typing a whole sentence.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/show/views/view_entry.h"
#include "app/window/panels/parts.h"
#include "app/window/panels/sidebar/sidebar.h"
#include "app/window/panels/words.h"

namespace maskscope {

namespace {

constexpr Index page_size = 48;  // the most chips at once; longer sequences have pages

// The tokens of one side of one sequence.
struct Strip {
    Index b = 0;
    Side side = Side::queries;
    const TokenList* tokens = nullptr;

    Index size() const { return static_cast<Index>(tokens->size()); }
    const std::string& token(Index k) const { return (*tokens)[k]; }
    std::string id(const std::string& what) const { return strip_id(what, b, side); }
    std::string token_id(Index k) const { return token_field_id({b, side, k}); }
};

// The user's actions on the chips of a strip in this frame.
struct StripEvents {
    std::optional<Index> clicked, renamed, dragged, dropped, under_pointer;
    Rect rect_under_pointer;
};

bool is_selected(const SidebarState& sidebar, const Strip& strip, Index k) {
    return sidebar.selected == TokenRef{strip.b, strip.side, k};
}

std::optional<Index> selected_in(const SidebarState& sidebar, const Strip& strip) {
    const auto& selected = sidebar.selected;
    if (!selected || selected->b != strip.b || selected->side != strip.side) return std::nullopt;
    if (selected->index >= strip.size()) return std::nullopt;
    return selected->index;
}

// Starts a new line if the next item, `width` pixels wide, does not fit on this one.
void flow(double width, bool first) {
    if (first) return;
    ImGui::SameLine();
    if (room_width() < width) ImGui::NewLine();
}

// Renames a token. The first name of an inserted token is part of the undo step that inserted it.
void rename(Session& session, const Strip& strip, Index k, const std::string& token) {
    const Strip s = strip;
    session.edit(
        "rename a token",
        [s, k, token](Scene& scene) { rename_token(scene, s.b, s.side, k, token); },
        strip.token_id(k));
}

void draw_renaming(Gui& gui, Session& session, const Strip& strip, Index k) {
    const std::string id = strip.token_id(k);
    const double width = chip_width(gui, edited_text(gui, id).value_or("")) / gui.scale + 16;
    flow(points(gui, width), k % page_size == 0);
    if (const auto typed = text_field(gui, id, strip.token(k), {.width = width}))
        rename(session, strip, k, *typed);
    if (!edited_text(gui, id)) session.end_merge();
}

void draw_chip(Gui& gui, const Session& session, const SidebarState& sidebar, const Strip& strip,
               Index k, StripEvents& events) {
    const std::string& token = strip.token(k);
    flow(chip_width(gui, chip_text(token)), k % page_size == 0);
    ImGui::PushID(static_cast<int>(k));
    const bool is_pad = token == session.scene().pad_token;
    const ChipEvents e =
        chip(gui, chip_text(token), {.selected = is_selected(sidebar, strip, k), .dimmed = is_pad});
    ImGui::PopID();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (ImGui::IsMouseHoveringRect(low, high)) {
        events.under_pointer = k;
        events.rect_under_pointer = {low.x, low.y, high.x - low.x, high.y - low.y};
    }
    if (e.clicked) events.clicked = k;
    if (e.double_clicked) events.renamed = k;
    if (e.dragged) events.dragged = k;
    if (e.dropped) events.dropped = k;
}

// Draws the place where a dragged token would be dropped.
void draw_target(Gui& gui, const StripEvents& events) {
    if (!events.dragged || !events.under_pointer || events.dragged == events.under_pointer) return;
    draw_box(gui, {.rect = events.rect_under_pointer,
                   .radius = events.rect_under_pointer.h / 2,
                   .outlined = true,
                   .outline = Role::odd,
                   .line_width = points(gui, 2)});
}

void act_on_chips(Gui& gui, Session& session, SidebarState& sidebar, const Strip& strip,
                  const StripEvents& events) {
    if (events.renamed) {
        edit_field(gui, strip.token_id(*events.renamed), strip.token(*events.renamed));
    } else if (events.dropped && events.under_pointer && *events.dropped != *events.under_pointer) {
        const Strip s = strip;
        const Index from = *events.dropped, to = *events.under_pointer;
        session.edit("move a token",
                     [s, from, to](Scene& scene) { move_token(scene, s.b, s.side, from, to); });
        sidebar.selected = TokenRef{s.b, s.side, to};
    } else if (events.clicked) {
        sidebar.selected = TokenRef{strip.b, strip.side, *events.clicked};
    }
}

// Returns the first token of the listed page, which is the page with the selected token.
Index page_start(const SidebarState& sidebar, const Strip& strip) {
    return selected_in(sidebar, strip).value_or(0) / page_size * page_size;
}

void draw_pages(Gui& gui, SidebarState& sidebar, const Strip& strip) {
    if (strip.size() <= page_size) return;
    const Index pages = (strip.size() + page_size - 1) / page_size;
    const auto page = picker(gui, strip.side == Side::queries ? "Tokens, part" : "Keys, part",
                             page_start(sidebar, strip) / page_size, pages);
    if (page) sidebar.selected = TokenRef{strip.b, strip.side, *page * page_size};
}

void draw_chips(Gui& gui, Session& session, SidebarState& sidebar, const Strip& strip) {
    StripEvents events;
    const Index start = page_start(sidebar, strip);
    const Index end = std::min(start + page_size, strip.size());
    ImGui::PushID(strip.id("chips").c_str());
    for (Index k = start; k < end; ++k) {
        if (edited_text(gui, strip.token_id(k)))
            draw_renaming(gui, session, strip, k);
        else
            draw_chip(gui, session, sidebar, strip, k, events);
    }
    draw_target(gui, events);
    flow(points(gui, 28), false);
    if (chip(gui, "+").clicked)
        insert_token_at(gui, session, sidebar, {strip.b, strip.side, strip.size()});
    tooltip(gui, "Add a token");
    ImGui::PopID();
    act_on_chips(gui, session, sidebar, strip, events);
}

// Draws buttons for the selected token, for users without a keyboard.
void draw_token_buttons(Gui& gui, Session& session, SidebarState& sidebar, const Strip& strip) {
    const auto selected = selected_in(sidebar, strip);
    if (!selected) return;
    const Index k = *selected;
    const Strip s = strip;
    ImGui::PushID(strip.id("buttons").c_str());
    const bool is_pad = strip.token(k) == session.scene().pad_token;
    if (button(gui, is_pad ? "Unpad###pad" : "Pad###pad",
               {.tip = "Make the token padding, or undo that (P)"}))
        session.edit("pad a token", [s, k](Scene& scene) { toggle_pad(scene, s.b, s.side, k); });
    ImGui::SameLine();
    if (button(gui, "Insert", {.tip = "Insert a token after this one (Insert)"}))
        insert_token_at(gui, session, sidebar, {s.b, s.side, k + 1});
    ImGui::SameLine();
    if (button(gui, "Delete", {.tip = "Remove this token (Delete)"}))
        session.edit("delete a token",
                     [s, k](Scene& scene) { delete_token(scene, s.b, s.side, k); });
    ImGui::PopID();
}

void draw_sentence_field(Gui& gui, Session& session, SidebarState& sidebar, const Strip& strip) {
    const auto typed =
        text_field(gui, sentence_field_id(strip.b, strip.side), "", {.hint = "Type a sentence…"});
    if (!typed || split_sentence(*typed).empty()) return;
    const Strip s = strip;
    session.edit("type a sentence", [s, text = *typed](Scene& scene) {
        set_sentence(scene, s.b, s.side, split_sentence(text));
    });
    sidebar.selected.reset();
}

void draw_strip(Gui& gui, Session& session, SidebarState& sidebar, const Strip& strip) {
    draw_chips(gui, session, sidebar, strip);
    draw_pages(gui, sidebar, strip);
    draw_token_buttons(gui, session, sidebar, strip);
    draw_sentence_field(gui, session, sidebar, strip);
}

void pick_sequence(Gui& gui, Session& session, SidebarState& sidebar) {
    const auto count = static_cast<Index>(session.scene().sequences.size());
    if (count < 2) return;
    const auto picked = picker(gui, "Sequence", listed_sequence(session, sidebar), count);
    if (!picked) return;
    // If several sequences are shown, the picker moves among them; otherwise it shows another one.
    Show& show = session.view().show;
    if (!show.sequences || show.sequences->size() < 2) {
        show.sequences = std::vector<Index>{*picked};
        sidebar.selected.reset();
    } else {
        sidebar.selected = TokenRef{*picked, Side::queries, 0};
    }
}

// Draws a field for the position of the first query, which follows the cached keys.
void draw_start(Gui& gui, Session& session, Index b, Index start) {
    const auto typed = number_row(gui, fmt::format("start/{}", b), "Position of the first query",
                                  static_cast<double>(start),
                                  {.low = 0, .high = 9007199254740991.0, .whole = true});
    tooltip_beside(gui, explanation("start"));
    if (typed)
        session.edit("change the first position",
                     [&](Scene& scene) { set_start(scene, b, static_cast<Index>(*typed)); });
}

// Draws the position of each token of a strip: the listed one, otherwise counted from `start`.
void draw_positions(Gui& gui, Session& session, const Strip& strip,
                    const std::vector<Index>& listed, Index start) {
    constexpr Index most = 64;  // more do not fit in a line
    if (strip.size() > most) return;
    std::vector<Index> positions;
    for (Index k = 0; k < strip.size(); ++k) positions.push_back(position_at(listed, start, k));
    const auto typed = list_field(gui, session, strip.id("positions"), "Positions", positions, 0);
    if (typed)
        session.edit("change the positions",
                     [&](Scene& scene) { set_positions(scene, strip.b, strip.side, *typed); });
}

}  // namespace

void draw_tokens(Gui& gui, Session& session, SidebarState& sidebar) {
    if (is_trained(session.scene().inputs)) {
        const ViewEntry* view = entry_of(shown_view(session.view(), session.shown().scene));
        const bool has_field = view && view->lay_out_above;  // the field is above the bench
        if (!has_field || session.scene().sequences.size() > 1) heading(gui, "Sequence");
        pick_sequence(gui, session, sidebar);
        if (!has_field) draw_sentence(gui, session, false);
        return;
    }
    const Index b = listed_sequence(session, sidebar);
    // A copy, because an edit below replaces the scene while its tokens are still being drawn.
    const Sequence sequence = session.scene().sequences[b];
    heading(gui, sequence.keys ? "Queries" : "Tokens");
    pick_sequence(gui, session, sidebar);
    draw_strip(gui, session, sidebar, {b, Side::queries, &sequence.queries});
    if (!sequence.keys) return;
    draw_start(gui, session, b, sequence.start);
    draw_positions(gui, session, {b, Side::queries, &sequence.queries}, *sequence.positions,
                   sequence.start);
    gap(gui, 6);
    heading(gui, "Keys");
    const Strip keys{b, Side::keys, &*sequence.keys};
    draw_strip(gui, session, sidebar, keys);
    draw_positions(gui, session, keys, *sequence.key_positions, 0);
}

}  // namespace maskscope
