// SPDX-License-Identifier: Apache-2.0
// Makes the plan of Transform() up to the net once for each set of columns that rows have, and
// splits it into steps; makes the net once for the model.
#include "protium/scorer.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "format/carried_rows.h"
#include "inference/batch_steps.h"
#include "inference/behind_history.h"
#include "inference/gap_watch.h"
#include "inference/json_answer.h"
#include "inference/json_rows.h"
#include "inference/newer_rows.h"
#include "inference/next_rows.h"
#include "inference/roll_forward.h"
#include "model/background.h"
#include "model/explanations.h"
#include "model/model_state.h"
#include "model/net_rows.h"
#include "model/predictions.h"
#include "model/rounded.h"

namespace protium {
namespace {

// Rows with new columns need a new plan; callers have few different sets of columns.
constexpr size_t kMostPlans = 8;

// Steps for rows with certain columns: select those that the model reads, cast them to the types
// that tables have, put them behind kept rows if the model reads those, and apply the stages.
struct Preparation {
  std::vector<int> taken;  // Positions among the given columns.
  SchemaPtr carried;
  std::optional<BehindKeptRows> behind;
  BatchSteps steps;

  // Those of `wanted`; null: all.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(const arrow::RecordBatch& rows,
                                                    const arrow::BooleanArray* wanted) const {
    PT_LET(const auto own, rows.SelectColumns(taken));
    PT_LET(auto batch, CarriedBatch(*own, carried, "the rows to score"));
    if (behind) {
      PT_LET(batch, behind->Apply(*batch));
    }
    if (wanted != nullptr) {
      PT_LET(const arrow::Datum kept, arrow::compute::Filter(batch, *wanted));
      batch = kept.record_batch();
    }
    return steps.Apply(std::move(batch));
  }
};

// `behind`: what `columns` have passed before, if anything.
Result<BatchSteps> MakeSteps(const ModelState& state, const SchemaPtr& columns,
                             const BehindKeptRows* behind, LazyRowQueries& queries) {
  const Analyze analyze = [&](const Plan& plan) -> Result<SchemaPtr> {
    PT_LET(const BatchSteps steps, BatchSteps::Make(plan, columns, queries));
    return steps.schema();
  };
  const Plan rows = MakePlan(NamedTable{"rows"});
  if (behind != nullptr) {
    PT_LET(const Plan above, PlanAboveHistory(state, rows, *behind->typed(), nullptr, analyze));
    return BatchSteps::Make(above, columns, queries);
  }
  SchemaPtr typed = columns;
  PT_LET(const Plan plan, AppliedPlan(state, rows, typed, nullptr, analyze));
  return BatchSteps::Make(plan, columns, queries);
}

// Drops columns that the model does not read first: they may have any type.
Result<std::shared_ptr<const Preparation>> Prepare(const ModelState& state,
                                                   const std::shared_ptr<arrow::RecordBatch>& kept,
                                                   const SchemaPtr& input, const SchemaPtr& columns,
                                                   LazyRowQueries& queries) {
  std::vector<int> taken;
  arrow::FieldVector fields;
  for (int i = 0; i < columns->num_fields(); ++i) {
    if (input->GetFieldByName(columns->field(i)->name()) == nullptr) continue;
    taken.push_back(i);
    fields.push_back(columns->field(i));
  }
  PT_LET(SchemaPtr carried, CarriedSchema(*arrow::schema(std::move(fields)), "the rows to score"));
  std::optional<BehindKeptRows> behind;
  if (kept != nullptr) {
    PT_LET(RowQueries* const opened, queries.Opened());
    PT_LET(behind, BehindKeptRows::Make(state, kept, carried, *opened));
  }
  PT_LET(BatchSteps steps, MakeSteps(state, behind ? behind->schema() : carried,
                                     behind ? &*behind : nullptr, queries));
  return std::make_shared<const Preparation>(
      Preparation{std::move(taken), std::move(carried), std::move(behind), std::move(steps)});
}

Status NothingToRoll() {
  return Fail({.exit = Exit::kUsage,
               .what = "the model reads no earlier rows",
               .why = "each prediction is made from its own row alone, however far ahead it is",
               .fix = "predict without going forward"});
}

// A cache of preparations by columns. Any thread.
class PreparedColumns {
 public:
  // `kept`: the rows of ReadKeptRows().
  explicit PreparedColumns(std::shared_ptr<arrow::RecordBatch> kept) : history_(std::move(kept)) {}

