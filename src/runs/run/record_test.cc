// SPDX-License-Identifier: Apache-2.0
#include "run/record.h"

#include <gtest/gtest.h>

#include "events/events.h"
#include "metrics/metrics.h"

namespace protium {
namespace {

Json Scored(double label, double prediction) {
  MetricState state = *MetricState::Make({"rmse", "mae"}, TargetKind::kValues);
  state.Add({{&label, 1}, {&prediction, 1}});
  return {{"event", "score_metrics"}, {"model", state.ToJson()}, {"baseline", state.ToJson()}};
}

TEST(RunRecord, MergesTheMetricsOfScoredRows) {
  RunRecord record(Clock::now());
  record.BeginScoring();
  record.On(Scored(1, 2));
  record.On(Scored(1, 4));
  const Json metrics = record.results()["metrics"];
  EXPECT_EQ(Dump(metrics["baseline"]), R"({"rmse":2.23606797749979,"mae":2.0})");
  EXPECT_EQ(metrics["test"]["rows"], 2);
  record.BeginScoring();
  record.On(Scored(1, 2));
  EXPECT_EQ(record.results()["metrics"]["test"]["rows"], 1);
}

TEST(RunRecord, CountsScoredRowsOfUnseenClassesOfOneTable) {
  RunRecord record(Clock::now());
  record.BeginScoring();
  Json event = Scored(1, 2);
  record.On(event);
  EXPECT_FALSE(record.results().contains("unseen_test_rows"));
  event["unseen_rows"] = 3;
  record.On(event);
  record.On(event);
  EXPECT_EQ(record.results()["unseen_test_rows"], 6);
  record.BeginScoring();
  EXPECT_FALSE(record.results().contains("unseen_test_rows"));
}

TEST(RunRecord, LeavesOutMetricsOfOtherTasks) {
  RunRecord record(Clock::now());
  record.On({{"event", "score_metrics"}, {"model", {{"names", 7}}}});
  record.On({{"no", "event"}});
  EXPECT_EQ(record.results(), Json::object());
}

TEST(RunRecord, NotesTheTimeOfTheFirstStepOnly) {
  RunRecord record(Clock::now());
  record.On({{"event", "step"}, {"step", 1}});
  const Json first = record.results()["seconds"]["first_step"];
  record.On({{"event", "step"}, {"step", 2}});
  EXPECT_EQ(record.results()["seconds"]["first_step"], first);
}

TEST(RunRecord, NamesEachOutputOnceWithItsLastRows) {
  RunRecord record(Clock::now());
  EXPECT_FALSE(record.Wrote("a.csv"));
  for (const auto& [path, rows] : {std::pair("a.csv", 3), {"b.csv", 1}, {"a.csv", 4}}) {
    record.On(EventToJson(OutputWritten{path, rows}));
  }
  EXPECT_TRUE(record.Wrote("a.csv"));
  EXPECT_EQ(Dump(record.results()["outputs"]), R"(["a.csv","b.csv"])");
  EXPECT_EQ(record.results()["output_rows"]["a.csv"], 4);
}

TEST(RunRecord, KeepsValuesUnderDottedKeysAndAddsUpSeconds) {
  RunRecord record(Clock::now());
  record.Set("metrics.validation", {{"rmse", 2.5}});
  record.Set("metrics.validation.rows", 7);
  EXPECT_EQ(Dump(record.results()), R"({"metrics":{"validation":{"rmse":2.5,"rows":7}}})");
  record.AddSeconds("etl", Clock::now() - std::chrono::seconds(2));
  record.AddSeconds("etl", Clock::now() - std::chrono::seconds(3));
  EXPECT_NEAR(record.results()["seconds"]["etl"].get<double>(), 5, 0.5);
}

}  // namespace
}  // namespace protium
