// Tests that the scene in a figure is read unchanged or refused, and that an untrusted figure does
// no harm.

#include "app/session/files/carried.h"

#include <zip.h>
#include <zlib.h>

#include <optional>

#include "app/figure/write/payload.h"
#include "app/figure/write/pdf.h"
#include "app/figure/write/png.h"
#include "app/figure/write/svg.h"
#include "app/session/files/load.h"
#include "core/base/matrix.h"
#include "core/tensors/tensor_file.h"
#include "tests/unit/app/figure/sample_figure.h"
#include "tests/unit/app/session/session_parts.h"

namespace maskscope {
namespace {

namespace fs = std::filesystem;

// Makes $XDG_CACHE_HOME a folder of the test's own as long as the object exists.
struct Cache {
    Folder folder;
    Cache() { ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
    ~Cache() { ::unsetenv("XDG_CACHE_HOME"); }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;
};

std::string tensor_bytes(Index rows, double x) {
    Stage stage(1, 1, rows, 2, true);
    stage.set_head(0, 0, Matrix::Constant(rows, 2, x));
    return npy_bytes(stage);
}

// Returns the bytes of a PNG's chunk; its checksum is zlib's.
std::string chunk(const std::string& kind, const std::string& content) {
    const auto number = [](std::uint32_t n) {
        return std::string{char(n >> 24), char(n >> 16), char(n >> 8), char(n)};
    };
    const std::string summed = kind + content;
    const auto* bytes = reinterpret_cast<const unsigned char*>(summed.data());
    return number(std::uint32_t(content.size())) + summed +
           number(std::uint32_t(crc32(0, bytes, unsigned(summed.size()))));
}

std::string scene_text(Index rows) {
    std::string queries;
    for (Index k = 0; k < rows; ++k) queries += std::string(k > 0 ? ", " : "") + "\"a\"";
    return R"({"maskscope": 1, "sequences": [{"queries": [)" + queries +
           R"(]}], "inputs": {"kind": "tensors", "queries": "q.npy", "keys": "deep/k.npy"},
           "variants": [{"name": "A"}]})";
}

// Writes a scene whose numbers are in q.npy and deep/k.npy, and returns it as it is read from
// there.
Scene tensor_scene(const Folder& folder, Index rows = 3) {
    fs::create_directory(folder / "deep");
    write_bytes(folder / "q.npy", tensor_bytes(rows, 0.5));
    write_bytes(folder / "deep/k.npy", tensor_bytes(rows, 0.25));
    write_bytes(folder / "scene.json", scene_text(rows));
    return load_scene((folder / "scene.json").string()).scene;
}

CarriedScene sample_carried() {
    Folder folder;
    return carried_of(tensor_scene(folder), folder);
}

using Write = std::string (*)(const std::string& payload);
constexpr Write writers[] = {
    [](const std::string& payload) {
        return png_bytes(sample::figure(),
                         {.dpi = 40, .description = "“words”", .payload = payload});
    },
    [](const std::string& payload) {
        return svg_text(sample::figure(), {.description = "<words>", .payload = payload});
    },
    [](const std::string& payload) {
        return pdf_bytes(sample::figure(), {.descriptions = {"words"}, .payload = payload});
    }};

// Returns nullopt if the figure contains no scene, or if it is refused with an error of one line;
// lets every other exception pass, to fail the test.
std::optional<CarriedScene> carried_in(const std::string& figure) {
    try {
        const auto payload = payload_of(figure);
        return payload ? std::optional(unpacked(*payload)) : std::nullopt;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()), "");
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return std::nullopt;
    }
}

// --- whole figures

TEST(CarriedScene, EveryFormatGivesBackTheSameBytes) {
    const CarriedScene carried = sample_carried();
    EXPECT_EQ(carried.files.size(), 2U);
    EXPECT_EQ(packed(carried), packed(carried));
    for (const Write write : writers) {
        const std::string figure = write(packed(carried));
        EXPECT_TRUE(is_figure_file(figure));
        EXPECT_EQ(carried_in(figure), carried);
        EXPECT_EQ(write(packed(carried)), figure) << "the same bytes every time";
        EXPECT_EQ(payload_of(write("")), std::nullopt) << "bare";
    }
}

