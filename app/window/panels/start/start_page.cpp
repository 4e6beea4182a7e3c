// Draws the start page, and makes the scenes that it opens and draws.

#include "app/window/panels/start/start_page.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/session/course.h"
#include "app/session/document.h"
#include "app/session/files/load.h"
#include "app/session/files/state_files.h"
#include "app/style/labels.h"
#include "app/window/actions/actions.h"
#include "app/window/context/app.h"
#include "app/window/paint/imgui_compat.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/parts.h"
#include "app/window/widgets/focus.h"
#include "app/window/widgets/widgets.h"
#include "core/base/error.h"
#include "core/compute/plain.h"
#include "core/edit/edit.h"
#include "core/files/file.h"
#include "core/format/scene_json.h"
#include "core/scene/mask_rules.h"
#include "core/scene/names.h"

namespace maskscope {

// --- the scenes that the page opens and draws

Scene scene_to_try(Scene scene, const StartPage& start) {
    const FirstMask& mask = first_masks.at(start.mask);
    const bool is_padded = start.mask == 1 || mask.crosses();
    std::vector<std::string> tokens = split_sentence(start.sentence);
    const std::vector<std::string> answer = split_sentence(start.answer);
    if (tokens.empty()) throw EditError("Type a sentence first.");
    if (mask.crosses() && answer.empty())
        throw EditError(fmt::format("Type {}, too.", within_sentence(mask.queries)));
    if (is_padded) tokens.push_back(scene.pad_token);
    if (mask.crosses())
        scene.sequences = {{answer, tokens}};
    else
        scene.sequences = {{tokens, std::nullopt}};
    std::vector<MaskLayer>& layers = scene.variants.front().mask.layers;
    layers.clear();
    if (start.mask == 0) layers.push_back(new_layer(LayerKind::causal, shape_of(scene)));
    if (is_padded) layers.push_back(new_layer(LayerKind::padding, shape_of(scene)));
    if (start.mask == 2) {
        layers.push_back(new_layer(LayerKind::window, shape_of(scene)));
        layers.back().left = 2;
        layers.back().right = 0;
    }
    check_scene(scene);
    return scene;
}

// --- the picture

namespace {

Scene small_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c", "d", "e", "f"}, std::nullopt}};
    scene.inputs = EmbeddingInputs{.seed = 7, .d_k = 8, .d_v = 1};
    Variant before;
    before.mask.layers.emplace_back();  // the default rule: causal
    Variant after = before;
    after.mask.apply = Apply::multiply_weights;
    scene.variants = {before, after};
    return scene;
}

std::array<SmallWeights, 2> weights_of(const Scene& scene) {
    Progress progress;
    const Result result = PlainBackend().compute(scene, {}, nullptr, progress);
    std::array<SmallWeights, 2> weights{};
    for (std::size_t k = 0; k < weights.size(); ++k)
        for (Index i = 0; i < Index{small_size}; ++i)
            for (Index j = 0; j < Index{small_size}; ++j) {
                const VariantResult& variant = result.variants[k];
                weights[k][i][j] = variant.is_allowed(0, 0, i, j)
                                       ? variant.stage(StageKind::weights).at(0, 0, i, j)
                                       : -1;
            }
    return weights;
}

void draw_blocked(const Rect& cell, Colour colour, double width) {
    ImDrawList& list = panel_list();
    list.PushClipRect(imgui_point({cell.x, cell.y}), imgui_point({cell.right(), cell.bottom()}),
                      true);
    const double step = cell.w / 3;
    for (double from = step / 2; from < 2 * cell.w; from += step)
        list.AddLine(imgui_point({cell.x + from, cell.y}),
                     imgui_point({cell.x + from - cell.h, cell.bottom()}), imgui_colour(colour),
                     static_cast<float>(width));
    list.PopClipRect();
}

}  // namespace

const std::array<SmallWeights, 2>& small_weights() {
    static const std::array<SmallWeights, 2> weights = weights_of(small_scene());
    return weights;
}

