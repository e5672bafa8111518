// SPDX-License-Identifier: Apache-2.0
#include "os/build_ids.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(BuildIds, NameTheLibrariesThatAreLoaded) {
  const auto builds = LoadedBuilds({"libprotium.so", "libno_such_library"});
  ASSERT_EQ(builds.count("libprotium"), 1u);
  // The linker writes a SHA-1.
  EXPECT_EQ(builds.at("libprotium").size(), 40u);
  EXPECT_EQ(builds.at("libprotium").find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(builds.size(), 1u);
}

}  // namespace
}  // namespace protium
