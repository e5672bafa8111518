// SPDX-License-Identifier: Apache-2.0
#include "learn/train.h"

#include <arrow/api.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// The columns that the task eats, each once.
Columns Eaten(const Chain& chain, const TrainConfig& config) {
  const PlacedEstimator& estimator = *chain.estimator;
  Columns eaten = estimator.categorical;
  eaten.insert(eaten.end(), estimator.numeric.begin(), estimator.numeric.end());
  for (const std::string& column : {config.net.label, config.weight, config.held_out}) {
    if (column.empty() || std::find(eaten.begin(), eaten.end(), column) != eaten.end()) continue;
    eaten.push_back(column);
  }
  return eaten;
}

Result<TrainResult> ReadResult(const arrow::RecordBatch& batch) {
  const auto column = batch.GetColumnByName("json");
  if (!column || column->type_id() != arrow::Type::STRING || batch.num_rows() != 1) {
    return Status::UnknownError("training gave ", batch.schema()->ToString());
  }
  const auto text = static_cast<const arrow::StringArray&>(*column).GetView(0);
  PT_LET(const Json json, ParseJson(text));
  TrainResult result;
  PT_TRY(FieldsFromJson(json, "result", result));
  return result;
}

Plan TrainPlan(const Chain& chain, const TrainRows& rows, const TrainConfig& config) {
  Columns columns = chain.sources;
  if (!rows.held_out.empty()) columns.push_back(rows.held_out);
  const Columns wanted = Eaten(chain, config);
  const Plan applied = ApplyStages(chain, rows.all, columns, wanted);
  std::vector<NamedExpr> eaten;
  for (const std::string& column : wanted) eaten.push_back({column, Col(column)});
  return MakePlan(MapTask{.task = "train",
                          .config = Dump(FieldsToJson(config)),
                          .output = arrow::schema({arrow::field("json", arrow::utf8())}),
                          .workers = chain.estimator->options.gang.workers,
                          .gang = chain.estimator->options.gang},
                  {MakePlan(Project{std::move(eaten)}, {applied})});
}

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

}  // namespace

Result<TrainResult> Train(SessionState& session, const Chain& chain, const TrainRows& rows,
                          const TrainConfig& config) {
  const auto since = Clock::now();
  const Result<std::optional<TrainResult>> result =
      RunTraining(session, TrainPlan(chain, rows, config));
  if (!result.ok()) return WithSourceNames(chain, result.status());
  session.record().AddSeconds("train", since);
  if (*result) return **result;
  return Fail({.what = "training ended without a result"});
}

}  // namespace protium