void draw_small_weights(Gui& gui, const SmallWeights& weights, const Rect& rect) {
    const double side = std::floor(rect.w / double{small_size});
    const double gap = std::max(1.0, points(gui, 1));
    for (std::size_t i = 0; i < small_size; ++i)
        for (std::size_t j = 0; j < small_size; ++j) {
            const Rect cell{rect.x + side * double(j), rect.y + side * double(i), side - gap,
                            side - gap};
            if (weights[i][j] < 0) {
                draw_blocked(cell, colours(gui)[Role::hatch], gap);
                continue;
            }
            panel_list().AddRectFilled(imgui_point({cell.x, cell.y}),
                                       imgui_point({cell.right(), cell.bottom()}),
                                       imgui_colour(map_colour(ColourMap::viridis, weights[i][j])));
        }
}

namespace {

namespace fs = std::filesystem;
using Door = StartPage::Door;

constexpr const char *sentence_field = "start/sentence", *answer_field_id = "start/answer";
constexpr double door_gap = 28, door_padding = 30, small_padding = 20;  // points

// --- the content of the page

Lesson built_in_lesson(const std::string& name) { return load_lesson("lesson:" + name).lesson; }

void make(StartPage& start, const Session& session) {
    start.made = true;
    start.document = session.document().number;
    start.entered = session.entered();
    start.lessons = lesson_names().size();
    start.recent = recent_files(state_folder());
    try {
        const CoursePart& first = course_parts().front();
        start.first_title = built_in_lesson(std::string(first.lesson)).title;
        const Course course = read_course(state_folder());
        constexpr std::string_view built_in = "lesson:";
        if (!course.open.starts_with(built_in)) return;
        const std::string name = course.open.substr(built_in.size());
        const Lesson left = built_in_lesson(name);
        start.continues = {name, left.title, course.step, static_cast<int>(left.steps.size())};
    } catch (const Error&) {  // there are no built-in lessons, or another version of them
    }
}

// --- the actions of its controls

// Continues the lesson. If it is still open under the page, its edits are kept.
void go_on_with(const Session& session, Ui& ui, const StartPage& start) {
    const CourseStep& left = *start.continues;
    const Lesson* open = session.lesson();
    if (open != nullptr && open->name == left.name && session.document().step == left.step)
        ui.commands.push_back([](App& app) { app.ui.overlays.close<StartPage>(); });
    else
        ui.commands.push_back(open_lesson(left.name, left.step));
}

void begin_course(Ui& ui) {
    const CoursePart& first = course_parts().front();
    ui.commands.push_back(open_lesson(std::string(first.lesson), first.first));
}

void open_bench(Gui& gui, Ui& ui, const StartPage& start) {
    gui.editing.reset();
    ui.commands.push_back([start](App& app) {
        leave_unsaved(app, "Start a new scene?", [start](App& a) {
            try {
                a.session.open_scene(scene_to_try(Document::first().scene, start), ".", "");
            } catch (const Error& error) {
                a.session.say(error.what(), true);
            }
        });
    });
}

// --- the panels

// Records a control of a panel. The control that is drawn first gets the focus when Tab reaches the
// panel.
void note_control(const Gui& gui, StartPage& start, Door door, const std::string& id) {
    const unsigned control = ImGui::GetID(id.c_str());
    unsigned& first = start.first_controls[static_cast<std::size_t>(door)];
    if (first == 0) first = control;
    if (has_focus(gui, control)) start.door = door;
}

bool door_button(Gui& gui, StartPage& start, Door door, const std::string& text, bool filled) {
    const double room = room_width() / gui.scale;
    const double wanted = button_width(gui, text, true) / gui.scale;
    const bool pressed =
        button(gui, text,
               {.filled = filled, .large = true, .width = std::min(room, wanted), .wraps = true});
    note_control(gui, start, door, text);
    return pressed;
}

bool door_link(Gui& gui, StartPage& start, Door door, const std::string& text) {
    const bool pressed = link(gui, text, "", true);
    note_control(gui, start, door, text);
    return pressed;
}

void draw_head(Gui& gui, const std::string& title, const std::string& text) {
    paragraph(gui, title, {.style = {.size = 20, .weight = Weight::semibold}});
    gap(gui, 0);
    paragraph(gui, text, {.style = {.size = 14}, .role = Role::dim});
    gap(gui, 6);
}

// Draws two pictures of weights in the space above the panel's buttons.
void draw_picture(Gui& gui, StartPage& start, double height) {
    const double side = std::min(height, (room_width() - points(gui, 20)) / 2);
    if (side < points(gui, 60)) return;
    const float top = ImGui::GetCursorPosY();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    double x = at.x + (room_width() - 2 * side - points(gui, 20)) / 2;
    for (const SmallWeights& weights : small_weights()) {
        draw_small_weights(gui, weights, {std::round(x), at.y, side, side});
        x += side + points(gui, 20);
    }
    take_room(1, side);
    gap(gui, 6);
    start.gives[0] = ImGui::GetCursorPosY() - top;
}

void draw_learn(Gui& gui, const Session& session, Ui& ui, StartPage& start, double room) {
    draw_head(gui, "Learn",
              fmt::format("{} lessons that ask before they show. The first takes fifteen minutes "
                          "and needs no knowledge of attention.",
                          start.lessons));
    draw_picture(gui, start, room);
    const std::string begin = "Start: " + start.first_title;
    if (const auto& left = start.continues) {
        const std::string words =
            fmt::format("Continue: {}, {} of {}", left->title, left->step + 1, left->steps);
        if (door_button(gui, start, Door::learn, words, true)) go_on_with(session, ui, start);
        if (door_link(gui, start, Door::learn, begin)) begin_course(ui);
    } else if (door_button(gui, start, Door::learn, begin, true)) {
        begin_course(ui);
    }
    if (door_link(gui, start, Door::learn, "All lessons, steps and exercises"))
        ui.commands.push_back(open_lessons);
    if (door_link(gui, start, Door::learn, "Questions that students ask"))
        ui.commands.push_back([](App& app) { open_help_page(app.ui, "questions"); });
}

// Draws the field for a sentence. Returns true on Enter, which opens the bench even if nothing was
// changed.
bool draw_sentence(Gui& gui, StartPage& start, const char* id, std::string& text,
                   const std::string& hint) {
    FieldOptions options{.height = 44, .hint = hint, .style = {.size = 15}};
    options.on_tab = [](const std::string& typed) { return typed; };  // let Tab leave the panel
    const bool was_edited = edited_text(gui, id).has_value();
    const bool enter = was_pressed(gui, GLFW_KEY_ENTER) || was_pressed(gui, GLFW_KEY_KP_ENTER);
    if (const auto typed = text_field(gui, id, text, options)) text = *typed;
    note_control(gui, start, Door::sentence, id);
    const auto now = edited_text(gui, id);
    if (now) {
        text = *now;
        start.door = Door::sentence;
    }
    return was_edited && !now && enter;
}

void draw_masks(Gui& gui, StartPage& start) {
    const double left = ImGui::GetCursorScreenPos().x, right = left + room_width();
    for (std::size_t k = 0; k < first_masks.size(); ++k) {
        if (k > 0) {
            same_line(gui, 8);
            if (ImGui::GetCursorScreenPos().x + chip_width(gui, first_masks[k].name) > right) {
                ImGui::NewLine();
                set_cursor(left, ImGui::GetCursorScreenPos().y);
            }
        }
        if (chip(gui, first_masks[k].name, {.selected = k == start.mask}).clicked) start.mask = k;
        note_control(gui, start, Door::sentence, first_masks[k].name);
        tooltip_below(gui, first_masks[k].tip);
    }
    gap(gui, 2);
}

// Draws why an action was refused, near the control that was pressed.
void draw_refusal(Gui& gui, const Session& session) {
    const auto& message = session.message();
    if (message && message->wrong) paragraph(gui, message->text, {.role = Role::wrong});
}

void draw_own_sentence(Gui& gui, const Session& session, Ui& ui, StartPage& start) {
    draw_head(gui, "Try your own sentence",
              "Block cells of its mask, compare two ways of applying it, and break a row.");
    bool opens = draw_sentence(gui, start, sentence_field, start.sentence, "A sentence");
    if (const FirstMask& mask = first_masks[start.mask]; mask.crosses())
        opens |=
            draw_sentence(gui, start, answer_field_id, start.answer, std::string(mask.queries));
    draw_masks(gui, start);
    opens |= door_button(gui, start, Door::sentence, "Try it", false);
    if (opens) open_bench(gui, ui, start);
    if (start.door == Door::sentence) draw_refusal(gui, session);
}

void draw_drop_area(Gui& gui, double height) {
    const Rect rect = row_at_cursor(gui, height);
    const Colour line = colours(gui)[Role::hatch];
    const double dash = points(gui, 6), width = std::max(1.0, points(gui, 1.5));
    const auto draw = [&](Point from, Point to) {
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        for (double at = 0; at < length; at += 2 * dash) {
            const double begin = at / length, end = std::min(1.0, (at + dash) / length);
            panel_list().AddLine(
                imgui_point({from.x + (to.x - from.x) * begin, from.y + (to.y - from.y) * begin}),
                imgui_point({from.x + (to.x - from.x) * end, from.y + (to.y - from.y) * end}),
                imgui_colour(line), static_cast<float>(width));
        }
    };
    draw({rect.x, rect.y}, {rect.right(), rect.y});
    draw({rect.right(), rect.y}, {rect.right(), rect.bottom()});
    draw({rect.right(), rect.bottom()}, {rect.x, rect.bottom()});
    draw({rect.x, rect.bottom()}, {rect.x, rect.y});
    draw_text(gui, {.at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                    .text = "Drop a file here",
                    .style = {.size = 14 * gui.scale},
                    .role = Role::dim,
                    .anchor = Anchor::centre});
    take_room(rect.w, rect.h);
    gap(gui, 4);
}

void draw_model(Gui& gui, const Session& session, Ui& ui, StartPage& start, double room) {
    draw_head(gui, "Look into a model",
              "Queries, keys, weights or a mask that a program wrote: .safetensors, .npz, .npy. Or "
              "a scene or figure made here.");
    constexpr double lowest = 40, highest = 110;  // points
    const double drop = std::clamp(room / gui.scale, lowest, highest);
    draw_drop_area(gui, drop);
    start.gives[2] = points(gui, drop) - points(gui, lowest);
    if (door_button(gui, start, Door::model, "Open a file…", false))
        ui.commands.push_back(open_file);
    if (door_link(gui, start, Door::model, "How to save them from PyTorch or transformers"))
        ui.commands.push_back([](App& app) { open_help_page(app.ui, "models"); });
    if (start.door != Door::sentence) draw_refusal(gui, session);
}

void draw_recent(Gui& gui, Ui& ui, StartPage& start) {
    if (start.recent.empty()) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Text word{.at = {at.x, at.y + points(gui, 14)},
                    .text = "Recent",
                    .style = {.size = 14 * gui.scale},
                    .role = Role::dim};
    draw_text(gui, word);
    set_cursor(at.x + measure(word.text, word.style).width + points(gui, 14), at.y);
    for (const fs::path& path : start.recent) {
        const std::string name = printable(path.filename().string());
        if (room_width() < chip_width(gui, name)) break;
        const std::string id = fmt::format("{}##recent{}", name, path.string());
        if (chip(gui, id).clicked) ui.commands.push_back(open_recent(path));
        note_control(gui, start, Door::recent, id);
        tooltip_below(gui, printable(path.string()));
        same_line(gui, 10);
    }
    ImGui::NewLine();
}

// --- the places of the panels

struct Places {
    std::array<Rect, 3> doors;
    double recent = 0;  // the y of the recent files
    double picture = 0, drop = 0;
};

// True if the panels are one below the other, because the window is narrow.
bool stacks(const Gui& gui, const Rect& rect) { return rect.w < points(gui, 900); }

double padding_of(const Gui& gui, double width) {
    return points(gui, width < points(gui, 380) ? small_padding : door_padding);
}

Places places_of(const Gui& gui, const StartPage& start, const Rect& rect, double top) {
    Places places;
    const double space = points(gui, door_gap);
    if (stacks(gui, rect)) {
        const double x = rect.x + points(gui, 20), w = std::max(1.0, rect.w - points(gui, 48));
        double y = top;
        for (std::size_t k = 0; k < 3; ++k) {
            const double height = start.heights[k].value_or(points(gui, 280));
            places.doors[k] = {x, y, w, height + 2 * padding_of(gui, w)};
            y = places.doors[k].bottom() + points(gui, 16);
        }
        places.drop = points(gui, 60);
    } else {
        const double all = std::min(rect.w - points(gui, 80), points(gui, 1380));
        const double first = std::round((all - 2 * space) * 0.36);
        const double others = std::round((all - 2 * space - first) / 2);
        double height =
            std::clamp(rect.bottom() - top - points(gui, 110), points(gui, 330), points(gui, 440));
        for (std::size_t k = 0; k < 3; ++k)
            height = std::max(height, start.heights[k].value_or(0) - start.gives[k] +
                                          2 * padding_of(gui, k == 0 ? first : others));
        const double x = std::round(rect.x + (rect.w - all) / 2);
        places.doors = {Rect{x, top, first, height}, Rect{x + first + space, top, others, height},
                        Rect{x + first + others + 2 * space, top, others, height}};
        const double below = start.continues ? 350 : 316;  // points for everything else on the page
        places.picture = std::min(points(gui, 130), height - points(gui, below));
        places.drop = height - points(gui, 310);
    }
    places.recent = places.doors.back().bottom() + points(gui, 24);
    return places;
}

// Draws a panel. It does not scroll by itself, only with the page.
void draw_door(Gui& gui, StartPage& start, Door door, const Rect& rect,
               const std::function<void()>& draw) {
    const bool focused = start.door == door;
    draw_box(gui, {.rect = rect,
                   .radius = points(gui, 14),
                   .filled = true,
                   .outlined = true,
                   .fill = Role::panel,
                   .outline = focused ? Role::variant_a : Role::line,
                   .line_width = std::max(1.0, points(gui, focused ? 2 : 1))});
    if (ImGui::IsMouseClicked(0) && is_uppermost(gui) && rect.contains(gui.now.pointer))
        start.door = door;
    const double padding = padding_of(gui, rect.w);
    const double ring = points(gui, 6);  // for the ring around a focused control
    set_cursor(rect.x + padding - ring, rect.y + padding - ring);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, imgui_point({ring, ring}));
    ImGui::PushID(static_cast<int>(door));
    start.gives[static_cast<std::size_t>(door)] = 0;
    const bool drawn = ImGui::BeginChild("door",
                                         imgui_size(std::max(1.0, rect.w - 2 * (padding - ring)),
                                                    std::max(1.0, rect.h - 2 * (padding - ring))),
                                         false,
                                         ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                                             ImGuiWindowFlags_AlwaysUseWindowPadding);
    draw();
    if (drawn)
        start.heights[static_cast<std::size_t>(door)] =
            ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y - ring;
    ImGui::EndChild();
    ImGui::PopID();
    ImGui::PopStyleVar();
}

