// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_steps.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "base/unknown_name.h"
#include "column/batches.h"
#include "stream/batches.h"
#include "stream/part_scores.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// Whether an event may be to blame: bad values, not a mistake in the job or lack of memory.
bool MayBeAnEvents(const Status& status) {
  const Exit exit = FaultOf(status).exit;
  return exit == Exit::kInput || exit == Exit::kFailed;
}

// The first of the predicted columns.
ShadowFacts Compare(const arrow::Array& ours, const arrow::Array& theirs) {
  ShadowFacts facts{.rows = ours.length()};
  double apart = 0;
  const bool numbers = ours.type_id() == arrow::Type::DOUBLE && ours.type()->Equals(theirs.type());
  for (int64_t i = 0; i < ours.length(); ++i) {
    facts.differ += ours.RangeEquals(theirs, i, i + 1, i) ? 0 : 1;
    if (!numbers || ours.IsNull(i) || theirs.IsNull(i)) continue;
    apart += std::abs(static_cast<const arrow::DoubleArray&>(ours).Value(i) -
                      static_cast<const arrow::DoubleArray&>(theirs).Value(i));
  }
  facts.mean_apart = facts.rows == 0 ? 0 : apart / double(facts.rows);
  return facts;
}

// Whether the SQL gives back the rows as they are: SELECT * over columns of fixed width, whose
// values the engine does not look at.
bool CopiesRows(const StepsOptions& options, const arrow::Schema& result) {
  std::istringstream words(Lower(Replaced(options.sql, ";", " ")));
  std::string select, star, from, table, rest;
  words >> select >> star >> from >> table >> rest;
  return select == "select" && star == "*" && from == "from" && table == Lower(options.table) &&
         rest.empty() && result.Equals(*options.columns) &&
         std::ranges::all_of(result.fields(), [](const auto& field) {
           return arrow::is_fixed_width(*field->type()) && !arrow::is_nested(*field->type());
         });
}

}  // namespace

StepsOptions StepsOf(const EventShape& shape, const StreamOptions& options, SchemaPtr columns) {
  return {.sql = shape.sql,
          .table = shape.table,
          .columns = std::move(columns),
          .output = options.sink.columns,
          .version_column = options.version_column};
}

Status StreamSteps::UseTables(std::vector<MemoryTable> tables) {
  if (options_.sql.empty()) return Status::OK();
  if (queries_ == nullptr) {
    PT_LET(queries_, OpenRowQueries("the SQL of streams"));
  }
  PT_LET(query_, queries_->Prepare(TableQueryText{.sql = options_.sql,
                                                  .table = options_.table,
                                                  .columns = options_.columns,
                                                  .others = std::move(tables)}));
  if (CopiesRows(options_, *query_->schema())) query_.reset();
  return Status::OK();
}

Result<BatchPtr> StreamSteps::WithPredictions(const Scored& scored,
                                              const LoadedModel& model) const {
  const BatchPtr &rows = scored.prepared, &predicted = scored.predicted;
  arrow::FieldVector fields = rows->schema()->fields();
  arrow::ArrayVector columns = rows->columns();
  for (int i = 0; i < predicted->num_columns(); ++i) {
    const auto& field = predicted->schema()->field(i);
    if (rows->schema()->GetFieldIndex(field->name()) >= 0) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("the rows have a column \"{}\" already, as the model's "
                                       "predictions are called",
                                       field->name()),
                   .where = "etl.sql",
                   .fix = "rename it: SELECT ... AS ..."});
    }
    fields.push_back(field);
    columns.push_back(predicted->column(i));
  }
  if (!options_.version_column.empty()) {
    PT_LET(auto version, arrow::MakeArrayFromScalar(arrow::StringScalar(model.sha256.substr(0, 12)),
                                                    rows->num_rows()));
    fields.push_back(arrow::field(options_.version_column, arrow::utf8()));
    columns.push_back(std::move(version));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows->num_rows(),
                                  std::move(columns));
}

Result<BatchPtr> StreamSteps::Output(const BatchPtr& rows) const {
  if (options_.output.empty()) return rows;
  std::vector<int> places;
  for (const std::string& name : options_.output) {
    const int at = rows->schema()->GetFieldIndex(name);
    if (at < 0) {
      return UnknownName("column", name, rows->schema()->field_names(), "stream.sink.columns");
    }
    places.push_back(at);
  }
  return rows->SelectColumns(places);
}

Result<StreamSteps::Scored> StreamSteps::Score(const arrow::RecordBatch& events,
                                               const LoadedModel* model) const {
  Scored scored;
  if (query_ != nullptr) {
    PT_LET(scored.prepared, query_->Run(events));
  } else {
    scored.prepared =
        arrow::RecordBatch::Make(events.schema(), events.num_rows(), events.columns());
  }
  BatchPtr rows = scored.prepared;
  if (model != nullptr) {
    PT_LET(scored.predicted, ScoreInParts(model->scorer, *scored.prepared));
    PT_LET(rows, WithPredictions(scored, *model));
  }
  PT_LET(scored.rows, Output(rows));
  return scored;
}

Result<SchemaPtr> StreamSteps::Check(const LoadedModel* model) const {
  PT_LET(const BatchPtr none, arrow::RecordBatch::MakeEmpty(options_.columns));
  PT_LET(const Scored scored, Score(*none, model));
  return scored.rows->schema();
}

Status StreamSteps::ScoreParts(const arrow::RecordBatch& events, int64_t first,
                               const LoadedModel* model, std::vector<BatchPtr>& parts,
                               StepsResult& result) const {
  Result<Scored> scored = Score(events, model);
  if (scored.ok()) {
    parts.push_back(std::move(scored->rows));
    return Status::OK();
  }
  if (!MayBeAnEvents(scored.status())) return scored.status();
  const int64_t rows = events.num_rows();
  if (rows == 1) {
    result.dead.push_back(LetterOf(events, 0, first, FaultOf(scored.status()).what));
    result.failed.push_back(first);
    return Status::OK();
  }
  PT_TRY(ScoreParts(*events.Slice(0, rows / 2), first, model, parts, result));
  return ScoreParts(*events.Slice(rows / 2), first + rows / 2, model, parts, result);
}

Result<StepsResult> StreamSteps::Apply(const arrow::RecordBatch& events, const LoadedModel* model,
                                       const LoadedModel* shadow) const {
  StepsResult result;
  Result<Scored> scored = Score(events, model);
  if (!scored.ok() && MayBeAnEvents(scored.status()) && events.num_rows() > 0) {
    // What fails for no events at all is no event's fault.
    PT_LET(const SchemaPtr schema, Check(model));
    std::vector<BatchPtr> parts;
    PT_TRY(ScoreParts(events, 0, model, parts, result));
    PT_LET(result.rows, Together(schema, parts));
    return result;
  }
  PT_TRY(scored);
  result.rows = scored->rows;
  if (model == nullptr || shadow == nullptr) return result;
  const auto theirs = ScoreInParts(shadow->scorer, *scored->prepared);
  // What only the shadow fails for changes nothing.
  if (theirs.ok()) result.shadow = Compare(*scored->predicted->column(0), *(*theirs)->column(0));
  return result;
}

}  // namespace protium
