// SPDX-License-Identifier: Apache-2.0
// Explained predictions of trees: by workers, in this process, and what is refused.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "pipeline/batch_run.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "protium/stages.h"
#include "tasks/net_scorer.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Explained : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "explained-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    WriteTable();
    Open();
  }
  void TearDown() override {
    sessions_.clear();
    fs::remove_all(folder_);
  }

  // y follows x most, then shop; z says nothing.
  void WriteTable() {
    std::ofstream out(folder_ / "t.csv");
    out << "x,z,shop,y,kind\n";
    for (int i = 0; i < 400; ++i) {
      const int x = i * 37 % 101, z = i * 53 % 17, shop = i % 3;
      out << x << "," << z << ","
          << "abc"[shop] << "," << 1000 + 10 * x + 100 * shop << ","
          << (x < 30   ? "low"
              : x < 60 ? "mid"
                       : "top")
          << "\n";
    }
  }
  // A session trains once.
  void Open() {
    const fs::path run = folder_ / ("run-" + std::to_string(sessions_.size()));
    auto session = OpenSession({.engine = "local[2]", .folder = run, .base = folder_});
    ASSERT_TRUE(session.ok()) << session.status();
    sessions_.push_back(std::move(*session));
    Now().Table("t", Now().Read().Csv("t.csv"));
  }
  Session& Now() { return *sessions_.back(); }
  DataFrame Table() { return Now().Sql("SELECT * FROM t"); }

  // In a session of its own, which Table() then reads in.
  PipelineModel Fitted(const Json& own, const std::string& rows = "SELECT * FROM t") {
    Open();
    Json options = Json::object();
    options.update({{"numeric", {"x", "z"}},
                    {"categorical", {{{"stage", "index"}}}},
                    {"trees", {{"rounds", 8}, {"leaves", 6}}},
                    {"train", {{"validation", {{"share", 0}}}}}});
    options.update(own);
    auto model =
        Pipeline({StringIndexer({.id = "index", .inputs = {"shop"}}), {"tree_estimator", options}})
            .Fit(Now().Sql(rows));
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }
  PipelineModel Numbers() { return Fitted({{"label", "y"}}); }

  static PipelineModel Explaining(const PipelineModel& model, int32_t columns) {
    auto explaining = model.Explaining(columns);
    EXPECT_TRUE(explaining.ok()) << Render(FaultOf(explaining.status()));
    return *explaining;
  }

  static std::shared_ptr<arrow::RecordBatch> Rows(const DataFrame& frame) {
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    arrow::RecordBatchVector batches;
    while (stream.ok()) {
      const auto batch = (*stream)->Next();
      EXPECT_TRUE(batch.ok()) << Render(FaultOf(batch.status()));
      if (!batch.ok() || !*batch) break;
      batches.push_back(*batch);
    }
    return *arrow::ConcatenateRecordBatches(batches);
  }

  // Expects the numbers that begin with because_ to add up to a row's `wanted`.
  static void ExpectSums(const arrow::RecordBatch& rows, const std::vector<double>& wanted) {
    std::vector<double> sums(wanted.size());
    for (const auto& field : rows.schema()->fields()) {
      const bool number = field->type()->id() == arrow::Type::DOUBLE;
      if (!number || !field->name().starts_with("because_")) continue;
      const auto values = *Doubles(rows, field->name());
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(sums[i], wanted[i], 1e-5 * std::max(1.0, std::abs(wanted[i]))) << i;
    }
  }

  fs::path folder_;
  std::vector<std::unique_ptr<Session>> sessions_;
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
