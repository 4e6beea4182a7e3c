// A text of 8 MB can be compressed to a few hundred bytes. Wherever an untrusted file, or one of
// our own, may contain a text, a long one is read or refused in linear time. When fuzzing, the
// limit is one second. Here the limit is five seconds of processor time, so that only growth that
// is faster than linear exceeds it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "app/export/export.h"
#include "app/figure/write/payload.h"
#include "app/session/course.h"
#include "app/session/document.h"
#include "app/session/files/carried.h"
#include "app/session/files/state_files.h"
#include "core/base/build.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/dump/dump.h"
#include "core/dump/plan.h"
#include "core/dump/token_text.h"
#include "core/files/file.h"
#include "core/format/model_file.h"
#include "core/format/scene_json.h"
#include "core/frameworks/framework.h"
#include "core/lesson/lesson.h"
#include "core/scene/expression.h"
#include "core/tensors/tensor_list.h"
#include "tests/support/folder.h"
#include "tests/unit/core/tensors/tensor_files.h"

namespace maskscope {
namespace {

using Text = nlohmann::ordered_json;
using Read = std::function<void(const std::string& bytes)>;

constexpr std::size_t long_text = std::size_t{8} << 20, other_text = std::size_t{1} << 16;

// Returns one long word, and texts of other kinds, which may be slow to read in other places.
std::vector<std::string> long_texts() {
    std::vector<std::string> all{std::string(long_text, 'x')};
    for (const std::string part :
         {"(", "{", "1", " 1", "-", "\n", "é", "<pad> ", "a.", "[[\"", "\\"}) {
        std::string text;
        while (text.size() < other_text) text += part;
        all.push_back(std::move(text));
    }
    return all;
}

void expect_quick(const std::string& what, const Read& read, const std::string& bytes) {
    const std::clock_t start = std::clock();
    try {
        read(bytes);
    } catch (const Error& error) {
        EXPECT_LE(std::string(at_file("f", error).what()).size(), 300U) << what;
    }
    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 5) << what;
}

// Stand in a JSON value for a word of 8 MB and for one of 1 MB, which nlohmann-json takes longer to
// write than the program to read.
const std::string long_word = "<8 MB>", long_key = "<1 MB>";

std::string dumped(const Text& value) {
    std::string bytes = value.dump(-1, ' ', false, Text::error_handler_t::replace);
    for (const auto& [word, size] : {std::pair{long_word, long_text}, {long_key, long_text / 8}})
        if (const std::size_t at = bytes.find(word); at != std::string::npos)
            bytes.replace(at, word.size(), size, 'x');
    return bytes;
}

// Replaces each text of a JSON value, and each key, by long ones; of equal places in a list, only
// one is tried.
class LongTexts {
public:
    LongTexts(std::string name, Text sample, std::function<std::string(const Text&)> bytes,
              Read read)
        : name_(std::move(name)),
          sample_(std::move(sample)),
          bytes_(std::move(bytes)),
          read_(std::move(read)) {}

    // seen: the places that were already tried, in this sample or another.
    void try_all(std::set<std::string>& seen) { visit(sample_, "", name_, seen); }

private:
    // Visits each place once. A place is its key and the one above it: deeper values are read by
    // the same code.
    void visit(Text& value, const std::string& in, const std::string& key,
               std::set<std::string>& seen) {
        const std::string place = in + "/" + key;
        if (value.is_string() && seen.insert(place).second) {
            const Text before = value;
            for (const std::string& text : texts_) {
                value = text.size() == long_text ? long_word : text;
                expect_quick(place + " = " + text.substr(0, 8), read_, bytes_(sample_));
            }
            value = before;
        }
        if (value.is_array())
            for (Text& item : value) visit(item, in, key, seen);
        if (!value.is_object()) return;
        for (auto& [name, item] : value.items())
            visit(item, key, name.starts_with("/") ? "an address" : name, seen);
        if (!seen.insert(place + ", a key").second) return;
        const Text before = value;
        value[long_key] = 1;
        expect_quick(place + " with a long key", read_, bytes_(sample_));
        value = before;
    }

    std::string name_;
    Text sample_;
    std::function<std::string(const Text&)> bytes_;
    Read read_;
    const std::vector<std::string> texts_ = long_texts();
};

std::vector<fs::path> json_files(const fs::path& in) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(in))
        if (entry.path().filename() == "scene.json" ||
            (in.filename() != "golden" && entry.path().extension() == ".json"))
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

