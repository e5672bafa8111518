// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

DeltaTable At(int64_t version, Json settings = Json::object()) {
  return {.version = version, .metadata = {{"configuration", std::move(settings)}}};
}

TEST(Checkpoint, IsDueAfterTenVersionsOrAsManyAsTheTableSays) {
  EXPECT_FALSE(IsCheckpointDue(At(0)));
  EXPECT_FALSE(IsCheckpointDue(At(9)));
  EXPECT_TRUE(IsCheckpointDue(At(10)));
  const Json often = {{"delta.checkpointInterval", "3"}};
  EXPECT_TRUE(IsCheckpointDue(At(3, often)));
  EXPECT_FALSE(IsCheckpointDue(At(10, often)));
  EXPECT_FALSE(IsCheckpointDue(At(10, {{"delta.checkpointInterval", "0"}})));
}

TEST(Checkpoint, NamesRemovedFilesForAWeekUnlessTheTableHasARule) {
  EXPECT_EQ(MillisToKeepRemoved(At(10)), 604'800'000);
  EXPECT_EQ(MillisToKeepRemoved(At(10, {{"delta.deletedFileRetentionDuration", "interval 1 day"}})),
            -1);
}

TEST(Checkpoint, IsNamedByItsVersion) {
  EXPECT_EQ(CheckpointName(10), "00000000000000000010.checkpoint.parquet");
}

}  // namespace
}  // namespace protium