// --- keys

void focus_door(Gui& gui, StartPage& start, Door door) {
    start.door = door;
    start.comes = 3;
    if (door == Door::sentence) return edit_field(gui, sentence_field, start.sentence);
    gui.editing.reset();
    gui.focus.of.back() = start.first_controls[static_cast<std::size_t>(door)];
    gui.focus.came = true;
}

void use_keys(Gui& gui, StartPage& start) {
    if (!takes_keys(gui)) return;
    const int doors = start.recent.empty() ? 3 : 4;
    if (was_pressed(gui, GLFW_KEY_TAB)) {
        const int by = (gui.now.modifiers & GLFW_MOD_SHIFT) != 0 ? doors - 1 : 1;
        return focus_door(gui, start,
                          static_cast<Door>((static_cast<int>(start.door) + by) % doors));
    }
    const bool down = was_pressed(gui, GLFW_KEY_DOWN), up = was_pressed(gui, GLFW_KEY_UP);
    if (gui.editing) {
        const unsigned field = start.first_controls[static_cast<std::size_t>(Door::sentence)];
        if (!down && !up) return;
        gui.editing->leave = true;
        gui.focus.of.back() = field;
    }
    const bool right = was_pressed(gui, GLFW_KEY_RIGHT), left = was_pressed(gui, GLFW_KEY_LEFT);
    if (down || right) gui.focus.move = 1;
    if (up || left) gui.focus.move = -1;
    const bool presses = was_pressed(gui, GLFW_KEY_ENTER) || was_pressed(gui, GLFW_KEY_KP_ENTER) ||
                         was_pressed(gui, GLFW_KEY_SPACE);
    if (!presses) return;
    if (!anything_has_focus(gui)) focus_door(gui, start, start.door);
    press_focused(gui);
}