  Result<std::shared_ptr<const Preparation>> For(const ModelState& state, const SchemaPtr& input,
                                                 const SchemaPtr& columns) {
    const std::lock_guard lock(mutex_);
    for (const Kept& each : kept_) {
      if (each.columns == columns || each.columns->Equals(*columns, false)) return each.prepared;
    }
    PT_LET(auto prepared, Prepare(state, history_, input, columns, queries_));
    if (kept_.size() == kMostPlans) kept_.erase(kept_.begin());
    kept_.push_back({columns, prepared});
    return prepared;
  }

 private:
  struct Kept {
    SchemaPtr columns;
    std::shared_ptr<const Preparation> prepared;
  };
  std::mutex mutex_;
  const std::shared_ptr<arrow::RecordBatch> history_;
  LazyRowQueries queries_;
  std::vector<Kept> kept_;
};

}  // namespace

struct Scorer::Inside {
  PipelineModel model;
  SchemaPtr input;
  SchemaPtr output;
  std::shared_ptr<const RowPredictor> predictor = nullptr;  // Null without an estimator.
  std::optional<Predictions> predictions = std::nullopt;    // Likewise.
  std::shared_ptr<const Background> background = nullptr;   // Null for a model that has none.
  std::shared_ptr<arrow::RecordBatch> kept = nullptr;       // Null for a model of single rows.
  std::shared_ptr<PreparedColumns> prepared = nullptr;
  std::shared_ptr<GapWatch> gap = nullptr;  // Null for a model of single rows.
  std::optional<Explanations> explanations = std::nullopt;

  // `rows`: those that the model keeps, or newer ones in their place; null: it keeps none.
  Status Keep(std::shared_ptr<arrow::RecordBatch> rows) {
    kept = std::move(rows);
    prepared = std::make_shared<PreparedColumns>(kept);
    if (kept == nullptr) return Status::OK();
    PT_LET(KeptEnds ends, KeptEnds::Make(kept, SeriesOf(StateOf(model))));
    gap = std::make_shared<GapWatch>(std::move(ends));
    return Status::OK();
  }

  // Takes from the model how predictions are explained.
  void Explain() {
    const ModelState& state = StateOf(model);
    output = ScoredColumns(state);
    explanations.reset();
    if (state.explain.columns == 0) return;
    explanations.emplace(state.net.objective, state.explain, background);
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Score(const arrow::RecordBatch& rows) const {
    return Score(rows, *prepared, input, nullptr);
  }

  // Only rows of `wanted`, of which the model takes the columns of `read`; null: all.
  Result<std::shared_ptr<arrow::RecordBatch>> Score(const arrow::RecordBatch& rows,
                                                    PreparedColumns& columns, const SchemaPtr& read,
                                                    const arrow::BooleanArray* wanted) const {
    PT_LET(const auto preparation, columns.For(StateOf(model), read, rows.schema()));
    PT_LET(const auto batch, preparation->Apply(rows, wanted));
    if (predictor) return Predict(*batch);
    arrow::ArrayVector made;
    for (const auto& field : output->fields()) {
      made.push_back(batch->GetColumnByName(field->name()));
    }
    return arrow::RecordBatch::Make(output, batch->num_rows(), std::move(made));
  }

  // What puts rows behind those of the kept ones that they look back to, since each round reads
  // them again. A plan of its own pays from some thousands of rows on.
  Result<std::shared_ptr<PreparedColumns>> PreparedBehind(const arrow::RecordBatch& rows,
                                                          const SeriesColumns& series) const {
    constexpr int64_t kFewRows = 4096;
    if (kept->num_rows() <= kFewRows) return prepared;
    PT_LET(auto before, KeptBefore(kept, rows, series));
    if (kept->num_rows() - before->num_rows() <= kFewRows) return prepared;
    return std::make_shared<PreparedColumns>(std::move(before));
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Roll(const arrow::RecordBatch& rows,
                                                   const std::stop_token& stop) const {
    const ModelState& state = StateOf(model);
    if (state.history.empty()) return NothingToRoll();
    PT_LET(const auto label, RolledLabel(state));
    if (!label) return Score(rows);
    PT_LET(const auto labelled, WithNumbers(rows, *label));
    SchemaPtr read = input;
    if (input->GetFieldByName(*label) == nullptr) {
      PT_LET(read, input->AddField(input->num_fields(), arrow::field(*label, arrow::float64())));
    }
    const SeriesColumns series = SeriesOf(state);
    PT_LET(const auto behind, PreparedBehind(rows, series));
    const ScoreBehind score = [&](const auto& known, const arrow::BooleanArray& wanted) {
      return Score(*known, *behind, read, &wanted);
    };
    return RollSeries(labelled, series, score, stop);
  }

  Result<std::shared_ptr<arrow::RecordBatch>> Predict(const arrow::RecordBatch& batch) const {
    PT_LET(const std::vector<float> outputs, predictor->Outputs(batch));
    PT_LET(auto columns, predictions->Columns(outputs));
    if (explanations) {
      const auto explain = [this](const auto&... rows) { return predictor->Explain(rows...); };
      PT_LET(auto explained, explanations->Columns(explain, batch, outputs));
      std::ranges::move(explained, std::back_inserter(columns));
    }
    return arrow::RecordBatch::Make(output, batch.num_rows(), std::move(columns));
  }
};

Result<Scorer> Scorer::Make(const PipelineModel& model) {
  const ModelState& state = StateOf(model);
  auto inside = std::make_shared<Inside>(model, NeededColumns(state), AddedColumns(state));
  PT_LET(auto kept, ReadKeptRows(state));
  PT_TRY(inside->Keep(std::move(kept)));
  if (state.chain->estimator) {
    if (!state.chain->extensions.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "the model has a net, a loss or a metric of an extension, which only "
                           "workers open",
                   .fix = "score tables with it: protium predict, or Transform()"});
    }
    PT_LET(inside->predictor, OpenPredictor(state));
    PT_LET(inside->background, ReadBackground(state.trained.background, state.net));
    const Objective& objective = state.net.objective;
    PT_LET(inside->predictions,
           Predictions::Make(objective, MakeTarget(objective), inside->output->fields()));
  }
  inside->Explain();
  // Reports now, not at the first row, what cannot be computed here.
  PT_TRY(inside->prepared->For(state, inside->input, inside->input));
  return Scorer(std::move(inside));
}

