// SPDX-License-Identifier: Apache-2.0
// A kind of estimator that only this file knows: it predicts the weighted mean of its label.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "base/fault.h"
#include "format/safetensors.h"
#include "frame/session_state.h"
#include "gang/task.h"
#include "model/model_state.h"
#include "pipeline/batch_run.h"
#include "pipeline/chain.h"
#include "pipeline/estimator.h"
#include "pipeline/fit_task.h"
#include "protium/pipeline.h"
#include "protium/scorer.h"
#include "protium/search.h"
#include "tasks/net_scorer.h"
#include "tasks/tasks.h"

namespace protium {

const TaskTable& TestTasks();

namespace {

namespace fs = std::filesystem;

constexpr const char* kTensor = "mean";

struct MeanOptions {
  EstimatorOptions common;
  double times = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    common.Fields(visit);
    visit("times", times, {.help = "factor of the mean", .above = 0});
  }
};

class Constant : public RowPredictor {
 public:
  explicit Constant(float value) : value_(value) {}
  Result<std::vector<float>> Outputs(const arrow::RecordBatch& rows) const override {
    return std::vector<float>(size_t(rows.num_rows()), value_);
  }

 private:
  float value_;
};

class MeanKind : public EstimatorKindOf<MeanOptions> {
 public:
  AnyOptions ForAllRows(const AnyOptions& own, int64_t) const override {
    MeanOptions options = Typed(own);
    options.common.train.validation.share = 0;
    return options;
  }
  Json DescribeTraining(const AnyOptions& own) const override {
    return {{"workers", Typed(own).common.gang.workers.max}};
  }
  std::string task() const override { return "mean"; }
  void Configure(const AnyOptions& own, TrainConfig& config) const override {
    config.own["times"] = Typed(own).times;
  }
  Choice Predicts(const AnyOptions&) const override { return {"mean"}; }
  Result<std::shared_ptr<const RowPredictor>> Open(const NetConfig&,
                                                   const fs::path& weights) const override {
    PT_LET(const Safetensors file, Safetensors::Read(weights));
    float value = 0;
    std::memcpy(&value, file.Find(kTensor)->data.data(), sizeof(value));
    return std::make_shared<const Constant>(value);
  }

 protected:
  Result<MeanOptions> CompleteOwn(MeanOptions options, const std::string& path,
                                  const Catalogue& catalogue) const override {
    PT_TRY(CompleteNamed(catalogue.losses, "loss", path + ".loss", options.common.loss));
    PT_TRY(CompleteLearning(options.common, path, catalogue));
    PT_TRY(CheckFields(options, path));
    PT_TRY(CheckInputs(options.common, path + "."));
    return options;
  }
};

std::shared_ptr<const Catalogue> Own() {
  return std::make_shared<const Catalogue>(
      Catalogue{.stages = {MakeEstimatorRow<MeanKind, MeanOptions>("mean", "the mean")}});
}

// {sum of w * y, sum of w} over the rows that are not held out.
Result<std::vector<double>> Sums(TaskContext& context, const TrainConfig& config) {
  std::vector<double> sums = {0, 0};
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (batch == nullptr) return sums;
    PT_LET(const auto labels, Doubles(*batch, config.net.objective.labels[0].column));
    PT_LET(const auto weights, Doubles(*batch, config.weight));
    for (size_t i = 0; i < labels.size(); ++i) {
      sums[0] += weights[i] * labels[i];
      sums[1] += weights[i];
    }
  }
}

Status TrainMean(TaskContext& context) {
  TrainConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(std::vector<double> sums, Sums(context, config));
  PT_LET(Communicator* const ranks, CommunicatorOf(context));
  PT_TRY(ranks->AllReduce(AsBuffer(std::span(sums)), Op::kSum));
  if (context.rank() != 0) return Status::OK();
  const ScaledLabel& label = config.net.objective.labels[0];
  const double mean = config.own["times"].get<double>() * sums[0] / sums[1];
  const auto output = float((mean - label.mean) / label.deviation);
  const NamedTensor tensor{kTensor, "F32", {1}, std::as_bytes(std::span(&output, 1))};
  fs::create_directories(config.folder);
  const fs::path file = fs::path(config.folder) / "mean.safetensors";
  PT_TRY(WriteSafetensors(file, std::span(&tensor, 1)));
  return EmitJson(context,
                  FieldsToJson(TrainResult{.weights = file.string(),
                                           .weights_sha256 = WeightsSha256(std::span(&tensor, 1)),
                                           .rows = int64_t(sums[1])}));
}

