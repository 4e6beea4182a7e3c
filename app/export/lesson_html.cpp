
#include <fmt/format.h>

#include "app/export/html_text.h"
#include "app/figure/write/svg.h"

namespace maskscope {

namespace {

// Returns an address in single quotes: each picture keeps the names of its own parts.
std::string picture_address(const std::string& svg) {
    std::string address = "data:image/svg+xml,";
    for (const char c : svg)
        if (c == '\n')
            address += ' ';
        else if (c == '<' || c == '>' || c == '#' || c == '%' || c == '&' || c == '\'')
            address += fmt::format("%{:02X}", static_cast<unsigned>(c));
        else
            address += c;
    return address;
}

std::string table_html(const StepTable& table) {
    std::string html;
    for (const std::vector<std::string>& row : table) {
        const char* const tag = &row == &table.front() ? "th" : "td";
        html += "<tr>";
        for (const std::string& cell : row)
            html += fmt::format("<{0}>{1}</{0}>", tag, html_words(cell));
        html += "</tr>\n";
    }
    return html.empty() ? "" : "<table>\n" + html + "</table>\n";
}

std::string page_html(const LessonPage& page, ThemeKind theme) {
    const std::string words = html_words(page.words);
    return fmt::format(
        "<section data-step=\"{}\"{}>\n<h2>{}</h2>\n<div><img alt=\"{}\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" src='{}'></div>\n{}<p class=\"words\">{}</p>\n{}{}{}</section>\n",
        page.step + 1, page.asks ? " data-asks" : "", html_text(page.title),
        html_text(words_instead(page)), page.figure.width, page.figure.height,
        picture_address(svg_text(page.figure, {.theme = theme, .title = page.title})),
        page.asked.empty() ? ""
                           : fmt::format("<p class=\"claim\">{} <b>{}</b></p>\n",
                                         html_words(page.asked), html_words(page.answer)),
        words,
        page.claim.empty() ? ""
                           : fmt::format("<p class=\"claim\">{}</p>\n", html_words(page.claim)),
        table_html(page.table),
        page.notes.empty() ? ""
                           : fmt::format("<details><summary>Notes</summary><p>{}</p></details>\n",
                                         html_words(page.notes)));
}

constexpr const char* script = R"(<script>
(() => {
  const pages = [...document.querySelectorAll("section")];
  const last = pages[pages.length - 1].dataset.step;
  const [back, next] = document.querySelectorAll("nav button");
  const place = document.querySelector("nav output");
  let at = 0;
  const show = (k) => {
    at = Math.max(0, Math.min(pages.length - 1, k));
    pages.forEach((page, j) => { page.hidden = j !== at; });
    const asks = "asks" in pages[at].dataset;
    next.textContent = asks ? "Show the answer" : "Next";
    back.disabled = at === 0;
    next.disabled = at === pages.length - 1;
    place.textContent = `${pages[at].dataset.step} / ${last}`;
  };
  // Back is never to a question that was answered.
  const before = () => {
    let k = at - 1;
    while (k > 0 && "asks" in pages[k].dataset) --k;
    return k;
  };
  back.onclick = () => show(before());
  next.onclick = () => show(at + 1);
  pages.forEach((page) => {
    if ("asks" in page.dataset) page.querySelector("img").onclick = () => show(at + 1);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const button = ["BUTTON", "SUMMARY"].includes(event.target.tagName);
    if (["ArrowRight", "PageDown"].includes(event.key) ||
        (!button && [" ", "Enter"].includes(event.key))) show(at + 1);
    else if (["ArrowLeft", "PageUp"].includes(event.key)) show(before());
    else if (event.key === "Home") show(0);
    else return;
    event.preventDefault();
  });
  document.querySelector("nav").hidden = false;
  show(0);
})();
</script>
)";

}  // namespace

std::string lesson_html(const Lesson& lesson, const std::vector<LessonPage>& pages,
                        ThemeKind kind) {
    const Theme& colours = theme(kind);
    std::string sections;
    for (const LessonPage& page : pages) sections += page_html(page, kind);
    const std::string style = fmt::format(
        R"(<style>
:root {{ color-scheme: {}; }}
body {{ margin: 0 auto; max-width: 75rem; padding: 1rem; background: {}; color: {};
  font: 1.1rem/1.45 Inter, system-ui, sans-serif; }}
h1 {{ font-size: 1rem; font-weight: 600; color: {}; margin: 0 0 .5rem; }}
h2 {{ font-size: 1.5rem; margin: 0 0 .5rem; }}
div {{ overflow-x: auto; }}
img {{ display: block; width: 100%; min-width: 34rem; height: auto; margin: auto;
  max-height: max(19rem, 100vh - 17rem); object-fit: contain; }}
section[data-asks] img {{ cursor: pointer; }}
.words {{ font-size: 1.25rem; margin: .5rem 0 .25rem; min-height: 3.6rem; }}
.claim {{ color: {}; margin: 0; }}
table {{ border-collapse: collapse; margin: .75rem 0 0; }}
th, td {{ text-align: left; padding: .15rem 1.5rem .15rem 0; }}
details {{ margin: .75rem 0 0; max-width: 45rem; }}
nav {{ display: flex; gap: .75rem; align-items: center; margin: 1rem 0 0; }}
nav[hidden] {{ display: none; }}
button {{ font: inherit; padding: .45rem 1.1rem; border: 1px solid {}; border-radius: .4rem;
  background: {}; color: {}; cursor: pointer; }}
button:disabled {{ opacity: .45; cursor: default; }}
output {{ color: {}; }}
</style>
)",
        kind == ThemeKind::dark ? "dark" : "light", css_colour(colours[Role::ground]),
        css_colour(colours[Role::ink]), css_colour(colours[Role::dim]),
        css_colour(colours[Role::dim]), css_colour(colours[Role::hatch]),
        css_colour(colours[Role::raised]), css_colour(colours[Role::ink]),
        css_colour(colours[Role::dim]));
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n{1}</head>\n<body>\n<h1>{0}</h1>\n<main aria-live=\"polite\">\n{2}"
        "</main>\n<nav hidden><button type=\"button\">Back</button>"
        "<button type=\"button\">Next</button><output></output></nav>\n{3}</body>\n</html>\n",
        html_text(lesson.title), style, sections, script);
}

}  // namespace maskscope
