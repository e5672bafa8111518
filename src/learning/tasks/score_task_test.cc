// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "metrics/metrics.h"
#include "os/file.h"
#include "tasks/tasks.h"
#include "tasks/testing/rank_context.h"
#include "tensor/weights.h"

namespace protium {
namespace {

SchemaPtr ScoredSchema() {
  return arrow::schema({arrow::field("name", arrow::utf8()), arrow::field("a", arrow::float64()),
                        arrow::field("c", arrow::int64()), arrow::field("y", arrow::int32())});
}

std::shared_ptr<arrow::RecordBatch> Table(int rows, bool with_null = false) {
  arrow::StringBuilder name;
  arrow::DoubleBuilder a;
  arrow::Int64Builder c;
  arrow::Int32Builder y;
  for (int i = 0; i < rows; ++i) {
    (void)name.Append("row " + std::to_string(i));
    (void)(with_null && i == 7 ? a.AppendNull() : a.Append(double(i % 37) / 9 - 2));
    (void)c.Append(i % 3);
    (void)(i % 5 == 0 ? y.AppendNull() : y.Append(i % 50));
  }
  return arrow::RecordBatch::Make(ScoredSchema(), rows,
                                  {*name.Finish(), *a.Finish(), *c.Finish(), *y.Finish()});
}

class ScoreTask : public testing::Test {
 protected:
  ScoreTask() {
    config_.net.net = {"tabular_mlp", {{"hidden", {32, 16}}}};
    config_.net.categorical = {{.column = "c", .cardinality = 3}};
    config_.net.numeric = {"a"};
    config_.net.objective.labels = {{.column = "y", .mean = 25, .deviation = 10}};
    config_.weights = (folder_.path() / "w.safetensors").string();
    config_.added = {"prediction"};
    config_.metrics = {"rmse", "mae"};
    config_.baseline = Baseline{.column = "a", .intercept = 20, .slope = 1};
    const auto net =
        BuildNet(PlainRows().nets, "tabular_mlp", config_.net.net.options, MakeNetInputs(config_))
            .ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(3);
    EXPECT_TRUE(WriteSafetensors(config_.weights, weights->Tensors()).ok());
  }

  Status Run(Batches input) {
    reports_.emplace();
    RankContext context(nullptr, Dump(FieldsToJson(config_)), ScoredSchema(), std::move(input),
                        *reports_);
    const SchemaPtr table = Table(1)->schema();
    context.SetOutput(arrow::schema({table->GetFieldByName("name"), table->GetFieldByName("y"),
                                     arrow::field("prediction", arrow::float64())}));
    return RunScoreTask(context, PlainRows());
  }

  std::vector<double> Predictions() {
    std::vector<double> out;
    for (const auto& batch : reports_->emitted) {
      const auto column =
          std::static_pointer_cast<arrow::DoubleArray>(batch->GetColumnByName("prediction"));
      for (int64_t i = 0; i < column->length(); ++i) out.push_back(column->Value(i));
    }
    return out;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  ScoreConfig config_;
  std::optional<RankReports> reports_;
};

TEST_F(ScoreTask, ARowsPredictionDoesNotDependOnItsNeighbours) {
  const auto table = Table(1500);
  ASSERT_TRUE(Run({table}).ok());
  const std::vector<double> together = Predictions();
  ASSERT_EQ(together.size(), 1500u);
  for (const int64_t size : {1, 7, 333}) {
    Batches parts;
    for (int64_t at = 0; at < 700; at += size) parts.push_back(table->Slice(at, size));
    ASSERT_TRUE(Run(parts).ok());
    const std::vector<double> apart = Predictions();
    EXPECT_TRUE(std::equal(apart.begin(), apart.begin() + 700, together.begin())) << size;
  }
}

TEST_F(ScoreTask, GivesChosenColumnsOnAndMeasuresRowsWithALabel) {
  ASSERT_TRUE(Run({Table(100)}).ok());
  const auto& out = *reports_->emitted.at(0);
  EXPECT_EQ(out.schema()->field_names(), (std::vector<std::string>{"name", "y", "prediction"}));
  EXPECT_TRUE(out.column(0)->Equals(Table(100)->column(0)));
  ASSERT_EQ(reports_->events.size(), 1u);
  for (const char* side : {"model", "baseline"}) {
    auto state = MetricState::FromJson(reports_->events[0].at(side)).ValueOrDie();
    EXPECT_EQ(state.rows(), 80);
  }
}

TEST_F(ScoreTask, RefusesNullsForeignWeightsAndTakenNames) {
  const Status null = Run({Table(100), Table(100, true)});
  EXPECT_THAT(FaultOf(null).what,
              testing::AllOf(testing::HasSubstr("after 100 rows"), testing::HasSubstr("NULL")));
  config_.added = {"name"};
  EXPECT_THAT(FaultOf(Run({Table(3)})).what,
              testing::HasSubstr("the input already has a column name"));
  config_.added = {"p"};
  config_.net.categorical[0].cardinality = 2;
  EXPECT_THAT(FaultOf(Run({Table(3)})).why, testing::HasSubstr("embedding.0.weight"));
}

}  // namespace
}  // namespace protium
