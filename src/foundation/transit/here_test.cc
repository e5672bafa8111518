// SPDX-License-Identifier: Apache-2.0
#include "transit/here.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using testing::ElementsAre;

TEST(Moved, ChangesPathsBelowTheFolderAlone) {
  const Moved moved("/run/a", "/tmp/x");
  EXPECT_EQ(moved.Path("/run/a"), "/tmp/x");
  EXPECT_EQ(moved.Path("/run/a/b/c"), "/tmp/x/b/c");
  EXPECT_EQ(moved.Path("/run/ab"), "/run/ab");
  EXPECT_EQ(moved.Path("see /run/a/b"), "see /run/a/b");
  EXPECT_EQ(moved.Path(""), "");
}

TEST(Moved, ChangesPathsAnywhereInJson) {
  const Moved moved("/run/a", "/tmp/x");
  const Json config = {{"folder", "/run/a/checkpoints"},
                       {"nets", {{{"file", "/run/a/net.pt"}}, 7, nullptr}},
                       {"name", "a/run"}};
  const Json there = moved.Paths(config);
  EXPECT_EQ(there["folder"], "/tmp/x/checkpoints");
  EXPECT_EQ(there["nets"][0]["file"], "/tmp/x/net.pt");
  EXPECT_EQ(there["nets"][1], 7);
  EXPECT_EQ(there["name"], "a/run");
  EXPECT_THAT(moved.Below(config), ElementsAre("checkpoints", "net.pt"));
}

TEST(Moved, FindsThePathWithinText) {
  EXPECT_EQ(Moved("/tmp/x", "/run/a").Within(R"({"weights":"/tmp/x/w","more":"/tmp/x/v"})"),
            R"({"weights":"/run/a/w","more":"/run/a/v"})");
}

}  // namespace
}  // namespace protium