TEST(CarriedScene, TheTextsOfAStrangersPngAreNotUnpacked) {
    const CarriedScene carried = sample_carried();
    const std::string png = writers[0](packed(carried));
    constexpr std::size_t head = 33;  // bytes up to the end of IHDR
    std::string packed_zeros(1 << 17, '\0');
    const std::string zeros(100'000'000, '\0');
    uLongf size = packed_zeros.size();
    ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed_zeros.data()), &size,
                       reinterpret_cast<const Bytef*>(zeros.data()), zeros.size()),
              Z_OK);
    packed_zeros.resize(size);
    const std::string bomb = chunk("iTXt", std::string("Comment\0\1\0\0\0", 12) + packed_zeros);
    std::string bombs = png;
    for (int k = 0; k < 50; ++k) bombs.insert(head, bomb);  // 5 GB
    EXPECT_EQ(carried_in(bombs), carried);
}

TEST(CarriedScene, ASceneIsFoundBehindThePixelsToo) {
    const CarriedScene carried = sample_carried();
    std::string png = writers[0](packed(carried));
    const std::size_t at = png.find("iTXtmaskscope") - 4;
    ASSERT_LT(at, png.size());
    const auto byte = [&](std::size_t k) { return std::size_t(std::uint8_t(png[at + k])); };
    const std::size_t size = (byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3)) + 12;
    const std::string text = png.substr(at, size);
    png.erase(at, size);
    png.insert(png.size() - 12, text);  // before IEND
    EXPECT_EQ(carried_in(png), carried);
    EXPECT_EQ(carried_in(png + "tail"), carried) << "bytes after the end are not a chunk";
}

TEST(CarriedScene, ASceneMayHaveTheLettersOfAPdf) {
    EXPECT_FALSE(is_figure_file(R"( {"maskscope": 1, "title": "%PDF-1.7 is its head"})"));
    EXPECT_TRUE(is_figure_file("\n%PDF-1.7"));
}

