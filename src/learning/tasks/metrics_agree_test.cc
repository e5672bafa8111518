// SPDX-License-Identifier: Apache-2.0
// Training and scoring report the same metrics of the validation rows, to the last bit.
#include "metrics/metrics.h"
#include "tasks/testing/train_task.h"

namespace protium {
namespace {

// What is learned, and how it is scaled.
struct Learnt {
  const char* name;
  Objective objective;
  Choice loss;
};

void PrintTo(const Learnt& learnt, std::ostream* out) { *out << learnt.name; }

Objective Numbers(const ScaledLabel& label) { return {.labels = {label}}; }

Learnt Quantiles() {
  Objective objective = Numbers({.column = "y", .mean = 2.1, .deviation = 1.7});
  objective.kind = TargetKind::kQuantiles;
  objective.levels = {0.1, 0.5, 0.9};
  return {"quantiles", objective, {"quantile", {{"levels", objective.levels}}}};
}

Learnt Logarithmic() {
  Objective objective = Numbers({.column = "y"});
  objective.logarithmic = true;
  return {"logarithmic", objective, {"poisson", Json::object()}};
}

const Choice kHuber = {"huber", {{"delta", 1.0}}};
const Learnt kLearnt[] = {
    {"none", Numbers({.column = "y"}), kHuber},
    {"standard", Numbers({.column = "y", .mean = 2.1, .deviation = 1.7}), kHuber},
    {"log1p", Numbers({.column = "y", .mean = 0.9, .deviation = 0.7, .log1p = true}), kHuber},
    Quantiles(),
    Logarithmic()};

class MetricsAgree : public TrainTaskTest, public testing::WithParamInterface<Learnt> {
 protected:
  // Every third label is 0; most of the others have no exact float32.
  static std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<int>& ids) {
    arrow::DoubleBuilder y;
    for (const int id : ids) (void)y.Append(id % 3 == 0 ? 0 : 0.1 * (id % 50));
    return *MakeRows(ids)->SetColumn(3, TableSchema()->field(3), *y.Finish());
  }

  // The metrics of the weights that training chose, on these rows.
  Json Scored(const TrainResult& trained, const std::vector<int>& ids) {
    ScoreConfig score{.net = config_.net,
                      .weights = trained.weights,
                      .metrics = config_.train.metrics,
                      .weight = config_.weight};
    arrow::FieldVector fields = {TableSchema()->field(3)};
    for (int64_t i = 0; i < config_.net.objective.outputs(); ++i) {
      score.added.push_back("p" + std::to_string(i));
      fields.push_back(arrow::field(score.added.back(), arrow::float64()));
    }
    RankReports reports;
    RankContext context(nullptr, Dump(FieldsToJson(score)), TableSchema(), {Rows(ids)}, reports);
    context.SetOutput(arrow::schema(fields));
    EXPECT_TRUE(RunScoreTask(context, rows_).ok());
    return MetricState::FromJson(reports.events.at(0).at("model")).ValueOrDie().Values();
  }
};

TEST_P(MetricsAgree, OnTheSameRows) {
  config_.net.objective = GetParam().objective;
  config_.loss = GetParam().loss;
  config_.weight = "b";
  config_.train.metrics = MetricsFor(config_.net.objective.kind);
  // Of series, which inference/series_measures_test.cc has.
  std::erase(config_.train.metrics, "mase@k");
  config_.train.best = config_.train.metrics.front();
  std::vector<int> all, held;
  for (int id = 0; id < 400; ++id) {
    all.push_back(id);
    if (id % 10 == 3) held.push_back(id);
  }
  for (const int32_t world : {1, 2}) {
    Fresh("world" + std::to_string(world));
    std::vector<Batches> input{size_t(world)};
    input.back().push_back(Rows(all));
    const TrainResult trained = RunToResult(world, input);
    EXPECT_EQ(trained.validation_rows, 40);
    EXPECT_EQ(trained.validation, Scored(trained, held));
  }
}

INSTANTIATE_TEST_SUITE_P(Scales, MetricsAgree, testing::ValuesIn(kLearnt),
                         [](const auto& each) { return std::string(each.param.name); });

class RowWeights : public TrainTaskTest {
 protected:
  Fault Refusal(const std::vector<double>& weights) {
    arrow::DoubleBuilder values;
    (void)values.AppendValues(weights);
    std::vector<int> ids(weights.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = int(i);
    config_.weight = "a";
    return FaultOf(
        Run(1, {{*MakeRows(ids)->SetColumn(0, TableSchema()->field(0), *values.Finish())}}));
  }
};

TEST_F(RowWeights, MustNotBeNegative) {
  std::vector<double> weights(40, 1.0);
  weights[6] = weights[9] = -0.5;
  const Fault fault = Refusal(weights);
  EXPECT_EQ(fault.what, "column a is negative in 2 of 36 rows");
  EXPECT_EQ(fault.where, "column a, first in row 7 of rank 0");
}

TEST_F(RowWeights, MustNotAllBeZero) {
  const Fault fault = Refusal(std::vector<double>(40, 0.0));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "column a is 0 in all 36 training rows, from the first row on");
}

}  // namespace
}  // namespace protium
