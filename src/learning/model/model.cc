// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/cells.h"
#include "engine/kind.h"
#include "frame/session_state.h"
#include "model/carried_decimals.h"
#include "model/kept_history.h"
#include "model/model_state.h"
#include "model/row_graph.h"
#include "pipeline/history.h"
#include "pipeline/learned.h"
#include "pipeline/torch_folder.h"

namespace protium {
namespace {

// How Transform() builds its plan:
//
// 1. Columns whose types differ from the training table's are cast if that cannot change their
//    meaning (WithLearnedTypes); the other columns are checked against what the model reads.
// 2. The stages that the net depends on are applied as expressions (ApplyStages).
// 3. The task "score" runs over a projection to the columns that it reads or passes through. If the
//    table has the labels, it computes metrics while it scores.
//
// All of this only builds a plan; the only call to the engine asks for the table's schema.

Columns ColumnNames(const arrow::Schema& schema) { return schema.field_names(); }

bool Holds(const Columns& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

std::string Quoted(const Columns& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

Status Missing(const Columns& missing, const Columns& there) {
  std::string fix;
  for (const std::string& name : missing) {
    const std::vector<std::string> near = Nearest(name, there);
    if (!near.empty())
      fix +=
          (fix.empty() ? "" : "; ") + ("for \"" + name + "\", did you mean \"" + near[0] + "\"?");
  }
  return Fail({.exit = Exit::kInput,
               .what = "the table lacks " + std::to_string(missing.size()) +
                       (missing.size() == 1 ? " column" : " columns") +
                       " that the model reads: " + Quoted(missing),
               .fix = fix});
}

// Asks each stage and the net whether they accept the types of the table's columns. Does not check
// columns that stages make.
Status CheckTypes(const Chain& chain, const arrow::Schema& table) {
  const auto check = [&](const std::string& column, const auto& fits_type) -> Status {
    const auto field = table.GetFieldByName(column);
    if (!field) return Status::OK();
    const Status fits = fits_type(*field->type());
    if (fits.ok()) return fits;
    return Fail({.exit = Exit::kInput,
                 .what = "column \"" + column + "\" is " + TypeText(*field->type()) + ", not " +
                         fits.message()});
  };
  for (const PlacedStage& each : chain.stages) {
    const Columns& inputs = each.stage->inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      PT_TRY(check(inputs[i],
                   [&](const arrow::DataType& type) { return each.stage->CheckInput(i, type); }));
    }
  }
  if (!chain.estimator) return Status::OK();
  for (const std::string& column : chain.estimator->numeric) {
    if (Holds(chain.needed, column)) PT_TRY(check(column, CheckNumeric));
  }
  return Status::OK();
}

// Refuses a table that already has columns with the names that the model makes, such as one scored
// before: stages never overwrite, so there would be two columns of one name.
Status CheckTable(const Chain& chain, const arrow::Schema& table) {
  const Columns there = ColumnNames(table);
  Columns missing;
  for (const std::string& name : chain.needed) {
    if (!Holds(there, name)) missing.push_back(name);
  }
  if (!missing.empty()) return Missing(missing, there);
  for (const StageColumn& each : chain.columns) {
    if (each.maker < 0 || !Holds(there, each.name)) continue;
    return Fail(
        {.exit = Exit::kInput,
         .what = "the table already has a column \"" + each.name + "\", which the model adds",
         .fix = "leave the column out"});
  }
  return CheckTypes(chain, table);
}

bool OfClasses(const ModelState& state) { return OfClasses(state.net.objective.kind); }

// Requests metrics only if the table has every label and the groups, and the baseline only if it
// also has the baseline's column. Without the weight column every row counts once.
ScoreConfig MakeScoreConfig(const ModelState& state, const Columns& columns,
                            std::vector<ScaledNumber> scaled) {
  ScoreConfig config{.net = state.net,
                     .scaled = std::move(scaled),
                     .extensions = state.chain->extensions,
                     .weights = state.trained.weights};
  if (state.gpus_per_worker > 0) config.device = GivenDeviceUse();
  config.as_graph = ScoresAsGraph(state);
  config.int8 = state.int8;
  config.explain = state.explain;
  config.added = ColumnNames(*ScoredColumns(state));
  if (!state.measured) return config;
  for (const ScaledLabel& label : state.net.objective.labels) {
    if (!Holds(columns, label.column)) return config;
  }
  const std::string& group = state.chain->estimator->options.group;
  if (!group.empty() && !Holds(columns, group)) return config;
  config.metrics = state.chain->estimator->options.train.metrics;
  const auto& baseline = state.learned.baseline;
  const auto there = [&](const std::string& column) {
    return column.empty() || Holds(columns, column) || Holds(HistoryOutputs(*state.chain), column);
  };
  if (baseline && there(baseline->column)) {
    config.baseline = baseline;
  }
  const std::string& weight = state.chain->estimator->options.weight;
  if (Holds(columns, weight)) config.weight = weight;
  config.group = group;
  config.seasons = SeasonsIn(state.chain->estimator->scales);
  return config;
}

// The columns that the task reads: first those it passes through, in order, then those for metrics
// and the net. Each is listed once, even if it is several of these.
Columns ScoreInput(const ModelState& state, const ScoreConfig& config, Columns given_on) {
  Columns input = std::move(given_on);
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !Holds(input, name)) input.push_back(name);
  };
  if (!config.metrics.empty()) {
    for (const ScaledLabel& each : state.net.objective.labels) {
      add(OfClasses(state) ? kClassColumn : each.column);
    }
  }
  if (config.baseline) add(config.baseline->column);
  add(config.weight);
  add(config.group);
  for (const CategoricalColumn& each : state.net.categorical) add(each.column);
  for (const std::string& each : state.net.numeric) add(ReadFrom(config.scaled, each));
  for (const ListInput& each : state.net.lists) add(each.column);
  return input;
}

Plan ScorePlan(const ModelState& state, Plan applied, const arrow::Schema& table,
               std::vector<ScaledNumber> scaled, const Columns& keep) {
  const EstimatorOptions& options = state.chain->estimator->options;
  const ScoreConfig config = MakeScoreConfig(state, ColumnNames(table), std::move(scaled));
  if (OfClasses(state) && !config.metrics.empty()) {
    applied = WithClasses(std::move(applied), state.net.objective);
  }
  Columns given_on;
  arrow::FieldVector output;
  for (const auto& field : table.fields()) {
    if (!keep.empty() && !Holds(keep, field->name())) continue;
    given_on.push_back(field->name());
    output.push_back(field);
  }
  const SchemaPtr scored = ScoredColumns(state);
  for (const auto& field : scored->fields()) output.push_back(field);
  MapTask task{.task = "score",
               .config = Dump(FieldsToJson(config)),
               .output = arrow::schema(std::move(output)),
               .workers = options.gang.workers.max,
               .role = MapTask::Role::kScore,
               .needs = {.torch = !config.as_graph &&
                                  state.chain->NeedsLibTorch(state.gpus_per_worker > 0)}};
  if (state.gpus_per_worker > 0) {
    // Only gangs can lease devices. The ranks of this one do not communicate.
    task.gang = options.gang;
    task.gang->gpus_per_worker = state.gpus_per_worker;
  }
  const Columns input = ScoreInput(state, config, std::move(given_on));
  return MakePlan(
      task, {config.seasons.empty() ? WithColumns(applied, input, {})
                                    : WithScales(applied, input, state.chain->estimator->scales)});
}

// The columns that stages must make: those that the net, or packing for it, reads; without an
// estimator, all.
Columns Wanted(const ModelState& state, const std::vector<ScaledNumber>& scaled) {
  Columns wanted;
  if (state.chain->estimator) {
    for (const CategoricalColumn& each : state.net.categorical) wanted.push_back(each.column);
    for (const std::string& each : state.net.numeric) wanted.push_back(ReadFrom(scaled, each));
    for (const ListInput& each : state.net.lists) wanted.push_back(each.column);
    return wanted;
  }
  for (const StageColumn& each : state.chain->columns) {
    if (each.maker >= 0) wanted.push_back(each.name);
  }
  return wanted;
}

// The columns of the table, then those of all stages in their order.
Columns OfStages(const ModelState& state, const arrow::Schema& table) {
  Columns columns = ColumnNames(table);
  for (std::string& each : Wanted(state, {})) columns.push_back(std::move(each));
  return columns;
}

// Whether a stage that reads `column` refuses this type.
bool Refused(const Chain& chain, const std::string& column, const arrow::DataType& type) {
  return std::any_of(chain.stages.begin(), chain.stages.end(), [&](const PlacedStage& each) {
    const Columns& inputs = each.stage->inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == column && !each.stage->CheckInput(i, type).ok()) return true;
    }
    return false;
  });
}

