// SPDX-License-Identifier: Apache-2.0
// The exchange itself is tested in transit_folder_test.cc, and with a real server in
// tests/whole/spark_stores_test.cc.
#include "spark_worker/task_transit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::ElementsAre;

SparkCommand Command(const std::string& config) {
  return {.task = "train",
          .config = config,
          .transit = RunInTransit{"s3://lake/runs/a/transit", "/run/a"},
          .events = "/run/a/spark-7/003-events-train"};
}

TEST(TaskTransit, TheDriverSendsWhatTheConfigNames) {
  const auto command = Command(R"({"folder": "/run/a/checkpoints", "net": {"file": "/run/a/net.pt"},
                                   "other": "/run/b/c"})");
  EXPECT_THAT(SentFor(command), ElementsAre("checkpoints", "net.pt", "spark-7/003-events-train"));
  EXPECT_EQ(MeetingOf(command.events), "003-events-train");
  EXPECT_THAT(SentFor(Command("no JSON /run/a/x")), ElementsAre("spark-7/003-events-train"));
}

TEST(TaskTransit, LinesAndLogsGrow) {
  EXPECT_TRUE(GrowsInTransit("spark-7/003-events/000-1.jsonl"));
  EXPECT_TRUE(GrowsInTransit("spark-7/003-events/lease"));
  EXPECT_TRUE(GrowsInTransit("logs/rank-000.log"));
  EXPECT_FALSE(GrowsInTransit("spark-7/003-events/driver"));
  EXPECT_FALSE(GrowsInTransit("checkpoints/step-000000120/release"));
}

TEST(TaskTransit, AStoreThatCannotBeNamedIsAnErrorBeforeTheTaskRuns) {
  SparkCommand command = Command("{}");
  command.transit->place = "s3:///nowhere";
  const auto made = TaskTransit::Make(command, "0-1");
  EXPECT_FALSE(made.ok());
  command.transit.reset();
  EXPECT_EQ(TaskTransit::Make(command, "0-1").ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace protium