TaskTable Tasks() {
  TaskRows rows = PlainRows();
  AddRows(*Own(), rows);
  TaskTable tasks = TasksOver(rows);
  tasks["fit"] = FitTask;
  tasks["stages"] = StagesTask;
  tasks["mean"] = TrainMean;
  return tasks;
}

class SecondKind : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "kind-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    WriteTable();
    auto session = OpenSession(
        {.engine = "local[2]", .folder = folder_ / "run", .base = folder_, .catalogue = Own()});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
    session_->Table("t", session_->Read().Csv("t.csv"));
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  // Forty rows; `mean_` and `rmse_` are computed from their weights and labels.
  void WriteTable() {
    std::ofstream out(folder_ / "t.csv");
    out << "x,y,w\n";
    double sum = 0, squares = 0, weights = 0;
    for (int i = 0; i < 40; ++i) {
      const double y = 10 * (i % 5), w = 1 + i % 3;
      out << i << "," << y << "," << w << "\n";
      sum += w * y;
      squares += w * y * y;
      weights += w;
    }
    mean_ = sum / weights;
    rmse_ = std::sqrt(squares / weights - mean_ * mean_);
  }

  static Pipeline Stages(Json options = Json::object()) {
    options.update({{"numeric", {{{"stage", "scale"}}}}, {"label", "y"}, {"weight", "w"}});
    if (!options.contains("gang")) options["gang"] = {{"workers", 2}};
    return Pipeline({StandardScaler({.id = "scale", .inputs = {"x"}}), {"mean", options}});
  }
  DataFrame Rows() { return session_->Sql("SELECT * FROM t"); }

  static std::vector<double> Predicted(const DataFrame& frame) {
    std::vector<double> all;
    auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    while (stream.ok()) {
      const auto batch = (*stream)->Next();
      EXPECT_TRUE(batch.ok()) << Render(FaultOf(batch.status()));
      if (!batch.ok() || !*batch) break;
      const auto values = *Doubles(**batch, "prediction");
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  fs::path folder_;
  std::unique_ptr<Session> session_;
  double mean_ = 0;
  double rmse_ = 0;
};

TEST_F(SecondKind, TrainsPredictsAndComesBackFromItsFolder) {
  const auto model = Stages().Fit(Rows());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  const std::vector<double> mean(40, mean_);
  EXPECT_THAT(Predicted(model->Transform(Rows())),
              testing::Pointwise(testing::DoubleNear(1e-5), mean));
  // Its predictions are measured like any other's.
  const Json measured = StateOf(*session_).record().results()["metrics"]["test"];
  EXPECT_NEAR(measured["rmse"].get<double>(), rmse_, 1e-4);
  ASSERT_TRUE(model->Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Predicted(loaded->Transform(Rows())), Predicted(model->Transform(Rows())));
  const auto scorer = Scorer::Make(*loaded);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  const Json scored = *ParseJson(*scorer->ScoreJson(R"({"x": 1})"));
  EXPECT_EQ(scored["prediction"].get<double>(), Predicted(model->Transform(Rows()))[0]);
}

TEST_F(SecondKind, IsMeasuredByFolds) {
  const auto trial = CrossValidate(Stages(), Rows(), {.k = 2}, "mae");
  ASSERT_TRUE(trial.ok()) << Render(FaultOf(trial.status()));
  EXPECT_GT(*trial->value, 0);
}

TEST_F(SecondKind, TakesItsOwnOptionsAndRefusesThoseOfNets) {
  const auto model = Stages({{"times", 2}}).Fit(Rows());
  ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
  EXPECT_NEAR(Predicted(model->Transform(Rows()))[0], 2 * mean_, 1e-5);
  const Fault wrong = FaultOf(Stages({{"times", 0}}).Fit(Rows()).status());
  EXPECT_EQ(wrong.where, "pipeline.1.times");
  EXPECT_EQ(FaultOf(Stages({{"net", "linear"}}).Fit(Rows()).status()).where, "pipeline.1.net");
  const Json range = {{"workers", {{"min", 1}, {"max", 2}}}};
  EXPECT_EQ(FaultOf(Stages({{"gang", range}}).Fit(Rows()).status()).where,
            "pipeline.1.gang.workers");
}

}  // namespace

const TaskTable& TestTasks() {
  static const TaskTable tasks = Tasks();
  return tasks;
}

}  // namespace protium