TEST(CarriedScene, LargeTensorsAreOnlyNamed) {
    Folder folder;
    const CarriedScene carried = carried_of(tensor_scene(folder, 40'000), folder);  // 640 kB each
    EXPECT_TRUE(carried.files.empty());
    EXPECT_EQ(unpacked(packed(carried)), carried);
    fs::remove(folder / "q.npy");
    EXPECT_FALSE(carried.scene.empty());
}

TEST(CarriedScene, OtherNumbersThanAreDrawnAreOnlyNamed) {
    Folder folder;
    const Scene scene = tensor_scene(folder);
    EXPECT_EQ(carried_of(scene, folder).files.size(), 2U);
    write_bytes(folder / "q.npy", tensor_bytes(3, 9));
    EXPECT_TRUE(carried_of(scene, folder).files.empty());
}

TEST(CarriedScene, AFigureOpensInTheWindowAsAnUnsavedScene) {
    Folder folder;
    const Cache cache;
    const Scene scene = tensor_scene(folder);
    const std::string payload = packed(carried_of(scene, folder));
    Folder elsewhere;
    for (std::size_t k = 0; k < std::size(writers); ++k) {
        const fs::path figure = elsewhere / ("figure" + std::to_string(k));
        write_bytes(figure, writers[k](payload));
        EXPECT_EQ(load_scene(figure.string()).scene, scene);
        Tested t;
        ASSERT_TRUE(t.session.open(figure)) << t.message();
        EXPECT_EQ(t.session.scene(), scene);
        EXPECT_EQ(t.session.document().path(), std::nullopt)
            << "saving must not replace the figure";
        EXPECT_EQ(t.session.document().figure_path, figure) << "but it is opened again";
        ASSERT_TRUE(t.session.save_as(elsewhere / "again.json", true));
        EXPECT_EQ(bytes_of(elsewhere / "deep/k.npy"), tensor_bytes(3, 0.25));
        EXPECT_EQ(load_scene((elsewhere / "again.json").string()).scene, scene);
    }
    EXPECT_EQ(elsewhere.entries(), 7U) << "three figures, the scene, two tensors and their folder";
}

TEST(CarriedScene, OpeningSaysWhatIsMissing) {
    Folder folder;
    CarriedScene carried = sample_carried();
    carried.files.clear();
    write_bytes(folder / "named.png", writers[0](packed(carried)));
    write_bytes(folder / "bare.svg", writers[1](""));
    write_bytes(folder / "cut.pdf", writers[2](packed(carried)).substr(0, 3000));
    const auto error_of = [&](const std::string& name) -> std::string {
        try {
            load_scene((folder / name).string());
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const std::string at = folder.path().string() + "/";
    EXPECT_EQ(error_of("named.png"),
              at + "named.png: /inputs/queries: q.npy: No such file or directory");
    EXPECT_EQ(error_of("bare.svg"), at + "bare.svg: contains no scene");
    EXPECT_EQ(error_of("cut.pdf"), at + "cut.pdf: contains no scene");
    // The figure also opens beside the files of the scene.
    tensor_scene(folder);
    EXPECT_EQ(error_of("named.png"), "");
}

// --- damaged figures

TEST(CarriedScene, ACutFigureIsRefusedOrGivesTheSameScene) {
    const CarriedScene carried = sample_carried();
    for (const Write write : writers) {
        const std::string figure = write(packed(carried));
        for (std::size_t percent = 0; percent < 100; ++percent) {
            const auto found = carried_in(figure.substr(0, figure.size() * percent / 100));
            EXPECT_TRUE(!found || *found == carried) << percent;
        }
    }
}

TEST(CarriedScene, AChangedByteIsRefusedOrGivesTheSameScene) {
    const CarriedScene carried = sample_carried();
    const std::string archive = packed(carried);
    for (const Write write : writers) {
        const std::string figure = write(archive);
        int same = 0, refused = 0;
        const std::size_t step = figure.size() / 1000 + 1;
        for (std::size_t at = 0; at < figure.size(); at += step) {
            std::string changed = figure;
            changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
            const auto found = carried_in(changed);
            EXPECT_TRUE(!found || *found == carried) << at;
            ++(found ? same : refused);
        }
        EXPECT_GT(same, 0);
        EXPECT_GT(refused, 0);
    }
    for (std::size_t at = 0; at < archive.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string changed = archive;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            try {
                const CarriedScene found = unpacked(changed);
                EXPECT_EQ(found.scene, carried.scene) << at;
                // If the name of a file changed, the file is reported as missing later.
                for (const auto& [name, bytes] : found.files)
                    EXPECT_TRUE(bytes == carried.files.at("q.npy") ||
                                bytes == carried.files.at("deep/k.npy"))
                        << at;
            } catch (const InputError&) {}
        }
}

// --- hostile archives

std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries) {
    zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, nullptr);
    zip_t* archive = zip_open_from_source(source, ZIP_TRUNCATE, nullptr);
    zip_source_keep(source);
    for (const auto& [name, bytes] : entries)
        zip_file_add(archive, name.c_str(),
                     zip_source_buffer(archive, bytes.data(), bytes.size(), 0), ZIP_FL_ENC_RAW);
    zip_close(archive);
    std::string bytes(1 << 20, '\0');
    zip_source_open(source);
    bytes.resize(static_cast<std::size_t>(zip_source_read(source, bytes.data(), bytes.size())));
    zip_source_close(source);
    zip_source_free(source);
    return bytes;
}

std::string refusal(const std::string& archive) {
    try {
        unpacked(archive);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(CarriedScene, PathsThatLeaveTheFolderAreRefused) {
    for (const char* name : {"../q.npy", "/tmp/q.npy", "a/../../q.npy", "deep/..", "q.sh", "q",
                             ".bashrc", "scene.json.npy/", "scene.JSON"})
        EXPECT_NE(refusal(zipped({{"scene.json", "{}"}, {name, "x"}})), "") << name;
    EXPECT_EQ(refusal(zipped({{"scene.json", "{}"}, {"deep/q.npy", "x"}})), "");
}

TEST(CarriedScene, BombsAndCrowdsAreRefused) {
    const std::string zeros(100U << 20U, '\0');
    EXPECT_EQ(refusal(zipped({{"scene.json", zeros}})), "contains more than a figure may");
    EXPECT_EQ(refusal(zipped({{"scene.json", "{}"}, {"q.npy", zeros.substr(0, 1'000'001)}})),
              "contains more than a figure may");
    std::vector<std::pair<std::string, std::string>> many{{"scene.json", "{}"}};
    for (int k = 0; k < 101; ++k) many.emplace_back(std::to_string(k) + ".npy", "");
    EXPECT_EQ(refusal(zipped(many)), "contains more files than a figure may");
    EXPECT_EQ(refusal(zipped({{"q.npy", "x"}})), "the scene that it contains is damaged");
    EXPECT_EQ(refusal("no zip at all"), "the scene that it contains is damaged");
}

TEST(CarriedScene, AScenesOwnRulesHold) {
    Folder folder;
    const Cache cache;
    const auto error_of = [&](const std::string& scene) -> std::string {
        write_bytes(folder / "f.svg", writers[1](zipped({{"scene.json", scene}})));
        try {
            load_scene((folder / "f.svg").string());
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), 2);
            return std::string(error.what()).substr(folder.path().string().size() + 1);
        }
        return "";
    };
    EXPECT_EQ(error_of("{"),
              "f.svg: line 1, column 2: unexpected end of input; expected string literal")
        << "as a file";
    EXPECT_EQ(error_of(R"({"maskscope_lesson": 1})"), "f.svg: contains a lesson; expected a scene");
    EXPECT_EQ(folder.entries(), 1U);
}

}  // namespace
}  // namespace maskscope
