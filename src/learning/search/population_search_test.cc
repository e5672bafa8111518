// SPDX-License-Identifier: Apache-2.0
// Searches by generations of a population, with the tasks of test_tasks.cc, whose error is the
// distance of the last epoch's learning rate from 0.01.
#include <gmock/gmock.h>

#include "base/fault.h"
#include "model/model_state.h"
#include "search/testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class PopulationSearchTest : public SearchTest {
 protected:
  static SearchOptions Eight(int32_t parallel = 0) {
    return {.method = SearchMethod::kPopulation,
            .seed = 3,
            .population = 8,
            .every = 2,
            .parallel = parallel,
            .space = {LogUniform(kRate, 1e-3, 1)}};
  }
  static Pipeline Net(int64_t epochs = 6) {
    return Stages({.label_scale = Scale::kNone,
                   .train = {.epochs = epochs, .validation = {.share = 0.2, .by = {"plane"}}}});
  }
  Fault RefusalOf(const SearchOptions& options, const Pipeline& pipeline,
                  std::optional<FoldOptions> folds = {}) {
    return FaultOf(Search(pipeline, options, std::move(folds)).Run(Table()).status());
  }
};

TEST_F(PopulationSearchTest, GivesOneTableForAnyNumberOfGangsAndReplaysTheBestSchedule) {
  const auto found = Search(Net(), Eight(1)).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->trials.size(), 24u);
  int copied = 0;
  for (const Trial& each : found->trials) {
    EXPECT_TRUE(each.at_end.has_value());
    EXPECT_EQ(each.parent.has_value(), each.number > 8);
    copied += each.parent && *each.parent != each.number - 8;
  }
  EXPECT_EQ(copied, 4) << "the worst quarter of two generations";
  const Json table = ReadTable();
  const Json changes = PipelineToJson(StateOf(found->model)).back()["train"]["changes"];
  EXPECT_EQ(table["schedule"].back()["epochs"][1], 2) << "the best epoch of the stand-in";
  EXPECT_EQ(StateOf(*session_).record().results()["search"]["schedule"], table["schedule"]);
  EXPECT_TRUE(changes.is_array());
  for (int trial = 1; trial <= 24; ++trial) {
    EXPECT_FALSE(fs::exists(folder_ / "run/trials" / fmt::format("{:03}", trial) / "checkpoints"));
  }
  for (const int32_t parallel : {2, 4}) {
    const std::string run = "run" + std::to_string(parallel);
    Open(false, {}, run.c_str());
    ASSERT_TRUE(Search(Net(), Eight(parallel)).Run(Table()).ok());
    EXPECT_EQ(ReadTable(run.c_str()), table);
  }
}

TEST_F(PopulationSearchTest, GoesOnAfterAnEndInTheMiddleWithTheSameTable) {
  ASSERT_TRUE(Search(Net(), Eight(2)).Run(Table()).ok());
  const Json table = ReadTable();
  // As a kill leaves it: half of the second generation has no result.
  for (int trial = 12; trial <= 24; ++trial) {
    fs::remove_all(folder_ / "run/trials" / fmt::format("{:03}", trial));
  }
  Open(true);
  ASSERT_TRUE(Search(Net(), Eight(2)).Run(Table()).ok());
  EXPECT_EQ(ReadTable(), table);
  SearchOptions other = Eight(2);
  other.every = 3;
  Open(true);
  EXPECT_THAT(RefusalOf(other, Net()).what, HasSubstr("search.every"));
}

TEST_F(PopulationSearchTest, EndsAtATarget) {
  SearchOptions options = Eight(2);
  options.target = 0.005;
  const auto found = Search(Net(), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_LE(*found->trials.back().value, 0.005);
  EXPECT_LT(found->trials.size(), 24u);
}

TEST_F(PopulationSearchTest, SaysSoWhenAllFail) {
  SearchOptions options = Eight();
  options.space = {Uniform(kRate, 1.5, 3)};
  const Fault fault = RefusalOf(options, Net());
  EXPECT_THAT(fault.what, HasSubstr("all 24 trials failed, the first of them: the loss is not"));
  EXPECT_EQ(ReadTable()["trials"][8]["error"], "trial 1, which it continues from, failed");
}

TEST_F(PopulationSearchTest, RefusesWhatCannotChangeInMidTraining) {
  SearchOptions options = Eight();
  options.space.push_back(OneOf("net.hidden", {Json{64}, Json{32}}));
  EXPECT_THAT(RefusalOf(options, Net()).what, HasSubstr("net.hidden"));
  options.space.back() = IntUniform("train.batch_size", 16, 32);
  const Fault batch = RefusalOf(options, Net());
  EXPECT_EQ(batch.what, "train.batch_size cannot change in mid-training");
  EXPECT_EQ(batch.where, "search.space.train.batch_size");
  EXPECT_THAT(batch.fix, HasSubstr("train.optimizer.weight_decay"));
  options.space.back() = Uniform("train.optimizer.momentum", 0, 0.9);
  const Pipeline sgd =
      Stages({.label_scale = Scale::kNone,
              .train = {.epochs = 6, .optimizer = Sgd(), .validation = {.share = 0.2}}});
  EXPECT_THAT(RefusalOf(options, sgd).what, HasSubstr("as it was before"));
  options.space.clear();
  EXPECT_THAT(RefusalOf(options, Net()).what, HasSubstr("no option to vary"));
}

TEST_F(PopulationSearchTest, RefusesWhatGenerationsDoNotHave) {
  const auto with = [&](auto set) {
    SearchOptions options = Eight();
    set(options);
    return RefusalOf(options, Net());
  };
  EXPECT_EQ(with([](SearchOptions& o) { o.trials = 30; }).where, "search.trials");
  EXPECT_EQ(with([](SearchOptions& o) { o.prune = Prune::kAsha; }).where, "search.prune");
  EXPECT_EQ(with([](SearchOptions& o) { o.metric = {"rmse", "mae"}; }).where, "search.metric");
  EXPECT_EQ(with([](SearchOptions& o) { o.require = {"mae < 1"}; }).where, "search.require");
  EXPECT_EQ(with([](SearchOptions& o) { o.from = "run"; }).where, "search.from");
  EXPECT_EQ(with([](SearchOptions& o) { o.every = 6; }).where, "search.every");
  EXPECT_EQ(RefusalOf(Eight(), Net(), FoldOptions{}).where, "folds");
  EXPECT_EQ(RefusalOf(Eight(), Stages({.train = {.epochs = 6}})).where, "search");
  const Pipeline cosine =
      Stages({.train = {.epochs = 6, .schedule = Cosine(), .validation = {.share = 0.2}}});
  EXPECT_EQ(RefusalOf(Eight(), cosine).where, "train.schedule");
  const Pipeline trees({TreeEstimator(
      {.numeric = {"x"}, .label = "delay", .train = {.validation = {.share = 0.2}}})});
  EXPECT_THAT(RefusalOf(Eight(), trees).what, HasSubstr("the estimator is tree_estimator"));
}

}  // namespace
}  // namespace protium