Result<Scorer> Scorer::Explaining(int32_t columns, int32_t samples) const {
  PT_LET(PipelineModel model, inside_->model.Explaining(columns, samples));
  auto inside = std::make_shared<Inside>(*inside_);
  inside->model = std::move(model);
  inside->Explain();
  return Scorer(std::move(inside));
}

const SchemaPtr& Scorer::input() const { return inside_->input; }
bool Scorer::ReadsHistory() const { return !StateOf(inside_->model).history.empty(); }
const SchemaPtr& Scorer::output() const { return inside_->output; }

Result<std::shared_ptr<arrow::RecordBatch>> Scorer::Score(const arrow::RecordBatch& rows) const {
  auto scored = inside_->Score(rows);
  if (!scored.ok()) return inside_->model.Explain(scored.status());
  if (inside_->gap) inside_->gap->Look(rows);
  return scored;
}

std::optional<std::string> Scorer::gap() const {
  return inside_->gap ? inside_->gap->seen() : std::nullopt;
}

Result<std::shared_ptr<arrow::RecordBatch>> Scorer::RollForward(const arrow::RecordBatch& rows,
                                                                const std::stop_token& stop) const {
  auto scored = inside_->Roll(rows, stop);
  if (!scored.ok()) return inside_->model.Explain(scored.status());
  return scored;
}

Result<std::shared_ptr<arrow::RecordBatch>> Scorer::NextRows(const Horizon& horizon) const {
  if (inside_->kept == nullptr) return NothingToRoll();
  return RowsAfter(StateOf(inside_->model), *inside_->kept, horizon);
}

Result<Scorer> Scorer::WithNewerRows(const arrow::RecordBatch& rows) const {
  if (inside_->kept == nullptr) return NothingToRoll();
  auto inside = std::make_shared<Inside>(*inside_);
  PT_LET(auto kept, WithNewer(*inside_->kept, rows, SeriesOf(StateOf(inside_->model))));
  PT_TRY(inside->Keep(std::move(kept)));
  return Scorer(std::move(inside));
}

Result<std::string> Scorer::ScoreJson(std::string_view rows) const {
  PT_LET(const JsonRows given, ReadBareJsonRows(rows, *inside_->input));
  PT_LET(const auto scored, Score(*given.batch));
  return given.form == JsonForm::kRow ? RowToJson(*scored, 0) : RowsToJson(*scored);
}

}  // namespace protium
