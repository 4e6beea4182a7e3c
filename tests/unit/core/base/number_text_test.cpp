#include "core/base/number_text.h"
#include "core/base/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace maskscope {
namespace {

struct NumberAndText {
    double value;
    std::string text;
};

TEST(NumberText, ACellHasTwoDecimals) {
    const NumberAndText cells[] = {{0, "0"},          {-0.0, "0"},          {0.213, "0.21"},
                                   {-1.17, "−1.17"},  {1, "1.00"},          {0.005, "0.01"},
                                   {0.0049, "<.01"},  {-0.0049, "0.00"},    {5e-324, "<.01"},
                                   {0.996, "1.00"},   {999.99, "999.99"},   {999.996, "1000"},
                                   {1234.5, "1234"},  {-99999.4, "−99999"}, {99999.7, "1e5"},
                                   {123456, "1.2e5"}, {-1e9, "−1e9"},       {-3.4028e38, "−3.4e38"},
                                   {infinity, "+∞"},  {-infinity, "−∞"}};
    for (const NumberAndText& cell : cells) EXPECT_EQ(cell_text(cell.value, false), cell.text);
    EXPECT_EQ(cell_text(std::numeric_limits<double>::quiet_NaN(), true), "NaN");
}

TEST(NumberText, AShareIsOneOnlyWhenItIs) {
    EXPECT_EQ(cell_text(1, true), "1.00");
    EXPECT_EQ(cell_text(0.99999994, true), ">.99");
    EXPECT_EQ(cell_text(0.995, true), ">.99");
    EXPECT_EQ(cell_text(0.9949, true), "0.99");
    EXPECT_EQ(cell_text(0.001, true), "<.01");
    EXPECT_EQ(cell_text(1.25, true), "1.25");
}

TEST(NumberText, AShorterFormKeepsZeroAndOneApart) {
    using enum NumberForm;
    const auto bare = [](double value, bool share = false) {
        return cell_text(value, share, no_zero);
    };
    const auto one = [](double value, bool share = false) {
        return cell_text(value, share, one_decimal);
    };
    EXPECT_EQ(cell_text(0.49, true, two_decimals), "0.49");
    EXPECT_EQ(bare(0.49), ".49");
    EXPECT_EQ(bare(-0.42), "−.42");
    EXPECT_EQ(bare(-1.42), "−1.42");
    EXPECT_EQ(bare(0.003), "<.01");
    EXPECT_EQ(bare(0.9999, true), ">.99");
    EXPECT_EQ(one(0.46), ".5");
    EXPECT_EQ(one(-1.26), "−1.3");
    EXPECT_EQ(one(0.04), "<.1") << "no zero";
    EXPECT_EQ(one(-0.04), ".0") << "a rounded zero has no sign";
    EXPECT_EQ(bare(-0.003), ".00");
    EXPECT_EQ(one(0.97, true), ">.9") << "no one";
    EXPECT_EQ(one(0.97), "1.0");
    EXPECT_EQ(one(9.94), "9.9");
    EXPECT_EQ(one(-14.6), "−15");
    EXPECT_EQ(one(-998.3), "−998") << "as wide as it must be";
    EXPECT_EQ(one(-999.7), "−1e3");
    EXPECT_EQ(one(1234), "1.2e3");
    EXPECT_EQ(one(-113000), "−1.1e5");
    EXPECT_EQ(one(65504), "6.6e4");
    EXPECT_EQ(bare(-113000), "−1.1e5");
    for (const NumberForm form : {no_zero, one_decimal}) {
        EXPECT_EQ(cell_text(0, true, form), "0");
        EXPECT_EQ(cell_text(1, true, form), "1");
        EXPECT_EQ(cell_text(-3, false, form), "−3");
        EXPECT_EQ(cell_text(-infinity, false, form), "−∞");
        EXPECT_EQ(cell_text(-1e9, false, form), "−1e9");
        EXPECT_EQ(cell_text(std::numeric_limits<double>::quiet_NaN(), false, form), "NaN");
    }
}

TEST(NumberText, TheInspectorShowsWhatACellRoundsAway) {
    const NumberAndText numbers[] = {{0, "0"},           {3.307, "3.307"},     {-0.75, "−0.750"},
                                     {3.7e-6, "3.7e-6"}, {-3.7e-6, "−3.7e-6"}, {0.0005, "0.001"},
                                     {1e9, "1e9"},       {123456, "1.235e5"},  {-infinity, "−∞"}};
    for (const NumberAndText& number : numbers) EXPECT_EQ(exact_text(number.value), number.text);
    EXPECT_EQ(exact_text(0.123456, 5), "0.12346");
    EXPECT_EQ(exact_text(0.9996), "1.000");
    EXPECT_EQ(exact_share(0.9996), ">.999");
    EXPECT_EQ(exact_share(1 - 1e-7), ">.999");
    EXPECT_EQ(exact_share(1), "1.000");
    EXPECT_EQ(exact_share(0.9994), "0.999");
    EXPECT_EQ(exact_share(1.0004), "1.000");
}

TEST(NumberText, ATypedNumberHasAllItsDigits) {
    const NumberAndText numbers[] = {{0, "0"},         {0.125, "0.125"},  {-1e9, "−1e9"},
                                     {-1e4, "−1e4"},   {120000, "1.2e5"}, {1234.5, "1234.5"},
                                     {12345, "12345"}, {1000, "1000"},    {1e16, "1e16"},
                                     {1e-5, "1e-5"},   {infinity, "+∞"},  {-infinity, "−∞"}};
    for (const NumberAndText& number : numbers) EXPECT_EQ(typed_text(number.value), number.text);
}

TEST(NumberText, APerCentHasTwoDigits) {
    const NumberAndText shares[] = {
        {0, "0%"},       {0.6, "60%"},       {0.0062, "0.62%"},   {0.062, "6.2%"}, {0.06, "6.0%"},
        {0.0996, "10%"}, {0.994, "99%"},     {0.9962, ">99%"},    {1, "100%"},     {1.234, "123%"},
        {-0.25, "−25%"}, {4e-6, "0.00040%"}, {2.5e-9, "2.5e-7%"}, {infinity, "+∞"}};
    for (const NumberAndText& share : shares) EXPECT_EQ(percent_text(share.value), share.text);
}

}  // namespace
}  // namespace maskscope
