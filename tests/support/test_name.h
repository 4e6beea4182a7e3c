#pragma once
// Names of tests that run once for each file: googletest accepts only letters, digits and '_'.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace maskscope {

// Returns "padding_leaks" for "padding-leaks".
inline std::string test_name(std::string file) {
    std::ranges::replace(file, '-', '_');
    return file;
}

// Names parameters for INSTANTIATE_TEST_SUITE_P.
inline std::string named_by_file(const testing::TestParamInfo<std::string>& info) {
    return test_name(info.param);
}

}  // namespace maskscope