struct Typed {
  Expr value;
  std::shared_ptr<arrow::DataType> type;
};

// Reads a float column as whole numbers, for a stage that takes categories. pandas, for example,
// turns an integer column with gaps into floats, so 7 arrives as 7.0; but a true fraction would be
// silently truncated to another category, so it fails the query.
Typed AsWhole(const std::string& column) {
  const Expr value = Col(column);
  return {
      MakeCall("if", {MakeCall("is_null", {value}) || value == MakeCall("floor", {value}),
                      MakeCall("cast_int64", {value}),
                      MakeCall("error", {Lit("column \"" + column +
                                             "\" holds a fraction, but the model was trained on "
                                             "whole numbers")})}),
      arrow::int64()};
}

// How to read a column whose type differs from the learned one; none: unchanged.
std::optional<Typed> AsLearned(const Chain& chain, const arrow::Field& there,
                               const arrow::DataType& learned) {
  const bool text = there.type()->id() == arrow::Type::STRING;
  const bool whole =
      arrow::is_integer(learned.id()) && Refused(chain, there.name(), *arrow::float64());
  const bool fractions =
      arrow::is_floating(there.type()->id()) || arrow::is_decimal(there.type()->id());
  if (whole && fractions) return AsWhole(there.name());
  const bool decimal = arrow::is_decimal(there.type()->id());
  if (decimal && arrow::is_floating(learned.id())) {
    return Typed{MakeCall("cast_double", {Col(there.name())}), arrow::float64()};
  }
  if (!text || !CheckNumeric(learned).ok()) return std::nullopt;
  if (whole) return Typed{MakeCall("cast_int64", {Col(there.name())}), arrow::int64()};
  if (learned.id() == arrow::Type::BOOL) {
    return Typed{MakeCall("cast_bool", {Col(there.name())}), arrow::boolean()};
  }
  return Typed{MakeCall("cast_double", {Col(there.name())}), arrow::float64()};
}

