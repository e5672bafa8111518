// SPDX-License-Identifier: Apache-2.0
// Averages of estimators: trained, blended, saved, explained, resumed.
#include <numeric>

#include "model/average_file.h"
#include "model/average_options.h"
#include "model/model_state.h"
#include "tasks/testing/explained_models.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Average : public ExplainedModels {
 protected:
  static std::vector<StageOptions> Before() {
    return {StringIndexer({.id = "index", .inputs = {"shop"}}),
            StandardScaler({.id = "scale", .inputs = {"x", "z"}})};
  }
  static Json Shared(const Json& more) {
    Json options = {{"numeric", {{{"stage", "scale"}}}},
                    {"categorical", {{{"stage", "index"}}}},
                    {"label", "y"},
                    {"train", {{"validation", {{"share", 0.2}}}, {"seed", 3}}}};
    options.update(more);
    return options;
  }
  static Json Trees() { return {{"trees", {{"rounds", 6}, {"leaves", 4}}}}; }
  static Json Net() {
    return {{"net", {{"name", "linear"}}},
            {"train", {{"epochs", 8}, {"batch_size", 20}, {"shards", 4}}}};
  }
  static Json Of(std::string name, Json options) {
    options["name"] = std::move(name);
    return options;
  }
  static std::vector<StageOptions> Stages(const Json& more = Json::object()) {
    Json options = Shared(more);
    if (!more.contains("of")) {
      options["of"] = {Of("tree_estimator", Trees()), Of("torch_estimator", Net())};
    }
    std::vector<StageOptions> stages = Before();
    stages.push_back({"average", options});
    return stages;
  }
  PipelineModel Alone(const std::string& kind, Json own) {
    Json options = Shared(Json::object());
    own["train"].update(options["train"]);
    options.update(own);
    std::vector<StageOptions> stages = Before();
    stages.push_back({kind, options});
    return Fit(stages, "SELECT * FROM t");
  }
  PipelineModel Blended(const Json& more = Json::object(),
                        const std::string& rows = "SELECT * FROM t") {
    return Fit(Stages(more), rows);
  }
  Json Record() { return StateOf(Now()).record().results(); }
  static Fault Refused(Session& session, const Json& more) {
    return FaultOf(Pipeline(Stages(more)).Fit(session.Sql("SELECT * FROM t")).status());
  }
};

TEST_F(Average, BlendsMembersThatAreTrainedAsAlone) {
  const PipelineModel trees = Alone("tree_estimator", Trees());
  const auto of_trees = *Doubles(*Rows(trees.Transform(Table(), {"x"})), "prediction");
  const PipelineModel net = Alone("torch_estimator", Net());
  const auto of_net = *Doubles(*Rows(net.Transform(Table(), {"x"})), "prediction");
  const PipelineModel blended = Blended();
  const Json members = Record()["average"];
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0]["kind"], "tree_estimator");
  EXPECT_EQ(members[0]["weights_sha256"], StateOf(trees).trained.weights_sha256);
  EXPECT_EQ(members[1]["weights_sha256"], StateOf(net).trained.weights_sha256);
  const double first = members[0]["weight"], second = members[1]["weight"];
  EXPECT_NEAR(first + second, 1, 1e-12);
  const auto both = *Doubles(*Rows(blended.Transform(Table(), {"x"})), "prediction");
  for (size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], first * of_trees[i] + second * of_net[i], 1e-2) << i;
  }
  const double rmse = Record()["metrics"]["validation"]["rmse"];
  for (const Json& each : members) EXPECT_LE(rmse, each["validation"]["rmse"].get<double>());
}

TEST_F(Average, IsTheSameForAnyGangAndOrderOfRows) {
  const auto hash = [&](const Json& gang, const std::string& rows) {
    return StateOf(Blended({{"gang", gang}}, rows)).trained.weights_sha256;
  };
  const std::string one = hash({{"workers", 1}}, "SELECT * FROM t");
  EXPECT_EQ(hash({{"workers", 2}}, "SELECT * FROM t ORDER BY z, y"), one);
  EXPECT_EQ(hash({{"workers", {{"min", 1}, {"max", 2}}}}, "SELECT * FROM t"), one);
}

