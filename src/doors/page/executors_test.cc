// SPDX-License-Identifier: Apache-2.0
#include "page/executors.h"

#include <gtest/gtest.h>

#include "page/spark_rest.h"

namespace protium {
namespace {

Json Overview(const char* state) {
  return {{"run", "r"},
          {"state", state},
          {"started", "2026-01-02T03:04:05.000Z"},
          {"ended", state == std::string("done") ? "2026-01-02T03:04:09.500Z" : ""},
          {"input_bytes", 70.0},
          {"last_event", 9000.0},
          {"failure", {{"what", "rank 1 died"}}},
          {"parts",
           {{{"name", "etl"}, {"began", 1000.0}, {"ended", 2000.0}, {"rows", 12}},
            {{"name", "train"}, {"began", 2000.0}}}}};
}

// Rank 1 is lost, and another process replaces it.
Json Gangs() {
  return Json::parse(R"({
    "gangs": [{"time": 2500, "task": "train", "attempt": 0, "ranks": [
      {"rank": 0, "host": "a", "pid": 7, "cores": 2, "gpus": ["0"], "log": "/r/logs/rank-000.log"},
      {"rank": 1, "host": "b", "pid": 8, "cores": 2, "gpus": []}]}],
    "changes": [{"time": 3000, "event": "rank_lost", "rank": 1},
                {"time": 4000, "event": "member_start", "rank": 1, "pid": 9}]})");
}

TEST(Executors, AreTheProcessesThatRanksHadWithWhatTheyRan) {
  const Json all = ExecutorsOf(Gangs(), Overview("running"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["active"], true);
  EXPECT_EQ(all[0]["tasks"],
            Json::parse(R"([{"task": "train", "attempt": 0, "rank": 0, "began": 2500.0}])"));
  EXPECT_EQ(all[1]["active"], false);
  EXPECT_EQ(all[1]["why"], "lost");
  EXPECT_EQ(all[1]["tasks"][0]["ended"], 3000.0);
  EXPECT_EQ(all[1]["tasks"][0]["done"], false);
  EXPECT_EQ(all[2]["pid"], 9);
  EXPECT_EQ(all[2]["began"], 4000.0);
  const Json over = ExecutorsOf(Gangs(), Overview("done"));
  EXPECT_EQ(over[2]["active"], false);
  EXPECT_EQ(over[2]["ended"], 9000.0);
  EXPECT_EQ(over[2]["tasks"][0]["done"], true);
  EXPECT_EQ(ExecutorsOf(Gangs(), Overview("failed"))[2]["tasks"][0]["done"], false);
}

TEST(Executors, HaveTheMemoryThatTheirProcessHad) {
  Json overview = Overview("done");
  overview["result"]["memory"]["workers"] =
      Json::parse(R"([{"pid": 8, "bytes": 4096}, {"pid": 5, "bytes": 1}, 7, {"pid": "7"}])");
  const Json all = ExecutorsOf(Gangs(), overview);
  EXPECT_FALSE(all[0].contains("peak_bytes"));
  EXPECT_EQ(all[1]["peak_bytes"], 4096);
  const Json facts = SparkExecutors(overview, all, true);
  EXPECT_EQ(facts[1]["peakMemoryMetrics"]["ProcessTreeOtherRSSMemory"], 4096);
  EXPECT_FALSE(facts[0].contains("peakMemoryMetrics"));
}

TEST(Executors, OfTwoGangsAProcessIsOne) {
  Json gangs = Gangs();
  gangs["gangs"].push_back(gangs["gangs"][0]);
  gangs["gangs"][1]["time"] = 5000;
  gangs["gangs"][1]["attempt"] = 1;
  const Json all = ExecutorsOf(gangs, Overview("running"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["tasks"].size(), 2u);
  EXPECT_EQ(all[0]["tasks"][0]["ended"], 5000.0);
  EXPECT_EQ(all[0]["active"], true);
  EXPECT_EQ(all[2]["active"], false);
}

TEST(SparkRest, HasTheFieldsOfSparksMonitoring) {
  const Json overview = Overview("failed");
  const Json stages = SparkStages(overview, ExecutorsOf(Gangs(), overview));
  EXPECT_EQ(stages, Json::parse(R"([
    {"status": "FAILED", "stageId": 1, "attemptId": 0, "name": "train",
     "submissionTime": "1970-01-01T00:00:02.000GMT", "numTasks": 3, "numActiveTasks": 0,
     "numCompleteTasks": 0, "numFailedTasks": 3, "executorRunTime": 12000,
     "failureReason": "rank 1 died"},
    {"status": "COMPLETE", "stageId": 0, "attemptId": 0, "name": "etl",
     "submissionTime": "1970-01-01T00:00:01.000GMT", "completionTime": "1970-01-01T00:00:02.000GMT",
     "outputRecords": 12, "inputBytes": 70.0}])"));
  const Json job = SparkJobs(overview, ExecutorsOf(Gangs(), overview))[0];
  EXPECT_EQ(job["status"], "FAILED");
  EXPECT_EQ(job["stageIds"], Json({1, 0}));
  EXPECT_EQ(job["numFailedStages"], 1);
  EXPECT_EQ(job["numFailedTasks"], 3);
  const Json done = SparkApplication(Overview("done"))["attempts"][0];
  EXPECT_EQ(done["endTime"], "2026-01-02T03:04:09.500GMT");
  EXPECT_EQ(done["duration"], 4500);
  EXPECT_EQ(done["completed"], true);
  const Json executors = ExecutorsOf(Gangs(), Overview("running"));
  const Json now = SparkExecutors(overview, executors, false);
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0]["resources"]["gpu"]["addresses"], Json({"0"}));
  EXPECT_EQ(now[0]["totalCores"], 2);
  EXPECT_EQ(now[0]["activeTasks"], 1);
  EXPECT_EQ(now[0]["executorLogs"]["stdout"], "/api/v1/runs/r/files/logs/rank-000.log");
  const Json all = SparkExecutors(overview, executors, true);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1]["failedTasks"], 1);
  EXPECT_EQ(all[1]["completedTasks"], 0);
  EXPECT_EQ(all[1]["totalDuration"], 500);
  const Json settings = {{"settings", {{{"key", "train.epochs"}, {"value", 3}}}},
                         {"versions", {{"protium", "0.1"}}}};
  EXPECT_EQ(SparkEnvironment(settings)["sparkProperties"],
            Json::parse(R"([["train.epochs", "3"]])"));
}

}  // namespace
}  // namespace protium
