// SPDX-License-Identifier: Apache-2.0
#include "run/labels.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "os/file.h"
#include "run/folder.h"
#include "run/list.h"
#include "run/remove.h"

namespace protium {
namespace {

TEST(Labels, FindARunAgain) {
  const TemporaryFolder runs = *TemporaryFolder::Make();
  const auto folder = (*RunFolder::Create(runs.path(), "a", {}))->path();
  EXPECT_TRUE(ReadLabels(folder).tags.empty());
  ASSERT_TRUE(WriteLabels(folder, {.tags = {"best"}, .note = "with weather"}).ok());
  EXPECT_EQ(ReadLabels(folder).note, "with weather");
  EXPECT_EQ(*FindRun(runs.path(), "best"), folder);
  EXPECT_EQ(ListRuns(runs.path()).front().labels.tags.front(), "best");
  ASSERT_TRUE(WriteFile(folder / kLabelsFile, "{").ok());
  EXPECT_TRUE(ReadLabels(folder).tags.empty());
}

TEST(Labels, AreWords) {
  for (const char* const good : {"best", "v1.2", "a-b_C"}) EXPECT_TRUE(CheckTag(good).ok()) << good;
  for (const char* const bad : {"", "last", "a b", "../x", "-x", ".x"}) {
    EXPECT_FALSE(CheckTag(bad).ok()) << bad;
  }
}

TEST(RemoveRun, LeavesARunThatGoesOnAndWhatIsNone) {
  const TemporaryFolder runs = *TemporaryFolder::Make();
  auto run = *RunFolder::Create(runs.path(), "a", {});
  const auto folder = run->path();
  EXPECT_EQ(FaultOf(RemoveRun(folder)).exit, Exit::kUsage);
  EXPECT_TRUE(std::filesystem::exists(folder / "run.json"));
  run.reset();
  EXPECT_GT(FolderBytes(folder), 0);
  EXPECT_TRUE(RemoveRun(folder).ok());
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(FaultOf(RemoveRun(runs.path())).exit, Exit::kInput);
  EXPECT_TRUE(std::filesystem::exists(runs.path()));
}

}  // namespace
}  // namespace protium
