// SPDX-License-Identifier: Apache-2.0
// Explained predictions of nets, which compare rows with background rows of the training.
#include <numeric>

#include "format/safetensors.h"
#include "model/background.h"
#include "model/model_state.h"
#include "protium/stages/categories.h"
#include "tasks/testing/explained_models.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ExplainedNets : public ExplainedModels {
 protected:
  // A net that reads x, z and shop, the last also one-hot.
  static std::vector<StageOptions> Stages(const std::string& net, const Json& own) {
    Json options = Json::object();
    options.update({{"numeric", {{{"stage", "scale"}}, {{"stage", "bits"}}}},
                    {"categorical", {{{"stage", "index"}}}},
                    {"net", {{"name", net}}},
                    {"train", {{"epochs", 3}, {"batch_size", 50}, {"shards", 4}}}});
    options.update(own);
    return {StringIndexer({.id = "index", .inputs = {"shop"}}),
            OneHotEncoder({.id = "bits", .inputs = {"shop"}}),
            StandardScaler({.id = "scale", .inputs = {"x", "z"}}),
            {"torch_estimator", options}};
  }
  PipelineModel Net(const std::string& net, const Json& own = {{"label", "y"}},
                    const std::string& rows = "SELECT * FROM t") {
    return Fit(Stages(net, own), rows);
  }
  static std::string Background(const PipelineModel& model) {
    return StateOf(model).trained.background;
  }
};

TEST_F(ExplainedNets, GiveEveryColumnOfTheTableOnce) {
  const auto rows = Rows(Explaining(Net("tabular_mlp"), kEveryColumn).Transform(Table(), {"x"}));
  EXPECT_THAT(rows->schema()->field_names(),
              ElementsAre("x", "prediction", "because_of_x", "because_of_z", "because_of_shop",
                          "because_mean"));
  ExpectSums(*rows, *Doubles(*rows, "prediction"));
}

TEST_F(ExplainedNets, OfALinearNetAreItsWeights) {
  const auto rows = Rows(Explaining(Net("linear"), kEveryColumn).Transform(Table(), {"x", "z"}));
  // A column's numbers are a line in it.
  for (const std::string column : {"x", "z"}) {
    const auto x = *Doubles(*rows, column), by = *Doubles(*rows, "because_of_" + column);
    const size_t other =
        size_t(std::ranges::find_if(x, [&](double v) { return v != x[0]; }) - x.begin());
    const double slope = (by[other] - by[0]) / (x[other] - x[0]);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(by[i], by[0] + slope * (x[i] - x[0]), 1e-3) << column << " " << i;
    }
  }
}

TEST_F(ExplainedNets, MeanIsThatOfTheBackgroundRows) {
  const PipelineModel model = Net("tabular_mlp");
  const auto rows = Rows(Explaining(model, kEveryColumn).Transform(Table()));
  // 64 of 400 rows, evenly from an order by hash.
  const auto mean = (*Doubles(*rows, "because_mean"))[0];
  const auto all = *Doubles(*rows, "prediction");
  const double of_all = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
  double square = 0;
  for (const double each : all) square += (each - of_all) * (each - of_all);
  EXPECT_NEAR(mean, of_all, 4 * std::sqrt(square / double(all.size()) / 64));
  const auto file = Safetensors::Read(Background(model));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->Find("numeric")->shape, (std::vector<int64_t>{64, 5}));
  EXPECT_EQ(file->Find("categories")->shape, (std::vector<int64_t>{64, 1}));
}

TEST_F(ExplainedNets, ExplainOddsOfTwoClassesAndTheLikeliestOfMore) {
  const std::string ends = "SELECT * FROM t WHERE kind <> 'mid'";
  const PipelineModel two =
      Net("tabular_mlp", {{"label", "kind"}, {"loss", "binary_cross_entropy"}, {"positive", "top"}},
          ends);
  auto rows = Rows(Explaining(two, 1).Transform(Now().Sql(ends)));
  std::vector<double> odds = *Doubles(*rows, "probability");
  for (double& each : odds) each = std::log(each / (1 - each));
  ExpectSums(*rows, odds);

  const PipelineModel three = Net("tabular_mlp", {{"label", "kind"}, {"loss", "cross_entropy"}});
  rows = Rows(Explaining(three, kEveryColumn).Transform(Table()));
  const auto mean = *Doubles(*rows, "because_mean");
  const auto& kinds = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("prediction"));
  for (int64_t i = 1; i < rows->num_rows(); ++i) {
    EXPECT_EQ(mean[size_t(i)] == mean[0], kinds.GetView(i) == kinds.GetView(0));
  }
}

TEST_F(ExplainedNets, AreTheSameInThisProcessFromTheFolderAndRowByRow) {
  const PipelineModel model = Net("tabular_mlp");
  ASSERT_TRUE(model.Save("model").ok());
  const auto rows = Rows(Explaining(model, 2).Transform(Table()));
  const auto loaded = PipelineModel::Load(Now(), folder_ / "run-1" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  const auto scorer = Scorer::Make(*loaded)->Explaining(2);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  const auto whole = *scorer->Score(*rows);
  for (const std::string& name : whole->schema()->field_names()) {
    EXPECT_TRUE(whole->GetColumnByName(name)->Equals(rows->GetColumnByName(name))) << name;
  }
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_TRUE((*scorer->Score(*rows->Slice(i, 1)))->Equals(*whole->Slice(i, 1))) << i;
  }
}

TEST_F(ExplainedNets, KeepTheSameRowsForAnyGangAndOrderOfRows) {
  const auto kept = [&](const Json& gang, const std::string& rows) {
    return WeightsSha256(Background(Net("linear", {{"label", "y"}, {"gang", gang}}, rows)));
  };
  const auto one = kept({{"workers", 1}}, "SELECT * FROM t");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(*kept({{"workers", 2}}, "SELECT * FROM t ORDER BY z, x, y"), *one);
  EXPECT_EQ(*kept({{"workers", {{"min", 1}, {"max", 2}}}}, "SELECT * FROM t"), *one);
  EXPECT_NE(*kept({{"workers", 1}}, "SELECT * FROM t WHERE x > 50"), *one);
}

TEST_F(ExplainedNets, NeedTheirBackgroundRows) {
  const PipelineModel model = Net("linear");
  ModelState old = StateOf(model);
  old.trained.background.clear();
  const PipelineModel without(std::make_shared<const ModelState>(old));
  const Fault none = FaultOf(without.Explaining(1).status());
  EXPECT_EQ(none.exit, Exit::kUsage);
  EXPECT_THAT(none.what, HasSubstr("no background.safetensors"));
  EXPECT_THAT(none.fix, HasSubstr("fit it again"));
  EXPECT_THAT(FaultOf(model.Explaining(1, 0).status()).what, HasSubstr("0 samples"));
  EXPECT_TRUE(Scorer::Make(without).ok());
  // Rows of a net with other columns.
  const PipelineModel other = Net("linear", {{"label", "y"}, {"numeric", {{{"stage", "scale"}}}}});
  old.trained.background = Background(other);
  const auto scorer = Scorer::Make(PipelineModel(std::make_shared<const ModelState>(old)));
  EXPECT_THAT(FaultOf(scorer.status()).what, HasSubstr("are not of this net"));
}

}  // namespace
}  // namespace protium
