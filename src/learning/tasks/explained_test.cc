// SPDX-License-Identifier: Apache-2.0
// Explained predictions of trees: by workers, in this process, and what is refused.
#include "model/model_state.h"
#include "tasks/testing/explained_models.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Explained : public ExplainedModels {
 protected:
  PipelineModel Fitted(const Json& own, const std::string& rows = "SELECT * FROM t") {
    Json options = Json::object();
    options.update({{"numeric", {"x", "z"}},
                    {"categorical", {{{"stage", "index"}}}},
                    {"trees", {{"rounds", 8}, {"leaves", 6}}},
                    {"train", {{"validation", {{"share", 0}}}}}});
    options.update(own);
    return Fit({StringIndexer({.id = "index", .inputs = {"shop"}}), {"tree_estimator", options}},
               rows);
  }
  PipelineModel Numbers() { return Fitted({{"label", "y"}}); }
};

TEST_F(Explained, NamesTheColumnsThatMatterMost) {
  const auto rows = Rows(Explaining(Numbers(), 2).Transform(Table(), {"x"}));
  EXPECT_THAT(rows->schema()->field_names(),
              ElementsAre("x", "prediction", "because_1", "because_1_by", "because_2",
                          "because_2_by", "because_others_by", "because_mean"));
  ExpectSums(*rows, *Doubles(*rows, "prediction"));
  const auto& first = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("because_1"));
  const auto x = *Doubles(*rows, "x"), by = *Doubles(*rows, "because_1_by");
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    if (std::abs(x[size_t(i)] - 50) < 25) continue;
    EXPECT_EQ(first.GetView(i), "x");
    EXPECT_EQ(by[size_t(i)] > 0, x[size_t(i)] > 50);
  }
}

TEST_F(Explained, GivesEveryColumnOfTheTable) {
  const auto rows = Rows(Explaining(Numbers(), kEveryColumn).Transform(Table(), {"x"}));
  EXPECT_THAT(rows->schema()->field_names(),
              ElementsAre("x", "prediction", "because_of_x", "because_of_z", "because_of_shop",
                          "because_mean"));
  ExpectSums(*rows, *Doubles(*rows, "prediction"));
}

TEST_F(Explained, TakesNoMoreColumnsThanThereAre) {
  const PipelineModel model = Numbers();
  EXPECT_EQ(ScoredColumns(StateOf(Explaining(model, 99)))->num_fields(), 1 + 3 * 2 + 2);
  EXPECT_EQ(ScoredColumns(StateOf(Explaining(Explaining(model, 2), 0)))->num_fields(), 1);
}

TEST_F(Explained, ExplainsOddsOfTwoClassesAndTheLikeliestOfMore) {
  const std::string ends = "SELECT * FROM t WHERE kind <> 'mid'";
  const PipelineModel two =
      Fitted({{"label", "kind"}, {"loss", "binary_cross_entropy"}, {"positive", "top"}}, ends);
  auto rows = Rows(Explaining(two, 1).Transform(Now().Sql(ends)));
  std::vector<double> odds = *Doubles(*rows, "probability");
  for (double& each : odds) each = std::log(each / (1 - each));
  ExpectSums(*rows, odds);

  const PipelineModel three =
      Fitted({{"label", "kind"}, {"loss", "cross_entropy"}, {"probabilities", "all"}});
  rows = Rows(Explaining(three, kEveryColumn).Transform(Table()));
  const auto mean = *Doubles(*rows, "because_mean"), x = *Doubles(*rows, "because_of_x");
  const auto& kinds = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("prediction"));
  for (int64_t i = 1; i < rows->num_rows(); ++i) {
    const bool same = kinds.GetView(i) == kinds.GetView(0);
    EXPECT_EQ(mean[size_t(i)] == mean[0], same);
    EXPECT_GT(x[size_t(i)], 0) << "x alone decides the kind";
  }
}

TEST_F(Explained, ExplainsInThisProcessAsWorkersDo) {
  const PipelineModel model = Numbers();
  const auto rows = Rows(Explaining(model, 2).Transform(Table()));
  const auto plain = Scorer::Make(model);
  ASSERT_TRUE(plain.ok()) << Render(FaultOf(plain.status()));
  const auto scorer = plain->Explaining(2);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  const auto scored = *scorer->Score(*rows);
  for (const std::string& name : scored->schema()->field_names()) {
    EXPECT_TRUE(scored->GetColumnByName(name)->Equals(rows->GetColumnByName(name))) << name;
  }
  EXPECT_EQ(plain->output()->num_fields(), 1);
}

TEST_F(Explained, DoesNotSaveHowItExplains) {
  const PipelineModel model = Explaining(Numbers(), 2);
  ASSERT_TRUE(model.Save("model").ok());
  const auto loaded = PipelineModel::Load(Now(), folder_ / "run-1" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(ScoredColumns(StateOf(*loaded))->num_fields(), 1);
}

TEST_F(Explained, RefusesWhatItCannotExplain) {
  const auto two = Fitted({{"labels", {"y", "z"}}, {"numeric", {"x"}}}).Explaining(1);
  EXPECT_THAT(FaultOf(two.status()).what, HasSubstr("2 numbers"));
  const auto stages = Pipeline({StringIndexer({.id = "index", .inputs = {"shop"}})}).Fit(Table());
  ASSERT_TRUE(stages.ok());
  EXPECT_THAT(FaultOf(stages->Explaining(1).status()).what, HasSubstr("without an estimator"));
  EXPECT_EQ(FaultOf(Numbers().Explaining(-2).status()).exit, Exit::kUsage);
}

}  // namespace
}  // namespace protium
