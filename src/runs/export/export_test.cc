// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "export/formats.h"
#include "os/file.h"
#include "run/folder.h"

namespace protium {
namespace {

using testing::HasSubstr;
using testing::Not;

// A run that went back from step 3 to 2, with a metric whose name must be escaped.
struct ExportedRun : testing::Test {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  RunFacts facts;

  void SetUp() override {
    auto run = RunFolder::Create(folder.path(), "made", {"protium", "run"}).ValueOrDie();
    const auto tell = [&](const Json& event) { ASSERT_TRUE(run->events().Append(event).ok()); };
    tell({{"event", "start"}, {"run", run->id()}});
    tell({{"event", "engine_plan"},
          {"name", "query"},
          {"seconds", 0.5},
          {"operators",
           {{{"name", "JOIN"}, {"seconds", 0.25}}, {{"name", "JOIN"}, {"seconds", 0.5}}, 7}}});
    tell({{"event", "gang_start"}, {"task", "train"}, {"ranks", {{{"rank", 0}, {"host", "a"}}}}});
    for (const int step : {1, 2, 3, 2, 3}) {
      tell({{"event", "step"}, {"step", step}, {"steps", 3}, {"epoch", 1}, {"loss", 10 - step}});
    }
    tell({{"event", "lanes"},
          {"step", 3},
          {"count", 3},
          {"seconds", {2.0}},
          {"parts", {{"forward", {0.5}}, {"reduce", {1.0}}}},
          {"wait", {0.25}}});
    tell({{"event", "validation"}, {"epoch", 1}, {"step", 3}, {"a \"b\", c", 0.5}});
    tell({{"event", "end"}, {"state", "done"}});
    ASSERT_TRUE(
        run->WriteFile("job.json", R"({"settings":[{"key":"train.epochs","value":1}]})").ok());
    ASSERT_TRUE(
        run->WriteFile("result.json", R"({"metrics":{"test":{"rmse":2.5}},"steps":3})").ok());
    ASSERT_TRUE(run->Finish(RunState::kDone).ok());
    facts = ReadRunFacts(run->path()).ValueOrDie();
  }
};

TEST_F(ExportedRun, CsvHasEveryPointOnceAndQuotesNames) {
  const std::string csv = WriteCsv(facts).bytes;
  std::istringstream lines(csv);
  int losses = 0;
  for (std::string line; std::getline(lines, line);)
    losses += line.find(",train/loss,") != line.npos;
  EXPECT_EQ(losses, 3);
  EXPECT_THAT(csv, HasSubstr(",\"validation/a \"\"b\"\", c\",3,"));
}

TEST_F(ExportedRun, JsonLinesAreJson) {
  std::istringstream lines(WriteJsonLines(facts).bytes);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ((*ParseJson(line))["settings"]["train.epochs"], 1);
  int count = 0;
  for (; std::getline(lines, line); ++count) ASSERT_TRUE(ParseJson(line).ok()) << line;
  EXPECT_EQ(count, 4 * 3 + 1);
}

TEST_F(ExportedRun, PrometheusHasEachNameUnderOneHeading) {
  const std::string text = WritePrometheus(facts).bytes;
  EXPECT_THAT(text, HasSubstr("# TYPE protium_train_loss gauge\nprotium_train_loss{run=\"made-"));
  EXPECT_THAT(text, HasSubstr("metric=\"a \\\"b\\\", c\"} 0.5\n"));
  EXPECT_THAT(text, HasSubstr("state=\"done\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("metric=\"rmse\"} 2.5\n"));
  EXPECT_THAT(text, Not(HasSubstr("# EOF")));
  EXPECT_TRUE(WriteOpenMetrics(facts).bytes.ends_with("# EOF\n"));
}

TEST_F(ExportedRun, TheTraceHasPartsRanksAndCurves) {
  const Json trace = *ParseJson(WriteTrace(facts).bytes);
  std::map<std::string, int> kinds;
  for (const Json& event : trace["traceEvents"]) ++kinds[event["ph"].get<std::string>()];
  // prepare, start ranks, train; the query; the rank, and its forward and its all-reduce.
  EXPECT_EQ(kinds["X"], 7);
  const auto find = [&](const char* name) {
    return std::ranges::find(trace["traceEvents"], Json(name),
                             [](const Json& event) { return event["name"]; });
  };
  const auto query = find("query"), sum = find("reduce");
  ASSERT_NE(query, trace["traceEvents"].end());
  EXPECT_NEAR((*query)["dur"].get<double>(), 5e5, 1);
  EXPECT_EQ((*query)["args"]["operator_seconds"], Json({{"JOIN", 0.75}}));
  ASSERT_NE(sum, trace["traceEvents"].end());
  EXPECT_NEAR((*sum)["dur"].get<double>(), 1e6, 1);
  EXPECT_EQ((*sum)["args"]["waiting_seconds"], 0.25);
  EXPECT_EQ(kinds["C"], 4 * 3 + 1);
}

TEST_F(ExportedRun, OtlpHasSpansOfOneTrace) {
  const Json request = *ParseJson(WriteOtlp(facts).bytes);
  const Json spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"];
  ASSERT_EQ(spans.size(), 5u);  // The run, prepare, start ranks, train; and the rank.
  std::set<std::string> ids;
  for (const Json& span : spans) {
    EXPECT_EQ(span["traceId"], spans[0]["traceId"]);
    EXPECT_EQ(span["traceId"].get<std::string>().size(), 32u);
    EXPECT_TRUE(ids.insert(span["spanId"].get<std::string>()).second);
    EXPECT_EQ(span.contains("parentSpanId"), span != spans[0]);
    EXPECT_LE(std::stoll(span["startTimeUnixNano"].get<std::string>()),
              std::stoll(span["endTimeUnixNano"].get<std::string>()));
  }
  EXPECT_EQ(spans[0]["status"]["code"], 1);
  EXPECT_EQ(spans[4]["name"], "train on rank 0");
}

TEST_F(ExportedRun, TensorBoardBeginsWithItsVersion) {
  const Exported made = WriteTensorBoard(facts);
  EXPECT_THAT(made.bytes.substr(0, 64), HasSubstr("brain.Event:2"));
  EXPECT_THAT(made.bytes, HasSubstr("train/loss"));
  EXPECT_THAT(made.bytes, HasSubstr("_hparams_/session_start_info"));
  EXPECT_FALSE(made.left_out.empty());
}

// A search of three trials, of which the second was pruned and the third failed.
struct ExportedSearch : testing::Test {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  RunFacts facts;

