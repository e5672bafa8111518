// SPDX-License-Identifier: Apache-2.0
// The estimator "tree_estimator" from a table to predictions, with workers as processes.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "base/fault.h"
#include "format/safetensors.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "protium/search.h"
#include "tasks/net_scorer.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// 600 rows: numbers with gaps, a text with gaps, and labels that depend on both.
std::string TableText() {
  std::string text = "x,z,color,amount,big,kind\n";
  const char* const colors[] = {"red", "green", "blue", ""};
  for (int i = 0; i < 600; ++i) {
    const int x = i * 37 % 100, color = i * 7 % 11 % 4;
    const bool gap = i % 9 == 0;
    const double amount = (gap ? 500 : 3 * x) + 40 * color + (i * 13 % 7);
    text += (gap ? "" : std::to_string(x)) + "," + std::to_string(i % 5) + "," + colors[color] +
            "," + std::to_string(amount) + "," + (amount > 200 ? "yes" : "no") + "," +
            (amount < 120   ? "low"
             : amount < 300 ? "mid"
                            : "high") +
            "\n";
  }
  return text;
}

class TreeEstimatorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "trees-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "t.csv") << TableText();
    session_ = Open("run", "local[2]");
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  std::unique_ptr<Session> Open(const std::string& run, const std::string& engine) {
    auto session = OpenSession({.engine = engine, .folder = folder_ / run, .base = folder_});
    EXPECT_TRUE(session.ok()) << session.status();
    (*session)->Table("t", (*session)->Read().Csv("t.csv"));
    return std::move(*session);
  }
  DataFrame Rows() { return session_->Sql("SELECT * FROM t"); }

  static Pipeline Stages(const std::string& label, Json more = Json::object()) {
    Json options = {
        {"numeric", {"x", "z"}},
        {"categorical", {{{"stage", "index"}}}},
        {"label", label},
        {"trees", {{"rounds", 40}, {"learning_rate", 0.1}, {"leaves", 8}, {"min_weight", 0.1}}},
        {"gang", {{"workers", 2}}}};
    return Pipeline({StringIndexer({.id = "index", .inputs = {"color"}, .missing = Unseen::kNull}),
                     {kTreeEstimator, LaidOver(options, more)}});
  }
  static Json OfClasses(const char* loss) { return {{"loss", loss}}; }

  static std::vector<std::shared_ptr<arrow::RecordBatch>> Batches(const DataFrame& frame) {
    std::vector<std::shared_ptr<arrow::RecordBatch>> all;
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    while (stream.ok()) {
      const auto batch = (*stream)->Next();
      EXPECT_TRUE(batch.ok()) << Render(FaultOf(batch.status()));
      if (!batch.ok() || !*batch) break;
      all.push_back(*batch);
    }
    return all;
  }
  static std::vector<double> Values(const DataFrame& frame, const std::string& column) {
    std::vector<double> all;
    for (const auto& batch : Batches(frame)) {
      const auto values = *Doubles(*batch, column);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  Json TestMetrics() const { return StateOf(*session_).record().results()["metrics"]["test"]; }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(TreeEstimatorTest, LearnsAmountsFromRowsWithGapsAndComesBackFromItsFolder) {
  const auto model = Stages("amount").Fit(Rows());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  const std::vector<double> predicted = Values(model->Transform(Rows()), "prediction");
  ASSERT_EQ(predicted.size(), 600u);
  // The labels' deviation is about 140.
  EXPECT_LT(TestMetrics()["rmse"].get<double>(), 10);
  ASSERT_TRUE(model->Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Values(loaded->Transform(Rows()), "prediction"), predicted);
  const auto scorer = Scorer::Make(*loaded);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  // The first row has no x, and the second no gap.
  for (const auto& [row, text] : {std::pair{0, R"({"x": null, "z": 0, "color": "red"})"},
                                  std::pair{1, R"({"x": 37, "z": 1, "color": null})"}}) {
    const Json scored = *ParseJson(*scorer->ScoreJson(text));
    EXPECT_EQ(scored["prediction"].get<double>(), predicted[size_t(row)]) << text;
  }
}

TEST_F(TreeEstimatorTest, KeepsWhatSplitsOnTheTablesColumnsGained) {
  const auto model = Stages("amount").Fit(Rows());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  ASSERT_TRUE(model->Save("model").ok());
  std::ifstream file(folder_ / "run" / "model" / "metrics.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Json splits = (*ParseJson(text))["splits"];
  EXPECT_EQ(splits, StateOf(*session_).record().results()["splits"]);
  ASSERT_EQ(splits.size(), 3u);
  EXPECT_EQ(splits[0]["column"], "x");
  EXPECT_EQ(splits[1]["column"], "z");
  EXPECT_EQ(splits[2]["column"], "color");
  // The label is made of x and color.
  for (const int made_of : {0, 2}) EXPECT_GT(splits[made_of]["gain"], splits[1]["gain"]);
  for (const Json& each : splits) EXPECT_EQ(each["splits"] > 0, each["cover"] > 0);
}

TEST_F(TreeEstimatorTest, LearnsTwoClassesAndThree) {
  const auto two = Stages("big", OfClasses("binary_cross_entropy")).Fit(Rows());
  ASSERT_TRUE(two.ok()) << Render(FaultOf(two.status()));
  Batches(two->Transform(Rows()));
  EXPECT_GT(TestMetrics()["auc"].get<double>(), 0.99);
  session_ = Open("three", "local[2]");
  const auto three = Stages("kind", OfClasses("cross_entropy")).Fit(Rows());
  ASSERT_TRUE(three.ok()) << Render(FaultOf(three.status()));
  Batches(three->Transform(Rows()));
  EXPECT_GT(TestMetrics()["accuracy"].get<double>(), 0.95);
}

TEST_F(TreeEstimatorTest, IsTheSameForAnyNumberOfWorkers) {
  std::vector<std::string> hashes;
  for (const int workers : {1, 2, 3}) {
    const std::string name = "run-" + std::to_string(workers);
    const auto session = Open(name, "local[3]");
    const auto model = Stages("amount", {{"gang", {{"workers", workers}}},
                                         {"train", {{"validation", {{"share", 0.2}}}}}})
                           .Fit(session->Sql("SELECT * FROM t"));
    ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    hashes.push_back(StateOf(*model).trained.weights_sha256);
  }
  EXPECT_THAT(hashes, testing::Each(hashes[0]));
}

TEST_F(TreeEstimatorTest, AddsTreesToAForest) {
  const auto first = Stages("amount", {{"trees", {{"rounds", 3}}}}).Fit(Rows());
  ASSERT_TRUE(first.ok()) << Render(FaultOf(first.status()));
  ASSERT_TRUE(first->Save("model").ok());
  const std::string from = fs::absolute(folder_ / "run" / "model").string();
  session_ = Open("more", "local[2]");
  const auto more =
      Stages("amount", {{"trees", {{"rounds", 40}}}, {"train", {{"from", from}}}}).Fit(Rows());
  ASSERT_TRUE(more.ok()) << Render(FaultOf(more.status()));
  Batches(more->Transform(Rows()));
  EXPECT_LT(TestMetrics()["rmse"].get<double>(), 10);
  session_ = Open("others", "local[2]");
  const Fault refused = FaultOf(
      Stages("amount", {{"numeric", {"x"}}, {"train", {{"from", from}}}}).Fit(Rows()).status());
  EXPECT_THAT(refused.what, HasSubstr("column"));
  EXPECT_EQ(refused.exit, Exit::kInput);
}

TEST_F(TreeEstimatorTest, IsMeasuredByFolds) {
  const auto trial = CrossValidate(Stages("amount"), Rows(), {.k = 2}, "mae");
  ASSERT_TRUE(trial.ok()) << Render(FaultOf(trial.status()));
  EXPECT_LT(*trial->value, 40);
}

TEST_F(TreeEstimatorTest, RefusesWhatTreesCannotDoAndSaysWhere) {
  const auto refused = [&](Json more) {
    const Fault fault = FaultOf(Stages("amount", std::move(more)).Fit(Rows()).status());
    EXPECT_EQ(fault.exit, Exit::kUsage) << fault.what;
    return fault.where;
  };
  const std::string at = "pipeline.1.";
  EXPECT_EQ(refused({{"net", "linear"}}), at + "net");
  EXPECT_EQ(refused({{"trees", {{"rounds", 0}}}}), at + "trees.rounds");
  EXPECT_EQ(refused({{"trees", {{"learning_rate", 1.5}}}}), at + "trees.learning_rate");
  EXPECT_EQ(refused({{"train", {{"epochs", 3}}}}), at + "train.epochs");
  EXPECT_EQ(refused({{"train", {{"early_stopping", {{"patience", 3}}}}}}),
            at + "train.early_stopping.patience");
  EXPECT_EQ(refused({{"vectors", {{{"column", "x"}}}}}), at + "vectors");
  EXPECT_EQ(refused({{"gang", {{"gpus_per_worker", 1}}}}), at + "gang.gpus_per_worker");
  const Json rising = {{"column", "x"}};
  EXPECT_EQ(refused({{"trees", {{"monotone", {{{"column", "amounts"}}}}}}}),
            at + "trees.monotone.0.column");
  EXPECT_EQ(refused({{"trees", {{"monotone", {rising, rising}}}}}), at + "trees.monotone.1.column");
  EXPECT_EQ(refused({{"trees", {{"interactions", {{"x", "color__index"}, {"y"}}}}}}),
            at + "trees.interactions.1.0");
}

// 60 queries of up to 12 rows; the relevance depends on a number and on a text.
std::string QueriesText() {
  std::string text = "query,x,z,color,relevance\n";
  const char* const colors[] = {"red", "green", "blue"};
  for (int i = 0; i < 600; ++i) {
    const int query = i * 53 % 60, x = i * 37 % 101;
    const int grade = x / 34 + (i % 3 == 1 ? 2 : 0);
    text += "q" + std::to_string(query) + "," + std::to_string(x) + "," +
            std::to_string(query % 7) + "," + colors[i % 3] + "," + std::to_string(grade) + "\n";
  }
  return text;
}

class RankingTest : public TreeEstimatorTest {
 protected:
  void SetUp() override {
    TreeEstimatorTest::SetUp();
    std::ofstream(folder_ / "q.csv") << QueriesText();
    session_->Table("q", session_->Read().Csv("q.csv"));
  }
  DataFrame Queries() { return session_->Sql("SELECT * FROM q"); }
  // The same with another relevance, or other groups.
  static std::string Relevance(const std::string& sql) {
    return "SELECT query, x, z, color, " + sql + " AS relevance FROM q";
  }
  static std::string Query(const std::string& sql) {
    return "SELECT " + sql + " AS query, x, z, color, relevance FROM q";
  }
  static Json Ranked(Json more = Json::object()) {
    return LaidOver({{"loss", "lambdarank"}, {"group", "query"}}, more);
  }
};

TEST_F(RankingTest, LearnsPredictsAndMeasures) {
  const auto [train, test] = Queries().Split({.by = {"query"}, .test = 0.3});
  const auto model =
      Stages("relevance", Ranked({{"train", {{"validation", {{"share", 0.2}}}}}})).Fit(train);
  ASSERT_TRUE(model.ok()) << model.status();
  const Json results = StateOf(*session_).record().results();
  const Json validation = results["metrics"]["validation"];
  EXPECT_GT(validation["ndcg@10"].get<double>(), 0.95) << Dump(validation);
  EXPECT_TRUE(validation.contains("ndcg@5"));
  EXPECT_EQ(results["importance"]["metric"], "ndcg@10");
  EXPECT_GT(results["importance"]["columns"][0]["worse"].get<double>(), 0.01);
  Batches(model->Transform(test));
  EXPECT_GT(TestMetrics()["ndcg@10"].get<double>(), 0.95);
  // Without groups there are scores, but no metrics.
  const auto batches = Batches(model->Transform(Rows().Select({"x", "z", "color"})));
  ASSERT_FALSE(batches.empty());
  EXPECT_NE(batches[0]->GetColumnByName("prediction"), nullptr);
}

TEST_F(RankingTest, HoldsOutWholeGroupsAndRefusesToCutThem) {
  const Json by = {{"train", {{"validation", {{"share", 0.3}, {"by", {"x"}}}}}}};
  const Fault fault = FaultOf(Stages("relevance", Ranked(by)).Fit(Queries()).status());
  EXPECT_EQ(fault.exit, Exit::kInput) << fault.what;
  EXPECT_THAT(fault.where, HasSubstr("train.validation.by"));
}

TEST_F(RankingTest, RefusesLabelsAndGroupsThatItCannotRank) {
  const auto refused = [&](const std::string& sql) {
    return FaultOf(Stages("relevance", Ranked()).Fit(session_->Sql(sql)).status()).what;
  };
  EXPECT_THAT(refused(Relevance("relevance - 1")), HasSubstr("is -1"));
  EXPECT_THAT(refused(Relevance("relevance + 36")), HasSubstr("is 40"));
  EXPECT_THAT(refused(Relevance("relevance / 8.0")), HasSubstr("whole numbers from 0 to 31"));
  EXPECT_THAT(refused(Query("nullif(query, 'q7')")), HasSubstr("query"));
  EXPECT_THAT(refused(Query("z / 2.0")), HasSubstr("text, whole numbers or dates"));
}

TEST_F(RankingTest, RefusesWhatDoesNotGoTogether) {
  const auto refused = [&](const Json& more) {
    return FaultOf(Stages("relevance", more).Fit(Queries()).status());
  };
  EXPECT_THAT(refused({{"loss", "lambdarank"}}).where, HasSubstr("group"));
  EXPECT_THAT(refused({{"group", "query"}}).where, HasSubstr("group"));
  EXPECT_THAT(refused(Ranked({{"group", "quary"}})).fix, HasSubstr("query"));
  EXPECT_THAT(refused(Ranked({{"label_scale", "standard"}})).where, HasSubstr("label_scale"));
  EXPECT_THAT(refused(Ranked({{"train", {{"metrics", {"rmse"}}}}})).fix, HasSubstr("ndcg@k"));
  const Pipeline net(
      {{kTorchEstimator, {{"numeric", {"x"}}, {"label", "relevance"}, {"loss", "lambdarank"}}}});
  const Fault fault = FaultOf(net.Fit(Queries()).status());
  EXPECT_EQ(fault.what, "nets cannot learn with the loss \"lambdarank\"");
  EXPECT_THAT(fault.fix, HasSubstr("tree_estimator"));
}

TEST_F(RankingTest, FoldsKeepGroupsWhole) {
  const auto trial = CrossValidate(Stages("relevance", Ranked()), Queries(), {.k = 3}, "ndcg@5");
  ASSERT_TRUE(trial.ok()) << Render(FaultOf(trial.status()));
  const auto same =
      CrossValidate(Stages("relevance", Ranked()), Queries(), {.k = 3, .by = {"query"}}, "ndcg@5");
  ASSERT_TRUE(same.ok()) << Render(FaultOf(same.status()));
  EXPECT_EQ(*trial->value, *same->value);
}

// A loss of a program's own computes first derivatives only.
TEST(TreeEstimator, RefusesALossThatTreesDoNotKnow) {
  Catalogue catalogue = BuiltInCatalogue();
  LossRow own{MakeRow<NoOptions>("mine", "a loss of a program's own")};
  own.builder = std::make_shared<int>(1);
  catalogue.losses.push_back(std::move(own));
  const auto row = std::ranges::find(catalogue.stages, kTreeEstimator, &StageRow::name);
  AnyOptions options = Json{{"numeric", {"x"}}, {"label", "y"}, {"loss", "mine"}};
  const auto read = row->estimator->Read(options, "");
  ASSERT_TRUE(read.ok()) << read.status();
  EstimatorOptions common = *read;
  const Fault fault = FaultOf(row->estimator->Complete(common, options, "", catalogue));
  EXPECT_EQ(fault.what, "trees cannot learn with the loss \"mine\"");
  EXPECT_THAT(fault.fix, HasSubstr("tweedie"));
}

}  // namespace
}  // namespace protium
