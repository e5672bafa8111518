// SPDX-License-Identifier: Apache-2.0
#include "inference/forecast.h"

#include <arrow/api.h>

#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

Result<BatchPtr> BesideRows(const arrow::RecordBatch& rows, const arrow::RecordBatch& predictions) {
  arrow::FieldVector fields = rows.schema()->fields();
  arrow::ArrayVector columns = rows.columns();
  for (int i = 0; i < predictions.num_columns(); ++i) {
    const auto& field = predictions.schema()->field(i);
    if (rows.schema()->GetFieldIndex(field->name()) >= 0) {
      return Fail({.exit = Exit::kInput,
                   .what = "the rows have a column \"" + field->name() + "\" already",
                   .fix = "give the rows to predict without it"});
    }
    fields.push_back(field);
    columns.push_back(predictions.column(i));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows.num_rows(),
                                  std::move(columns));
}

}  // namespace

Result<Horizon> ReadHorizon(const std::string& text) {
  const auto rows = AllAsNumber<int64_t>(text);
  if (rows && *rows >= 1) return Horizon{.rows = *rows};
  const auto micros = MicrosOf(text);
  if (!rows && micros && *micros > 0) return Horizon{.micros = *micros};
  return Fail({.exit = Exit::kUsage,
               .what = "\"" + text + "\" is not a horizon",
               .fix = "give a number of rows, 1 or more, or a time such as 28d"});
}

Result<BatchPtr> Forecast(Scorer scorer, const std::optional<Horizon>& horizon, BatchPtr rows,
                          const std::stop_token& stop) {
  if (!horizon && rows == nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = "there are no rows to predict",
                 .fix = "a horizon, or rows"});
  }
  if (horizon) {
    if (rows != nullptr) {
      PT_LET(scorer, scorer.WithNewerRows(*rows));
    }
    PT_LET(rows, scorer.NextRows(*horizon));
  }
  PT_LET(const BatchPtr predictions, scorer.RollForward(*rows, stop));
  return BesideRows(*rows, *predictions);
}

}  // namespace protium