  void SetUp() override {
    auto run = RunFolder::Create(folder.path(), "sought", {"protium", "run"}).ValueOrDie();
    for (int trial = 1; trial <= 3; ++trial) {
      for (const char* event : {"trial_start", "trial"}) {
        ASSERT_TRUE(run->events().Append({{"event", event}, {"trial", trial}}).ok());
      }
    }
    ASSERT_TRUE(MakeFolder(run->path() / "trials/001").ok());
    ASSERT_TRUE(
        WriteFile(run->path() / "trials/001/result.json", R"({"curve": [0.5, 0.75]})").ok());
    ASSERT_TRUE(WriteFile(run->path() / "trials/search.json",
                          R"({"space": {"x": {"log_int_uniform": [1, 64]}, "y": [[64], "a"]}})")
                    .ok());
    ASSERT_TRUE(run->WriteFile("trials.json",
                               R"({"metric": "auc", "higher_is_better": true, "best": 1, "trials": [
        {"trial": 1, "state": "done", "values": {"x": 3, "y": [64]}, "value": 0.75, "best_epoch": 2},
        {"trial": 2, "state": "pruned", "values": {"x": 5, "y": "a"}, "value": 0.25, "pruned_at": 1},
        {"trial": 3, "state": "failed", "values": {"x": 7}, "error": "no"}]})")
                    .ok());
    ASSERT_TRUE(run->Finish(RunState::kDone).ok());
    facts = ReadRunFacts(run->path()).ValueOrDie();
  }
};

TEST_F(ExportedSearch, IsAStudyOfOptunaWithATrialALine) {
  std::istringstream lines(WriteOptuna(facts).bytes);
  std::vector<Json> operations;
  for (std::string line; std::getline(lines, line);) operations.push_back(*ParseJson(line));
  ASSERT_EQ(operations.size(), 6u);
  EXPECT_EQ(operations[0]["directions"], Json::array({2}));
  const Json first = operations[3], second = operations[4], third = operations[5];
  EXPECT_EQ(first["state"], 1);
  EXPECT_EQ(first["params"], Json({{"x", 3}, {"y", 0}}));
  EXPECT_EQ(
      *ParseJson(first["distributions"]["y"].get<std::string>()),
      *ParseJson(R"({"name":"CategoricalDistribution","attributes":{"choices":["[64]","a"]}})"));
  EXPECT_EQ(first["intermediate_values"], Json({{"1", 0.5}, {"2", 0.75}}));
  EXPECT_THAT(first["datetime_complete"].get<std::string>(), HasSubstr("+00:00"));
  EXPECT_EQ(second["state"], 2);
  EXPECT_EQ(second["value"], 0.25);
  EXPECT_EQ(third["state"], 3);
  EXPECT_EQ(third["params"], Json({{"x", 7}}));
  EXPECT_EQ(third["user_attrs"]["error"], "no");
}

TEST_F(ExportedSearch, HasAnEventFileATrialForTensorBoard) {
  const Exported made = WriteTensorBoard(facts);
  ASSERT_EQ(made.beside.size(), 3u);
  EXPECT_EQ(made.beside[1].folder, "trial-002");
  EXPECT_THAT(made.beside[0].bytes, HasSubstr("_hparams_/session_start_info"));
  EXPECT_THAT(made.beside[0].bytes, HasSubstr("validation/auc"));
  EXPECT_THAT(made.beside[0].bytes, HasSubstr("trial/auc"));
  EXPECT_THAT(made.beside[2].bytes, Not(HasSubstr("trial/auc")));
}

TEST_F(ExportedRun, ThatIsNoSearchHasNothingForOptuna) {
  const Exported made = WriteOptuna(facts);
  EXPECT_TRUE(made.bytes.empty());
  EXPECT_THAT(made.left_out.front(), HasSubstr("no search"));
}

TEST(ExportOfARun, ThatIsNoneIsRefused) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  EXPECT_FALSE(ReadRunFacts(folder.path()).ok());
}

}  // namespace
}  // namespace protium