// Casts columns to the types that the model learned from. CSV has no types: in a table of few rows,
// a numeric column that happens to be empty is inferred as text. Text that is not a number then
// fails the query, which names the value, rather than becoming NULL.
Plan WithLearnedTypes(const ModelState& state, const Plan& table, SchemaPtr& schema) {
  Project project;
  arrow::FieldVector fields = schema->fields();
  bool changed = false;
  for (auto& field : fields) {
    Expr value = Col(field->name());
    const auto learned = state.input->GetFieldByName(field->name());
    const auto typed = learned ? AsLearned(*state.chain, *field, *learned->type()) : std::nullopt;
    if (typed) {
      value = typed->value;
      field = field->WithType(typed->type);
      changed = true;
    }
    project.columns.push_back({field->name(), std::move(value)});
  }
  if (!changed) return table;
  schema = arrow::schema(std::move(fields));
  return MakePlan(std::move(project), {table});
}

Result<Plan> TransformPlan(const ModelState& state, const DataFrame& table, const Columns& keep) {
  PT_LET(SchemaPtr schema, table.Schema());
  const CarriedDecimals decimals(*schema, *state.input);
  const Plan rows = decimals.Beside(table.plan(), schema);
  std::vector<ScaledNumber> scaled;
  PT_LET(const Plan applied,
         AppliedPlan(state, rows, schema, &scaled, AnalyzeWith(StateOf(table.session()))));
  if (!state.chain->estimator) {
    const SchemaPtr added = AddedColumns(state);
    arrow::FieldVector fields = schema->fields();
    fields.insert(fields.end(), added->fields().begin(), added->fields().end());
    return decimals.Restored(applied, *arrow::schema(std::move(fields)));
  }
  const Plan plan = ScorePlan(state, applied, *schema, std::move(scaled), decimals.Kept(keep));
  return decimals.Restored(plan, *std::get<MapTask>(plan->verb).output);
}

}  // namespace

