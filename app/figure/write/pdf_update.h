#pragma once
// Appends to a PDF what cairo cannot write, in the way the format provides: new objects that
// replace older ones, and a table of their own.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maskscope {

struct PdfAdditions {
    std::vector<std::string> descriptions{};  // the pages' /Alt texts; each page is tagged as one
                                              // Figure
    std::string payload{};                    // a file that is attached as scene.zip; "" = none
};

// Appends to pdf, which must be as cairo writes it up to version 1.4, with a table of all objects
// in clear text.
std::string with_additions(std::string pdf, const PdfAdditions& additions);

// Returns the file attached by the last update in a PDF; nullopt if there is none.
std::optional<std::string> pdf_payload(std::string_view pdf);

}  // namespace maskscope
