#include "core/lesson/address.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/compute/depends.h"
#include "core/compute/plane.h"
#include "core/compute/root_d.h"
#include "tests/support/computed.h"

namespace maskscope {
namespace {

// Returns a scene with b = 2, h = 2, n_q = n_k = 3 (the second sequence has a pad token), d_v = 2,
// and variants A and B.
Scene small_scene() {
    Scene scene;
    scene.sequences = {{{"a", "b", "c"}, {}}, {{"d", "e"}, {}}};
    scene.inputs = EmbeddingInputs{3, 2, 4, 2, 8};
    Variant added;
    added.name = "added";
    added.mask.layers = {MaskLayer{}};
    Variant multiplied = added;
    multiplied.mask.apply = Apply::multiply_weights;
    scene.variants = {added, multiplied};
    return scene;
}

double number_at(const Result& result, const std::string& address, const Entries& entries = {}) {
    const Address parsed = parse_address(address);
    return AddressReader(result, parsed).at(entries);
}

std::string place_of_error(const Scene& scene, const Address& address) {
    try {
        check_address(scene, address);
        return "exists";
    } catch (const InputError& error) {
        return error.place;
    }
}

TEST(Address, IsWrittenAsItIsRead) {
    for (const std::string text :
         {"B.sum[0,0,2]", "A-B.weights[0,1,2,sum 3-5]", "A.output[0,0,all,any 0-4]",
          "Z.gradient_leak[0,0,sum]", "A.depends[0,0,all,1]", "A.root_d.variance[64]",
          "C.outside[0,0,1]"})
        EXPECT_EQ(address_text(parse_address(text)), text);
}

TEST(Address, PartsAreReadAsTheyAreMeant) {
    const Address address = parse_address("A-C.weights[0,12,all,sum 3-5]");
    EXPECT_EQ(address.variant, 0);
    EXPECT_EQ(address.minus, 2);
    EXPECT_EQ(address.of, "weights");
    const std::vector<AddressEntry> at = {
        {AddressEntry::Kind::index, 0, {}},
        {AddressEntry::Kind::index, 12, {}},
        {AddressEntry::Kind::all, 0, {}},
        {AddressEntry::Kind::sum, 0, std::pair<Index, Index>(3, 5)}};
    EXPECT_EQ(address.at, at);
    EXPECT_EQ(parse_address("A.root_d.entropy[1024]").d, 1024);
}

TEST(Address, AnythingElseIsRefused) {
    for (const char* text : {"",
                             "B",
                             "B.sum",
                             "B.sum[",
                             "B.sum[]",
                             "B.sum[0,]",
                             "B.sum[,0]",
                             "b.sum[0]",
                             "AB.sum[0]",
                             "A-.sum[0]",
                             "A-BC.sum[0]",
                             ".sum[0]",
                             "B.sums[0]",
                             "B.[0]",
                             "B.sum [0]",
                             "B.sum[ 0]",
                             "B.sum[0, 1]",
                             "B.sum[-1]",
                             "B.sum[01]",
                             "B.sum[1.5]",
                             "B.sum[sum3-5]",
                             "B.sum[sum  3-5]",
                             "B.sum[sum 5-3]",
                             "B.sum[sum 3]",
                             "B.sum[some]",
                             "B.sum[3-5]",
                             "B.sum[all ]",
                             "B.sum[\"all\"]",
                             "B.sum[0]]",
                             "B.sum[0]x",
                             "B.sum]0[",
                             "A.root_d.variance[0]",
                             "A.root_d.variance[1025]",
                             "A.root_d.variance[all]",
                             "A.root_d.variance[1,1]",
                             "B.sum[99999999999999999999]"})
        EXPECT_THROW(parse_address(text), InputError) << text;
}

TEST(Address, ExistsByShapesAlone) {
    const Scene scene = small_scene();
    for (const char* text :
         {"A.weights[1,1,2,2]", "B.sum[1,1,2]", "A-B.scaled[0,0,0,any 0-2]", "A.allowed[0,0,0,all]",
          "A.sensitivity[0,0,0,sum]", "A.output[1,1,2,1]", "A.gradient_leak[all,all,all]"})
        EXPECT_TRUE(exists(scene, parse_address(text))) << text;
}

TEST(Address, WhatDoesNotExistIsPointedAt) {
    const Scene scene = small_scene();
    const auto place = [&](const char* text) { return place_of_error(scene, parse_address(text)); };
    EXPECT_EQ(place("C.sum[0,0,0]"), "/lane");
    EXPECT_EQ(place("A-C.sum[0,0,0]"), "/lane");
    EXPECT_EQ(place("A.sum[0,0]"), "/at");
    EXPECT_EQ(place("A.sum[0,0,0,0]"), "/at");
    EXPECT_EQ(place("A.weights[0,0,0]"), "/at");
    EXPECT_EQ(place("A.weights[2,0,0,0]"), "/at/0");
    EXPECT_EQ(place("A.weights[0,2,0,0]"), "/at/1");
    EXPECT_EQ(place("A.weights[0,0,3,0]"), "/at/2");
    EXPECT_EQ(place("A.weights[0,0,0,sum 1-3]"), "/at/3");
    EXPECT_EQ(place("A.output[0,0,0,2]"), "/at/3");
    EXPECT_EQ(place("C.root_d.variance[4]"), "/lane");
    EXPECT_EQ(place("A.outside[0,0,3]"), "/at/2");
    Address unknown = parse_address("A.sum[0,0,0]");
    unknown.of = "sums";
    EXPECT_EQ(place_of_error(scene, unknown), "/of");
}

TEST(Address, FollowsTheShapeOfTheOutput) {
    Scene scene = small_scene();
    scene.variants[1].output.kind = OutputKind::projected;  // [b, 1, n_q, h · d_v]
    EXPECT_TRUE(exists(scene, parse_address("B.output[0,0,0,3]")));
    EXPECT_FALSE(exists(scene, parse_address("B.output[0,1,0,0]")));
    EXPECT_EQ(place_of_error(scene, parse_address("A-B.output[0,0,0,0]")), "/lane");
    scene.variants[1].output.kind = OutputKind::alternative;  // [b, h, n_q, d_out]
    scene.variants[1].output.w = make_array({5, 2}, std::vector<double>(10, 1.0));
    EXPECT_TRUE(exists(scene, parse_address("B.output[0,1,0,4]")));
    EXPECT_FALSE(exists(scene, parse_address("B.output[0,1,0,5]")));
}

TEST(Address, GivenWeightsHaveNoScores) {
    Scene scene = small_scene();
    scene.inputs = WeightsInputs{make_array({2, 1, 3, 3}, std::vector<double>(18, 0.5)), {}};
    for (const char* text : {"A.scores[0,0,0,0]", "A.logits[0,0,0,0]", "A.sensitivity[0,0,0,0]",
                             "A.gradient_leak[0,0,0]", "A.output[0,0,0,0]"})
        EXPECT_EQ(place_of_error(scene, parse_address(text)), "/of") << text;
    EXPECT_TRUE(exists(scene, parse_address("A.weights[0,0,0,0]")));
    EXPECT_TRUE(exists(scene, parse_address("A.leak[0,0,0]")));
}

// Influence is that of all heads together, and exists only for embedded tokens. It is computed if
// the result lacks it.
TEST(Address, OfWhatAnOutputDependsOn) {
    Scene scene = small_scene();
    EXPECT_TRUE(exists(scene, parse_address("B.depends[1,0,all,2]")));
    EXPECT_EQ(place_of_error(scene, parse_address("A.depends[0,1,0,0]")), "/at/1");
    EXPECT_EQ(place_of_error(scene, parse_address("A.depends[0,0,0,3]")), "/at/3");
    Result result = computed(scene);
    const double number = number_at(result, "B.depends[1,0,2,1]");
    EXPECT_GT(number, 0);
    Progress progress;
    add_depends(result, progress);
    EXPECT_EQ(number_at(result, "B.depends[1,0,2,1]"), number);
    EXPECT_EQ(result.variants[1].stage(StageKind::depends).at(1, 0, 2, 1), number);
    scene.inputs = WeightsInputs{make_array({2, 1, 3, 3}, std::vector<double>(18, 0.5)), {}};
    try {
        check_address(scene, parse_address("A.depends[0,0,0,0]"));
        FAIL() << "weights have no tokens to replace";
    } catch (const InputError& error) {
        EXPECT_EQ(error.place, "/of");
        EXPECT_STREQ(error.what(),
                     "\"depends\" needs the inputs \"embedding\", or \"output\" over "
                     "\"embedding\", and at most 64 "
                     "queries and keys");
    }
}

TEST(Address, ReadsWhatTheResultHolds) {
    const Result result = computed(small_scene());
    const VariantResult& variant = result.variants[1];
    EXPECT_EQ(number_at(result, "B.weights[1,1,2,0]"),
              variant.stage(StageKind::weights).at(1, 1, 2, 0));
    EXPECT_EQ(number_at(result, "B.sum[1,1,2]"), variant.row(1, 1, 2).sum);
    EXPECT_EQ(number_at(result, "B.pads[1,0,2]"), variant.row(1, 0, 2).pads);
    EXPECT_EQ(number_at(result, "B.allowed[0,0,0,0]"), 1);
    EXPECT_EQ(number_at(result, "B.allowed[0,0,0,1]"), 0);
    EXPECT_EQ(number_at(result, "B.empty[0,0,0]"), 0);
}

TEST(Address, SumsAndDifferencesAreTakenCellByCell) {
    const Result result = computed(small_scene());
    const Stage& a = result.variants[0].stage(StageKind::weights);
    const Stage& b = result.variants[1].stage(StageKind::weights);
    double sum = 0, difference = 0;
    for (Index j = 1; j < 3; ++j) sum += b.at(0, 1, 2, j);
    for (Index i = 0; i < 3; ++i) difference += a.at(0, 1, i, 0) - b.at(0, 1, i, 0);
    EXPECT_EQ(number_at(result, "B.weights[0,1,2,sum 1-2]"), sum);
    EXPECT_EQ(number_at(result, "A-B.weights[0,1,sum,0]"), difference);
    EXPECT_EQ(number_at(result, "B.allowed[0,0,sum,sum]"), 6);
}

TEST(Address, AQuantifierTakesTheEntryThatIsAskedFor) {
    const Result result = computed(small_scene());
    EXPECT_EQ(number_at(result, "B.sum[0,all,any 1-2]", {7, 1, 1, 0}),
              result.variants[1].row(0, 1, 2).sum);
}

TEST(Address, InTheDifferenceOfEqualInfinitiesIsNaN) {
    const Result result = computed(small_scene());
    EXPECT_TRUE(std::isnan(number_at(result, "A-A.logits[0,0,0,1]")));
    EXPECT_EQ(number_at(result, "A-A.logits[0,0,0,0]"), 0);
}

// --- outside and root d

TEST(Address, OutsideExistsInThePlaneAlone) {
    Scene scene = small_scene();
    EXPECT_TRUE(exists(scene, parse_address("A-B.outside[1,1,2]")));
    scene.variants[1].output.kind = OutputKind::projected;
    EXPECT_TRUE(exists(scene, parse_address("A.outside[1,1,2]")));
    EXPECT_EQ(place_of_error(scene, parse_address("B.outside[1,0,2]")), "/of");
    EXPECT_EQ(place_of_error(scene, parse_address("A-B.outside[1,0,2]")), "/of");
    std::get<EmbeddingInputs>(scene.inputs).d_v = 3;
    EXPECT_EQ(place_of_error(scene, parse_address("A.outside[1,1,2]")), "/of");
}

TEST(Address, OutsideIsReadByRow) {
    const Result result = computed(small_scene());
    const OutsideRows rows(result, 1);
    EXPECT_EQ(number_at(result, "B.outside[0,1,0]"), rows.at(0, 1, 0));
    EXPECT_EQ(number_at(result, "B.outside[1,0,0]"), rows.at(1, 0, 0));
    EXPECT_EQ(number_at(result, "B-A.outside[1,0,0]"), rows.at(1, 0, 0));
    EXPECT_EQ(number_at(result, "B.outside[0,0,sum]"),
              rows.at(0, 0, 0) + rows.at(0, 0, 1) + rows.at(0, 0, 2));
    EXPECT_GT(rows.at(0, 1, 0), 0);
}

TEST(Address, RootDTakesTheVariantsScaleAndTheSeedOfTheScene) {
    Scene scene = small_scene();
    scene.variants[1].scale.kind = ScaleKind::none;
    const Result result = computed(scene);
    Progress progress;
    const auto draw = draw_root_d(seed_of(scene.inputs), progress);
    const RootDFigures scaled = root_d_figures(*draw, 64, 1.0 / 8),
                       not_scaled = root_d_figures(*draw, 64, 1);
    EXPECT_EQ(number_at(result, "A.root_d.variance[64]"), scaled.variance);
    EXPECT_EQ(number_at(result, "B.root_d.variance[64]"), not_scaled.variance);
    EXPECT_EQ(number_at(result, "B.root_d.largest[64]"), not_scaled.largest.median);
    EXPECT_EQ(number_at(result, "B.root_d.entropy[64]"), not_scaled.entropy.median);
    EXPECT_EQ(number_at(result, "B.root_d.sensitivity[64]"), not_scaled.sensitivity.median);
    EXPECT_EQ(number_at(result, "B-A.root_d.entropy[64]"),
              not_scaled.entropy.median - scaled.entropy.median);
    EXPECT_EQ(number_at(result, "A-A.root_d.entropy[64]"), 0);
}

TEST(Address, GivenWeightsHaveNoScaleForRootD) {
    Scene scene = small_scene();
    scene.inputs = WeightsInputs{make_array({2, 1, 3, 3}, std::vector<double>(18, 0.5)), {}};
    EXPECT_EQ(place_of_error(scene, parse_address("A.root_d.variance[4]")), "/of");
}

// --- an operand beside a fact

std::string runs_along(const char* operand, const char* address) {
    const Scene scene = small_scene();
    try {
        check_runs_along(scene, parse_address(operand), scene, parse_address(address));
        return "runs along";
    } catch (const InputError& error) {
        return error.place;
    }
}

TEST(Address, AllRunsAlongAtTheSamePlaceWithAsManyEntries) {
    EXPECT_EQ(runs_along("A.sum[0,0,all]", "B.sum[0,0,all]"), "runs along");
    EXPECT_EQ(runs_along("A.sum[0,0,all]", "B.sum[0,0,any]"), "runs along");
    EXPECT_EQ(runs_along("A.sum[0,0,all 0-1]", "B.sum[0,0,all 1-2]"), "runs along");
    EXPECT_EQ(runs_along("A.sum[0,0,all]", "B.weights[0,0,all,all]"), "runs along");
    EXPECT_EQ(runs_along("A.weights[0,0,2,sum]", "B.sum[0,0,all]"), "runs along");
    EXPECT_EQ(runs_along("A.sum[0,0,all 0-1]", "B.sum[0,0,all]"), "/at/2");
    EXPECT_EQ(runs_along("A.sum[0,0,all]", "B.sum[0,0,1]"), "/at/2");
    EXPECT_EQ(runs_along("A.sum[0,0,all]", "B.sum[0,0,sum]"), "/at/2");
    EXPECT_EQ(runs_along("A.weights[0,0,0,all]", "B.sum[0,0,all]"), "/at/3");
    EXPECT_EQ(runs_along("A.sum[0,0,any]", "B.sum[0,0,any]"), "/at/2");
    EXPECT_EQ(runs_along("A.sum[all,0,0]", "B.sum[0,all,0]"), "/at/0");
}

}  // namespace
}  // namespace maskscope