// Scrolls the page to the panel that has the keyboard. While that panel is out of view, its
// controls are not drawn; the focused one is therefore scrolled into view in the next pass.
void keep_in_sight(const Gui& gui, StartPage& start, const Rect& rect, const Places& at) {
    if (start.comes == 0) return;
    --start.comes;
    if (start.door == Door::recent) return ImGui::SetScrollHereY();
    const Rect& door = at.doors[static_cast<std::size_t>(start.door)];
    const bool drawn = door.bottom() > rect.y && door.y < rect.bottom();
    Rect come = drawn && gui.focus.ring ? *gui.focus.ring : door;
    if (start.door == Door::sentence) come.h = std::min(come.h, points(gui, 200));  // the field
    if (come.y >= rect.y && come.bottom() <= rect.bottom()) return;
    const double above = std::max(0.0, (rect.h - come.h) / 2);
    ImGui::SetScrollY(ImGui::GetScrollY() + static_cast<float>(come.y - rect.y - above));
}

double draw_title(Gui& gui, const Rect& rect) {
    const bool low = rect.h < points(gui, 700);
    const double top = rect.y + points(gui, low ? 34 : 84);
    double y = top + points(gui, 14);
    const auto centred = [&](const std::string& text, const TextStyle& style, Role role) {
        const double room = std::max(1.0, rect.w - points(gui, 40));
        for (const std::string& line : broken_into_lines(text, style, room)) {
            draw_text(gui, {.at = {rect.x + rect.w / 2, y},
                            .text = line,
                            .style = style,
                            .role = role,
                            .anchor = Anchor::centre});
            y += 1.35 * style.size;
        }
    };
    centred("See what a mask does to attention",
            {.size = points(gui, low ? 28 : 36), .weight = Weight::bold}, Role::ink);
    y += points(gui, low ? 0 : 4);
    centred("Every number of softmax(QKᵀ/√d + M)V, live. Block a cell and watch what changes.",
            {.size = points(gui, low ? 15 : 18)}, Role::dim);
    return y + points(gui, low ? 16 : 36);
}

}  // namespace