TEST_F(Average, ComesBackFromItsFolderAndExplainsItself) {
  const PipelineModel model = Blended();
  ASSERT_TRUE(model.Save("model").ok());
  const auto rows = Rows(Explaining(model, kEveryColumn).Transform(Table()));
  ExpectSums(*rows, *Doubles(*rows, "prediction"));
  const auto loaded = PipelineModel::Load(Now(), folder_ / "run-1" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  const auto scorer = Scorer::Make(*loaded)->Explaining(kEveryColumn);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  const auto scored = *scorer->Score(*rows);
  for (const std::string& name : scored->schema()->field_names()) {
    EXPECT_TRUE(scored->GetColumnByName(name)->Equals(rows->GetColumnByName(name))) << name;
  }
}

TEST_F(Average, LearnsClasses) {
  const PipelineModel two = Blended(
      {{"label", "kind"}, {"loss", "cross_entropy"}, {"probabilities", "all"}}, "SELECT * FROM t");
  const auto rows = Rows(two.Transform(Table()));
  const auto& kinds = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("prediction"));
  const auto& truth = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("kind"));
  int64_t right = 0;
  for (int64_t i = 0; i < rows->num_rows(); ++i) right += kinds.GetView(i) == truth.GetView(i);
  EXPECT_GT(right, 300);
  EXPECT_TRUE(Record()["metrics"]["validation"].contains("log_loss"));
}

// Ends the first session when the second member begins; the second session goes on.
TEST_F(Average, DoesNotTrainAMemberAgainAfterAKill) {
  const std::string whole = StateOf(Blended()).trained.weights_sha256;
  const auto run = [&](bool resume, int stop_at, int& began) {
    std::stop_source stop;
    Call call{.stop = stop.get_token(), .events = [&](const Json& event) {
                if (event["event"] != "train_start") return;
                if (++began == stop_at) stop.request_stop();
              }};
    auto session = OpenSession({.engine = "local[2]",
                                .folder = folder_ / "killed",
                                .base = folder_,
                                .resume = resume,
                                .call = std::move(call)});
    EXPECT_TRUE(session.ok()) << session.status();
    (*session)->Table("t", (*session)->Read().Csv("t.csv"));
    const auto model = Pipeline(Stages()).Fit((*session)->Sql("SELECT * FROM t"));
    return model.ok() ? StateOf(*model).trained.weights_sha256
                      : std::string(Render(FaultOf(model.status())));
  };
  int began = 0;
  EXPECT_NE(run(false, 2, began), whole);
  EXPECT_EQ(began, 2);
  began = 0;
  EXPECT_EQ(run(true, 99, began), whole);
  // The second may have ended before the stop reached it.
  EXPECT_LE(began, 1);
}

TEST_F(Average, RefusesFilesOfOthers) {
  const PipelineModel model = Blended();
  const std::string file = StateOf(model).trained.weights;
  EXPECT_TRUE(ReadAverage(file, 2).ok());
  EXPECT_THAT(FaultOf(ReadAverage(file, 3).status()).what, HasSubstr("does not hold the weights"));
  const std::string other = StateOf(Alone("tree_estimator", Trees())).trained.weights;
  EXPECT_EQ(FaultOf(ReadAverage(other, 2).status()).exit, Exit::kInput);
}

TEST_F(Average, RefusesWhatItCannotBlendAndSaysWhere) {
  const auto where = [&](const Json& more) {
    const Fault fault = Refused(Now(), more);
    EXPECT_EQ(fault.exit, Exit::kUsage) << fault.what;
    return fault.where;
  };
  const Json trees = Of("tree_estimator", Trees());
  EXPECT_EQ(where({{"of", {trees}}}), "pipeline.2.of");
  EXPECT_EQ(where({{"of", {trees, "string_indexer"}}}), "pipeline.2.of.1.name");
  EXPECT_EQ(where({{"of", {trees, Of("torch_estimator", {{"label", "z"}})}}}),
            "pipeline.2.of.1.label");
  EXPECT_EQ(where({{"of", {trees, Of("torch_estimator", {{"net", "ft_transformer"}})}}}),
            "pipeline.2.of.1.net");
  EXPECT_EQ(where({{"of", {trees, Of("tree_estimator", {{"trees", {{"rounds", 0}}}})}}}),
            "pipeline.2.of.1.trees.rounds");
  EXPECT_EQ(where({{"of", {trees, Of("tree_estimator", {{"train", {{"best", "mae"}}}})}}}),
            "pipeline.2.of.1.train.best");
  EXPECT_EQ(where({{"train", {{"seed", 1}}}}), "pipeline.2.train.validation");
  EXPECT_EQ(where({{"trees", {{"rounds", 3}}}}), "pipeline.2.trees");
}

}  // namespace
}  // namespace protium