using ReadIn = std::function<void(const std::string& bytes, const fs::path& folder)>;

void try_files(const std::string& name, const std::string& folder, const ReadIn& read) {
    std::set<std::string> seen;
    for (const fs::path& file : json_files(fs::path(source_folder()) / folder))
        LongTexts(name, Text::parse(read_file(file)), dumped, [&](const std::string& bytes) {
            read(bytes, file.parent_path());
        }).try_all(seen);
    EXPECT_GT(seen.size(), 4U) << name;
}

TEST(LongTexts, OfScenes) {
    for (const char* folder : {"tests/data/golden", "tests/data/views", "assets/scenes"})
        try_files("scene", folder,
                  [](const std::string& bytes, const fs::path& in) { read_scene(bytes, in); });
}

// Lessons are tested without their scenes, which are read like other scenes.
TEST(LongTexts, OfLessons) {
    std::set<std::string> seen;
    for (const fs::path& file : json_files(assets_folder() / "lessons")) {
        Text lesson = Text::parse(read_file(file));
        for (const Text steps = lesson["steps"]; const Text& step : steps) {
            const Text scene = step["scene"];
            lesson["steps"] = Text::array({step});
            lesson["steps"][0].erase("scene");
            const auto with_scene = [&](Text changed) {
                for (Text& one : changed["steps"]) one["scene"] = scene;
                return dumped(changed);
            };
            LongTexts("lesson", lesson, with_scene, [&](const std::string& bytes) {
                read_draft(bytes, file.parent_path());
            }).try_all(seen);
        }
    }
    EXPECT_GT(seen.size(), 20U);
}

TEST(LongTexts, OfFrameworks) {
    try_files("framework", "assets/frameworks",
              [](const std::string& bytes, const fs::path&) { read_framework(bytes); });
}

TEST(LongTexts, OfTokenizers) {
    std::set<std::string> seen;
    for (const char* sample : {R"(["a", "Ġb"])", R"([["▁a"], ["<0x0A>"]])",
                               R"({"model": {"type": "BPE", "vocab": {"a": 0, "Ġb": 1}},
              "added_tokens": [{"id": 2, "content": "c"}]})"})
        LongTexts("tokenizer", Text::parse(sample), dumped, read_tokens).try_all(seen);
    for (const std::string& text : long_texts()) expect_quick("tokens", read_tokens, text);
}

TEST(LongTexts, OfExpressions) {
    for (const std::string part : {"x", "1", "i+", "(", "-", "!", "i ", "min(", "1e", "j<", "."}) {
        std::string text;
        while (text.size() < long_text) text += part;
        for (const std::string& whole : {text, text + "1", "(" + text})
            expect_quick(
                "expression " + part, [](const std::string& all) { Expression{all}; }, whole);
    }
}

TEST(LongTexts, OfUnsavedWork) {
    const fs::path top = source_folder();
    const Text work = {{"folder", "/tmp"},
                       {"path", "/tmp/scene.json"},
                       {"copy_path", "/tmp/copy.json"},
                       {"numbers", "unsaved-1.safetensors"},
                       {"scene", read_file(top / "tests/data/golden/alignment/scene.json")},
                       {"lesson", read_file(top / "assets/lessons/heads.json")},
                       {"step", 0},
                       {"lesson_is_saved", false}};
    std::set<std::string> seen;
    LongTexts("unsaved", work, dumped, [](const std::string& bytes) {
        read_unsaved(bytes, "/nonexistent");
        is_damaged_work(bytes);
    }).try_all(seen);
}

// State files are read whatever is in them.
TEST(LongTexts, OfStateFiles) {
    const Folder folder;
    const auto in = [&](const char* name, const std::function<void()>& read) {
        return [&folder, name, read](const std::string& bytes) {
            std::ofstream(folder / name, std::ios::binary) << bytes;
            read();
        };
    };
    std::set<std::string> seen;
    LongTexts("course",
              Text::parse(R"({"open": "lesson:heads", "step": 2, "seen": {"heads": [1]}})"), dumped,
              in("course.json", [&] { read_course(folder); }))
        .try_all(seen);
    LongTexts("choices", Text::parse(R"({"ending": ".svg", "theme": "print", "colours": "magma"})"),
              dumped, in("figures.json", [&] { remembered_choices(folder); }))
        .try_all(seen);
    for (const std::string& text : long_texts())
        expect_quick("recent", in("recent", [&] { recent_files(folder); }), "/tmp/" + text + "\n");
}