// Draws three panels and the recent files. Tab moves between panels, arrow keys within one, and
// Enter opens the one that has the focus.
Rect draw_overlay(App& app, StartPage& start) {
    Gui& gui = app.gui;
    const Session& session = app.session;
    Ui& ui = app.ui;
    const Rect rect = app.panels.over_bench;
    if (rect.h <= 0) return {};
    if (!start.made) make(start, session);
    begin_panel(gui, "start", rect, {.ground = Role::ground, .padding = 0});
    const ImVec2 scrolled = ImGui::GetCursorScreenPos();
    const Rect page{scrolled.x, scrolled.y, std::max(1.0, room_width()), rect.h};
    use_keys(gui, start);
    if (start.comes > 0) gui.focus.came = true;  // also scroll within the panel
    start.first_controls.fill(0);
    const Places at = places_of(gui, start, page, draw_title(gui, page));
    draw_door(gui, start, Door::learn, at.doors[0],
              [&] { draw_learn(gui, session, ui, start, at.picture); });
    draw_door(gui, start, Door::sentence, at.doors[1],
              [&] { draw_own_sentence(gui, session, ui, start); });
    draw_door(gui, start, Door::model, at.doors[2],
              [&] { draw_model(gui, session, ui, start, at.drop); });
    set_cursor(at.doors[0].x, at.recent);
    draw_recent(gui, ui, start);
    gap(gui, 12);
    keep_in_sight(gui, start, rect, at);
    end_panel();
    draw_left_behind(gui, ui, app.panels.left_behind);
    return rect;
}

}  // namespace maskscope
