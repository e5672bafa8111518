// SPDX-License-Identifier: Apache-2.0
// The plan of Transform() up to the net is made once for each set of columns that rows come with,
// and taken apart into steps; the net once for the model.
#include "protium/scorer.h"

#include <arrow/api.h>

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "inference/batch_steps.h"
#include "inference/json_rows.h"
#include "inference/row_net.h"
#include "learn/model/model_state.h"

namespace protium {
namespace {

// Rows of other columns than the last ones make a new plan; callers have few kinds of them.
constexpr size_t kMostPlans = 8;

Result<std::shared_ptr<const BatchSteps>> MakeSteps(const ModelState& state,
                                                    const SchemaPtr& columns) {
  const Analyze analyze = [&](const Plan& plan) -> Result<SchemaPtr> {
    PT_LET(const BatchSteps steps, BatchSteps::Make(plan, columns));
    return steps.schema();
  };
  SchemaPtr typed = columns;
  PT_LET(const Plan plan,
         AppliedPlan(state, MakePlan(NamedTable{"rows"}), typed, nullptr, analyze));
  PT_LET(BatchSteps steps, BatchSteps::Make(plan, columns));
  return std::make_shared<const BatchSteps>(std::move(steps));
}

// Those steps for the columns at hand, kept. Any thread.
class StepsByColumns {
 public:
  Result<std::shared_ptr<const BatchSteps>> For(const ModelState& state, const SchemaPtr& columns) {
    const std::lock_guard lock(mutex_);
    for (const Kept& each : kept_) {
      if (each.columns == columns || each.columns->Equals(*columns, false)) return each.steps;
    }
    PT_LET(auto steps, MakeSteps(state, columns));
    if (kept_.size() == kMostPlans) kept_.erase(kept_.begin());
    kept_.push_back({columns, steps});
    return steps;
  }

 private:
  struct Kept {
    SchemaPtr columns;
    std::shared_ptr<const BatchSteps> steps;
  };
  std::mutex mutex_;
  std::vector<Kept> kept_;
};

}  // namespace

struct Scorer::Inside {
  PipelineModel model;
  SchemaPtr input;
  SchemaPtr output;
  std::optional<RowNet> net;  // None without an estimator.
  mutable StepsByColumns steps = {};

  Result<std::shared_ptr<arrow::RecordBatch>> Score(const arrow::RecordBatch& rows) const {
    PT_LET(const auto applied, steps.For(model.state(), rows.schema()));
    const auto own = arrow::RecordBatch::Make(rows.schema(), rows.num_rows(), rows.columns());
    PT_LET(const auto batch, applied->Apply(own));
    if (net) return net->Predict(*batch);
    arrow::ArrayVector columns;
    for (const auto& field : output->fields()) {
      columns.push_back(batch->GetColumnByName(field->name()));
    }
    return arrow::RecordBatch::Make(output, batch->num_rows(), std::move(columns));
  }
};

Result<Scorer> Scorer::Make(const PipelineModel& model) {
  const ModelState& state = model.state();
  auto inside = std::make_shared<Inside>(model, NeededColumns(state), AddedColumns(state));
  if (state.chain->estimator) {
    if (!state.chain->extensions.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the model has a net, a loss or a metric of an extension, which only "
                           "workers open",
                   .fix = "score tables with it: protium predict, or Transform()"});
    }
    PT_LET(inside->net, RowNet::Make(state.net, state.trained.weights, inside->output));
  }
  // What cannot be computed here is known now, not when the first row comes.
  PT_TRY(inside->steps.For(state, inside->input));
  return Scorer(std::move(inside));
}

const SchemaPtr& Scorer::input() const { return inside_->input; }
const SchemaPtr& Scorer::output() const { return inside_->output; }

Result<std::shared_ptr<arrow::RecordBatch>> Scorer::Score(const arrow::RecordBatch& rows) const {
  auto scored = inside_->Score(rows);
  if (!scored.ok()) return inside_->model.Explain(scored.status());
  return scored;
}

Result<std::string> Scorer::ScoreJson(std::string_view rows) const {
  PT_LET(Json given, ParseJson(rows));
  const bool one = given.is_object();
  if (one) given = Json::array({std::move(given)});
  PT_LET(const auto batch, RowsFromJson(given, *inside_->input));
  PT_LET(const auto scored, Score(*batch));
  const Json predictions = RowsToJson(*scored);
  return Dump(one ? predictions.front() : predictions);
}

}  // namespace protium