// With the types that the model learned from; refuses a table that it cannot read.
static Result<Plan> ReadableRows(const ModelState& state, const Plan& table, SchemaPtr& schema) {
  Plan typed = WithLearnedTypes(state, table, schema);
  PT_TRY(CheckTable(*state.chain, *schema));
  return typed;
}

Result<Plan> PlanBehindHistory(const ModelState& state, const Plan& table, SchemaPtr& schema,
                               const Plan& history) {
  PT_LET(const Plan typed, ReadableRows(state, table, schema));
  Columns columns = ColumnNames(*schema);
  return BehindHistory(*state.chain, typed, columns, history);
}

Result<Plan> PlanAboveHistory(const ModelState& state, const Plan& rows,
                              const arrow::Schema& schema, std::vector<ScaledNumber>* scaled,
                              const Analyze& analyze) {
  const bool packs = scaled != nullptr && state.chain->estimator;
  if (packs) *scaled = ScaledInPacking(*state.chain, schema);
  const Columns wanted = packs ? Wanted(state, *scaled) : Wanted(state, {});
  Columns columns = ColumnNames(schema);
  for (std::string& each : HistoryOutputs(*state.chain)) columns.push_back(std::move(each));
  Plan applied = ApplyStages(*state.chain, rows, columns, wanted, RowUse::kOther, analyze);
  // Stages that read earlier rows come first, wherever the list has them.
  const bool in_order = state.chain->estimator || !ReadsHistory(*state.chain);
  return in_order ? applied : WithColumns(applied, OfStages(state, schema), {});
}

Result<Plan> AppliedPlan(const ModelState& state, const Plan& table, SchemaPtr& schema,
                         std::vector<ScaledNumber>* scaled, const Analyze& analyze) {
  Plan rows;
  if (ReadsHistory(*state.chain)) {
    PT_LET(const Plan history, OpenHistory(state.history));
    PT_LET(rows, PlanBehindHistory(state, table, schema, history));
  } else {
    PT_LET(rows, ReadableRows(state, table, schema));
  }
  return PlanAboveHistory(state, rows, *schema, scaled, analyze);
}

SchemaPtr NeededColumns(const ModelState& state) {
  arrow::FieldVector fields;
  for (const auto& field : state.input->fields()) {
    if (Holds(state.chain->needed, field->name())) fields.push_back(field);
  }
  return arrow::schema(std::move(fields));
}

const ModelState& StateOf(const PipelineModel& model) { return *model.state_; }

DataFrame PipelineModel::Transform(const DataFrame& table, const Columns& keep) const {
  Result<Plan> plan = TransformPlan(*state_, table, keep);
  return {table.session(), plan.ok() ? *plan : MakePlan(Broken{plan.status()})};
}

Status PipelineModel::Explain(const Status& status) const {
  return WithSourceNames(*state_->chain, status);
}

PipelineModel WithEtl(const PipelineModel& model, Json etl) {
  ModelState copy = StateOf(model);
  copy.etl = std::move(etl);
  return PipelineModel(std::make_shared<const ModelState>(std::move(copy)));
}

bool ScoresAsGraph(const ModelState& state) {
  return state.loaded && state.gpus_per_worker == 0 && state.chain->estimator &&
         IsRunAsGraph(state.net.net.name) && state.chain->extensions.empty() &&
         KindOf(StateOf(*state.session).engine().address()).runs_here && CanRunGraphs();
}

PipelineModel WithGpus(const PipelineModel& model, int32_t gpus_per_worker) {
  ModelState copy = StateOf(model);
  copy.gpus_per_worker = gpus_per_worker;
  return PipelineModel(std::make_shared<const ModelState>(std::move(copy)));
}

Json PipelineToJson(const ModelState& state) { return StagesToJson(state.chain->options); }

}  // namespace protium
