// SPDX-License-Identifier: Apache-2.0
#include "model/train.h"

#include <arrow/api.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "pipeline/learned.h"
#include "pipeline/stored_rows.h"

namespace protium {
namespace {

bool OfClasses(const TrainConfig& config) { return OfClasses(config.net.objective.kind); }

// The columns that the task reads, each listed once: a column may be both a numeric input and the
// weight, and a projection cannot have two columns of one name.
Columns ListColumns(const Chain& chain, const TrainConfig& config) {
  const PlacedEstimator& estimator = *chain.estimator;
  Columns columns = estimator.categorical;
  const auto add = [&](const std::string& column) {
    if (column.empty() || std::find(columns.begin(), columns.end(), column) != columns.end())
      return;
    columns.push_back(column);
  };
  for (const std::string& column : estimator.numeric) add(ReadFrom(config.scaled, column));
  for (const ListInput& each : estimator.lists) add(each.column);
  for (const ScaledLabel& each : config.net.objective.labels) add(each.column);
  add(config.weight);
  add(config.group);
  add(config.held_out);
  return columns;
}

Result<TrainResult> ReadResult(const arrow::RecordBatch& batch) {
  const auto column = batch.GetColumnByName("json");
  if (!column || column->type_id() != arrow::Type::STRING || batch.num_rows() != 1) {
    return Status::UnknownError("training returned ", batch.schema()->ToString());
  }
  const auto text = static_cast<const arrow::StringArray&>(*column).GetView(0);
  PT_LET(const Json json, ParseJson(text));
  TrainResult result;
  PT_TRY(FieldsFromJson(json, "result", result));
  return result;
}

// The stages over the training rows, and a projection to what the task reads. A class label is
// replaced by its index: workers pack only numbers.
Plan TrainInput(const Chain& chain, const TrainRows& rows, const TrainConfig& config,
                const Analyze& analyze) {
  Columns columns = LearnedFrom(chain);
  if (!rows.held_out.empty()) columns.push_back(rows.held_out);
  const Columns wanted = ListColumns(chain, config);
  Plan applied = ApplyStages(chain, rows.all, columns, wanted, RowUse::kLearning, analyze);
  if (!config.seasons.empty()) {
    return WithScales(std::move(applied), wanted, chain.estimator->scales);
  }
  if (OfClasses(config)) applied = WithClasses(std::move(applied), config.net.objective);
  std::vector<NamedExpr> read;
  for (const std::string& column : wanted) {
    const bool label = OfClasses(config) && column == config.net.objective.labels[0].column;
    if (!label) read.push_back({column, Col(column)});
  }
  if (OfClasses(config)) read.push_back({kClassColumn, Col(kClassColumn)});
  return MakePlan(Project{std::move(read)}, {applied});
}

// The gang on top of its input.
Plan TrainPlan(const Chain& chain, Plan input, const TrainConfig& config) {
  // Only its schema is used.
  if (config.shared.there) input = MakePlan(Limit{0}, {std::move(input)});
  return MakePlan(
      MapTask{.task = chain.estimator->kind->task(),
              .config = Dump(FieldsToJson(config)),
              .output = arrow::schema({arrow::field("json", arrow::utf8())}),
              .workers = chain.estimator->options.gang.workers.max,
              .gang = chain.estimator->options.gang,
              .role = MapTask::Role::kTrain,
              .needs = {.torch = chain.NeedsLibTorch(config.device != DeviceUse::kCpu)}},
      {std::move(input)});
}

// Only rank 0 emits a row; batches of others may be empty. Reads to the end, where a failure of any
// rank is reported.
Result<std::optional<TrainResult>> RunTraining(SessionState& session, const Plan& plan) {
  PT_LET(const BatchStreamPtr stream, session.engine().Execute(plan, session.call()));
  std::optional<TrainResult> result;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (!batch) return result;
    if (batch->num_rows() == 0) continue;
    PT_LET(result, ReadResult(*batch));
  }
}

// Replaces the "column" of each of `figures` by the table's columns; if several are made from the
// same ones, appends the names that their stages gave them.
void NameTableColumns(const Chain& chain, Json& figures) {
  std::vector<std::string> names;
  std::map<std::string, int> times;
  for (const Json& each : figures) {
    ++times[names.emplace_back(NameOfSources(chain, each["column"]))];
  }
  for (size_t i = 0; i < names.size(); ++i) {
    Json& column = figures[i]["column"];
    if (times[names[i]] > 1) names[i] += " (" + column.get<std::string>() + ")";
    column = names[i];
  }
}

}  // namespace

Json DescribeStoredRows(SessionState& session, const Chain& chain, const TrainRows& rows,
                        const TrainConfig& config) {
  return StoredRows::Describe(session, TrainInput(chain, rows, config, AnalyzeWith(session)),
                              chain.estimator->kind->task(), config);
}

Result<TrainResult> Train(SessionState& session, const Chain& chain, const TrainRows& rows,
                          const TrainConfig& given) {
  const auto since = Clock::now();
  TrainConfig config = given;
  const Plan input = TrainInput(chain, rows, config, AnalyzeWith(session));
  StoredRows stored(session, input, chain.estimator->kind->task(), config);
  Result<std::optional<TrainResult>> result = RunTraining(session, TrainPlan(chain, input, config));
  // Workers name the columns that they read, such as temp__fill__scale.
  if (!result.ok()) return WithSourceNames(chain, result.status());
  session.record().AddSeconds("train", since);
  stored.Keep();
  if (*result) {
    if (Json& importance = (*result)->importance; importance.is_object()) {
      NameTableColumns(chain, importance["columns"]);
    }
    NameTableColumns(chain, (*result)->splits);
    return **result;
  }
  return Fail({.what = "training ended without a result"});
}

}  // namespace protium