// Makes files of tensors from a header and the numbers that it describes.
class OfTensorFiles : public ::testing::Test {
protected:
    static std::string with_header(const Text& header, const std::string& numbers) {
        const std::string text = dumped(header);
        return little_endian(text.size(), 8) + text + numbers;
    }
    Read read_as(const char* name, const std::function<void(const fs::path&)>& read) {
        return [this, name, read](const std::string& bytes) {
            put(folder / name, bytes);
            read(folder / name);
        };
    }
    Folder folder;
};

void read_as_dump(const fs::path& file) {
    const Dump dump = read_dump(file);
    plan_of(dump, {});
    for (const ListedTensor& tensor : list_tensors(file).tensors)
        read_tensor(reference_to(tensor), file.parent_path());
}

TEST_F(OfTensorFiles, Models) {
    const std::string bytes = read_file(fs::path(source_folder()) /
                                        "assets/models/italian-english-no-causal.safetensors");
    std::size_t length = 0;
    for (int k = 7; k >= 0; --k) length = length << 8 | static_cast<unsigned char>(bytes[k]);
    const std::string numbers = bytes.substr(8 + length);
    const Text header = Text::parse(bytes.substr(8, length));
    const auto whole = [&](const Text& text) { return with_header(text, numbers); };
    const Read read = read_as("m.safetensors", [](const fs::path& file) {
        read_model("m.safetensors", file.parent_path());
    });
    // One tensor of the model is enough.
    std::set<std::string> seen;
    for (const auto& [key, value] : header.items())
        if (key != "__metadata__" && key != "b")
            seen.insert({key + "/dtype", "model/" + key + ", a key"});
    LongTexts("model", header, whole, read).try_all(seen);
    // The metadata holds JSON.
    for (const auto& [key, value] : header["__metadata__"].items()) {
        const Text inner = Text::parse(value.get<std::string>(), nullptr, false);
        if (!inner.is_structured()) continue;
        LongTexts(
            "metadata/" + key, inner,
            [&, key = key](const Text& text) {
                Text changed = header;
                changed["__metadata__"][key] = dumped(text);
                return whole(changed);
            },
            read)
            .try_all(seen);
    }
}

TEST_F(OfTensorFiles, Dumps) {
    const Text header = Text::parse(R"({"__metadata__": {"scale": "0.5", "tokens": "[\"a\"]"},
        "q": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "k": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]}})");
    std::set<std::string> seen;
    LongTexts(
        "dump", header, [](const Text& text) { return with_header(text, std::string(16, '\0')); },
        read_as("t.safetensors", read_as_dump))
        .try_all(seen);
    const Read read = read_as("t.npy", read_as_dump);
    for (const std::string& text : long_texts()) {
        expect_quick("descr", read, npy("{'descr': '" + text + "', 'shape': (), }", "", 2));
        expect_quick("key", read, npy("{'" + text + "': 1}", "", 2));
        expect_quick("shape", read, npy("{'descr': '<f4', 'shape': (" + text + "), }", "", 2));
        expect_quick("header", read, npy(text, "", 2));
    }
}

TEST_F(OfTensorFiles, Figures) {
    const auto read = [](const std::string& bytes) {
        if (!is_figure_file(bytes)) return;
        if (const auto archive = payload_of(bytes)) unpacked(*archive);
    };
    for (const std::string& text : long_texts()) {
        const std::string svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><metadata><maskscope:scene "
            "xmlns:maskscope=\"urn:maskscope\">";
        const std::string end = "</maskscope:scene></metadata></svg>";
        expect_quick("base64", read, svg + text + end);
        expect_quick("svg", read, "<svg " + text + end);
        expect_quick("pdf", read, "%PDF-1.5\n1 0 obj\n<< " + text);
        expect_quick(
            "carried", read,
            svg + base64(packed({"{\"maskscope\": 1, \"title\": \"" + text + "\"}", {}})) + end);
    }
}

}  // namespace
}  // namespace maskscope
