// SPDX-License-Identifier: Apache-2.0
#include "search/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/describe.h"
#include "base/fault.h"
#include "model/preview.h"
#include "search/settle.h"
#include "search/with_values.h"

namespace protium {
namespace {

using testing::HasSubstr;

Space Read(const char* text) {
  Space space;
  const Status read = FromJson(*ParseJson(text), "search.space", space);
  EXPECT_TRUE(read.ok()) << read;
  return space;
}

Fault Refused(const char* text) {
  Space space;
  const Status read = FromJson(*ParseJson(text), "search.space", space);
  EXPECT_FALSE(read.ok()) << text;
  return read.ok() ? Fault() : FaultOf(read);
}

std::string Dumped(const std::vector<Json>& trials) { return Dump(Json(trials)); }

Pipeline SomePipeline() {
  return *PipelineFromJson(*ParseJson(R"([
    {"kind": "imputer", "id": "fill", "inputs": ["temp"]},
    {"kind": "torch_estimator", "numeric": [{"stage": "fill"}], "label": "delay",
     "train": {"validation": {"share": 0.1}}}])"));
}

Search SearchOf(const char* space, SearchOptions options = {},
                std::optional<FoldOptions> folds = {}) {
  options.space = Read(space);
  return Search(SomePipeline(), options, folds);
}

Fault RefusedSearch(const char* space, const SearchOptions& options = {}) {
  const auto settled = Settle(SearchOf(space, options), nullptr);
  EXPECT_FALSE(settled.ok()) << space;
  return settled.ok() ? Fault() : FaultOf(settled.status());
}

TEST(Space, IsTheSameAfterItsJson) {
  const Space space = {OneOf("net.hidden", {Json{64}, Json{128, 64}}),
                       LogUniform("train.optimizer.learning_rate", 1e-4, 0.1),
                       Uniform("net.dropout", 0, 0.5, 6), IntUniform("train.epochs", 2, 9),
                       LogIntUniform("train.batch_size", 32, 4096, 3)};
  const Json json = ToJson(space);
  Space again;
  ASSERT_TRUE(FromJson(json, "search.space", again).ok());
  EXPECT_EQ(ToJson(again), json);
  EXPECT_EQ(Dump(json["train.batch_size"]), R"({"log_int_uniform":[32,4096],"points":3})");
}

TEST(Space, MayBeWrittenAsTablesInTables) {
  const Space space =
      Read(R"({"train": {"optimizer": {"learning_rate": {"uniform": [0, 1]}}, "epochs": [1, 2]}})");
  ASSERT_EQ(space.size(), 2u);
  EXPECT_EQ(space[0].path, "train.optimizer.learning_rate");
  EXPECT_EQ(space[1].path, "train.epochs");
  EXPECT_EQ(Dump(Json(space[1].choices)), "[1,2]");
}

// As --set search.space.net.dropout=... does with a path in quotes.
TEST(Space, TakesTheLastOfTwoForTheSameOption) {
  const Space space = Read(R"({"a.b": [1], "a": {"b": [2]}})");
  ASSERT_EQ(space.size(), 1u);
  EXPECT_EQ(Dump(Json(space[0].choices)), "[2]");
}

TEST(Space, IsRefusedWhereItIsWrong) {
  EXPECT_EQ(Refused(R"({"train.epochs": 3})").where, "search.space.train.epochs");
  EXPECT_EQ(Refused(R"({"train.epochs": []})").where, "search.space.train.epochs");
  EXPECT_THAT(Refused(R"({"a": {"log_unifrom": [1, 2]}})").fix, HasSubstr("log_uniform"));
  EXPECT_THAT(Refused(R"({"a": {"log_uniform": [0, 2]}})").what, HasSubstr("above 0"));
  EXPECT_THAT(Refused(R"({"a": {"uniform": [2, 1]}})").what, HasSubstr("lower one first"));
  EXPECT_THAT(Refused(R"({"a": {"int_uniform": [1, 2.5]}})").what, HasSubstr("whole numbers"));
  EXPECT_THAT(Refused(R"({"a": {"uniform": [1, 2], "points": 0}})").where, HasSubstr("points"));
  EXPECT_THAT(Refused(R"({"a": {"uniform": [1, 2], "step": 1}})").what, HasSubstr("step"));
}

TEST(Grid, HasEveryCombinationOnceTheLastOptionFastest) {
  SearchOptions options{
      .method = SearchMethod::kGrid,
      .space = Read(R"({"a": [1, 2, 1], "b": {"uniform": [0, 1], "points": 3}})")};
  const auto trials = ProposeTrials(options, "search");
  ASSERT_TRUE(trials.ok());
  EXPECT_EQ(Dumped(*trials), R"([{"a":1,"b":0.0},{"a":1,"b":0.5},{"a":1,"b":1.0},)"
                             R"({"a":2,"b":0.0},{"a":2,"b":0.5},{"a":2,"b":1.0}])");
}

TEST(Grid, TakesPointsOfARangeWithBothEnds) {
  EXPECT_EQ(Dumped(GridPoints(LogUniform("a", 1e-4, 0.1, 4))), "[0.0001,0.001,0.01,0.1]");
  EXPECT_EQ(Dumped(GridPoints(LogIntUniform("a", 1, 64, 7))), "[1,2,4,8,16,32,64]");
  EXPECT_EQ(Dumped(GridPoints(IntUniform("a", 1, 3, 9))), "[1,2,3]");
  EXPECT_EQ(Dumped(GridPoints(Uniform("a", 2, 3, 1))), "[2.0]");
}

TEST(Grid, IsRefusedWithoutPointsOrWithFewerTrialsThanItHas) {
  SearchOptions options{.method = SearchMethod::kGrid,
                        .space = Read(R"({"a": {"uniform": [0, 1]}})")};
  EXPECT_EQ(FaultOf(ProposeTrials(options, "search").status()).where, "search.space.a");
  options.space = Read(R"({"a": [1, 2, 3], "b": [1, 2]})");
  options.trials = 5;
  EXPECT_THAT(FaultOf(ProposeTrials(options, "search").status()).what, HasSubstr("6 trials"));
  options.trials = 0;
  options.space.push_back(IntUniform("c", 0, 99999, 5000));
  EXPECT_THAT(FaultOf(ProposeTrials(options, "search").status()).what, HasSubstr("more than"));
}

// Changing these numbers changes the trials of every search that is repeated.
TEST(Draws, AreTheSameOnEveryMachine) {
  SearchOptions options{
      .trials = 3,
      .seed = 1,
      .space = Read(R"({"train.optimizer.learning_rate": {"log_uniform": [1e-4, 0.1]},
                                          "net.hidden": [[64], [128, 64]],
                                          "train.batch_size": {"log_int_uniform": [32, 4096]}})")};
  const auto trials = ProposeTrials(options, "search");
  ASSERT_TRUE(trials.ok());
  EXPECT_EQ(
      Dumped(*trials),
      R"([{"train.optimizer.learning_rate":0.000172638,"net.hidden":[128,64],"train.batch_size":1343},)"
      R"({"train.optimizer.learning_rate":0.000985759,"net.hidden":[64],"train.batch_size":137},)"
      R"({"train.optimizer.learning_rate":0.00139744,"net.hidden":[128,64],"train.batch_size":157}])");
}

TEST(Draws, OfAnOptionDoNotDependOnTheOthers) {
  const Dimension rate = LogUniform("rate", 1e-4, 0.1);
  SearchOptions alone{.trials = 5, .space = {rate}};
  SearchOptions both{.trials = 5, .space = {OneOf("net.hidden", {1, 2, 3}), rate}};
  const auto a = ProposeTrials(alone, "search"), b = ProposeTrials(both, "search");
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ((*a)[i]["rate"], (*b)[i]["rate"]);
}

TEST(Draws, FillTheirRangesEvenly) {
  std::map<int64_t, int> whole, decades;
  for (int64_t i = 0; i < 3000; ++i) {
    ++whole[DrawValue(IntUniform("a", 3, 5), 7, i).get<int64_t>()];
    const double drawn = DrawValue(LogUniform("b", 1e-3, 1), 7, i).get<double>();
    ASSERT_GE(drawn, 1e-3);
    ASSERT_LE(drawn, 1);
    ++decades[int64_t(std::floor(std::log10(drawn)))];
  }
  ASSERT_EQ(whole.size(), 3u);
  // 1000 expected in each; five standard deviations are 130.
  for (const auto& [value, count] : whole) EXPECT_NEAR(count, 1000, 130) << value;
  for (const int64_t decade : {-3, -2, -1}) EXPECT_NEAR(decades[decade], 1000, 130) << decade;
}

TEST(Draws, NeverRepeatAndEndWithTheSpace) {
  SearchOptions options{.trials = 50,
                        .space = Read(R"({"a": [1, 2, 3], "b": {"int_uniform": [1, 4]}})")};
  const auto trials = ProposeTrials(options, "search");
  ASSERT_EQ(trials->size(), 12u);
  std::set<std::string> different;
  for (const Json& each : *trials) different.insert(Dump(each));
  EXPECT_EQ(different.size(), 12u);
  options.trials = 3;
  EXPECT_EQ(ProposeTrials(options, "search")->size(), 3u);
}

TEST(WithValues, PutsThemWhereTheirPathsLead) {
  const Json values = *ParseJson(
      R"({"train.optimizer.learning_rate": 0.5, "train.optimizer": "sgd", "pipeline.fill.with": "mean",
          "net.hidden": [8], "loss": {"name": "huber", "delta": 2.0}})");
  const auto changed = WithValues(SomePipeline(), values, nullptr, "search.space");
  ASSERT_TRUE(changed.ok()) << changed.status();
  const Json list = StagesToJson(changed->stages());
  EXPECT_EQ(list[0]["with"], "mean");
  EXPECT_EQ(list[1]["train"]["optimizer"]["name"], "sgd");
  EXPECT_EQ(list[1]["train"]["optimizer"]["learning_rate"], 0.5);
  EXPECT_EQ(Dump(list[1]["net"]["hidden"]), "[8]");
  EXPECT_EQ(list[1]["loss"]["delta"], 2.0);
}

TEST(WithValues, DropOptionsOfTheNetThatAnotherNameReplaces) {
  const auto changed =
      WithValues(SomePipeline(), {{"net.name", "linear"}}, nullptr, "search.space");
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(Dump(StagesToJson(changed->stages())[1]["net"]), R"({"name":"linear"})");
}

TEST(Settle, RefusesPathsThatLeadNowhereWithTheNearest) {
  EXPECT_THAT(RefusedSearch(R"({"train.epoch": [1]})").fix, HasSubstr("epochs"));
  EXPECT_THAT(RefusedSearch(R"({"epochs": [1]})").fix, HasSubstr("\"train.epochs\""));
  EXPECT_EQ(RefusedSearch(R"({"epochs": [1]})").where, "search.space.epochs");
  EXPECT_THAT(RefusedSearch(R"({"split.test": [0.1]})").why, HasSubstr("share the tables"));
  EXPECT_THAT(RefusedSearch(R"({"pipeline.fil.with": ["mean"]})").fix,
              HasSubstr("pipeline.fill.with"));
  EXPECT_EQ(RefusedSearch(R"({"train.optimizer.learnin_rate": [1]})").exit, Exit::kUsage);
}

TEST(Settle, ChecksTheValuesOfAllTrials) {
  const Fault fault = RefusedSearch(R"({"net.dropout": [0.1, 0.2], "train.epochs": [2, 0]})",
                                    {.method = SearchMethod::kGrid});
  EXPECT_EQ(fault.where, "search.space.train.epochs");
  EXPECT_THAT(fault.why, HasSubstr("dropout 0.1, epochs 0"));
  EXPECT_EQ(RefusedSearch(R"({"train.optimizer": ["adm"]})").where, "search.space.train.optimizer");
}

TEST(Settle, WantsRowsToMeasureOnAndAMetricThatIsMeasured) {
  EXPECT_THAT(RefusedSearch("{}", {.metric = "r2"}).fix, HasSubstr("train.metrics"));
  EXPECT_THAT(RefusedSearch("{}", {.metric = "rmsee"}).fix, HasSubstr("rmse"));
  EXPECT_THAT(RefusedSearch(R"({"train.validation.share": [0.1, 0]})").fix, HasSubstr("[folds]"));
  const char* const no_rows = R"({"train.validation.share": [0]})";
  EXPECT_TRUE(Settle(SearchOf(no_rows, {}, FoldOptions{}), nullptr).ok());
  const Pipeline none(std::vector<StageOptions>{Imputer({.inputs = {"temp"}})});
  EXPECT_THAT(FaultOf(Settle(Search(none, {}), nullptr).status()).what, HasSubstr("no estimator"));
}

TEST(Settle, ComparesByTheMetricThatChoosesEpochsUnlessToldOtherwise) {
  EXPECT_EQ(Settle(SearchOf("{}"), nullptr)->metric(), "rmse");
  EXPECT_EQ(Settle(SearchOf("{}", {.metric = "mae"}), nullptr)->metric(), "mae");
  EXPECT_EQ(Settle(SearchOf(R"({"train.epochs": [1, 2]})"), nullptr)->trials.size(), 2u);
}

TEST(Settle, SeatsAsManyGangsAsCoresAllow) {
  const Search search = SearchOf(R"({"gang.workers": [1, 2]})");
  const auto settled = Settle(search, nullptr);
  ASSERT_TRUE(settled.ok()) << settled.status();
  EXPECT_EQ(CountParallel(search, *settled, "local[8]", 20), 4);
  EXPECT_EQ(CountParallel(search, *settled, "local[8]", 3), 3);
  EXPECT_EQ(CountParallel(search, *settled, "local[1]", 20), 1);
  EXPECT_EQ(CountParallel(search, *settled, "sc://host:15002", 20), 1);
  const Search asked = SearchOf("{}", {.parallel = 7});
  EXPECT_EQ(CountParallel(asked, *settled, "sc://host:15002", 20), 7);
}

// The workers of a trial's gang, in a search of `trials` with gangs of one to four.
Json WorkersOfTrials(const std::string& address, int64_t trials, const char* space) {
  Pipeline pipeline = SearchOf("{}").pipeline();
  pipeline = WithValues(pipeline, {{"gang.workers", {{"min", 1}, {"max", 4}}}}, nullptr, "search")
                 .ValueOrDie();
  SearchOptions options = SearchOf(space).options();
  options.method = SearchMethod::kRandom;
  options.trials = trials;
  const Search search(pipeline, options);
  const auto settled = Settle(search, nullptr).ValueOrDie();
  const auto beside = WithGangsBeside(search, settled, address, nullptr).ValueOrDie();
  if (!beside) return "as it is";
  return ToJson(Settle(*beside, nullptr).ValueOrDie().trials.front().estimator.gang.workers);
}

TEST(Settle, GivesGangsThatTrainAtTheSameTimeAShareOfTheCores) {
  const char* const ten = R"({"train.batch_size": {"int_uniform": [100, 200]}})";
  EXPECT_EQ(WorkersOfTrials("local[4]", 10, ten), 1);
  EXPECT_EQ(WorkersOfTrials("local[4]", 2, ten), Json({{"min", 1}, {"max", 2}}));
  EXPECT_EQ(WorkersOfTrials("local[4]", 1, ten), "as it is");
  EXPECT_EQ(WorkersOfTrials("sc://host:15002", 10, ten), "as it is");
  EXPECT_EQ(WorkersOfTrials("local[4]", 10, R"({"gang.workers": [1, 2]})"), "as it is");
}

}  // namespace
}  // namespace protium
