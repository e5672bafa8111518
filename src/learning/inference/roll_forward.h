// SPDX-License-Identifier: Apache-2.0
// Predictions further ahead than a model looks back: where a row reads the label of an earlier one
// that nobody knows, it reads the prediction for it.
#pragma once

#include <arrow/record_batch.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/model_state.h"

namespace protium {

// How far back the outputs of a row look, over all stages: at so many rows of its series before it,
// and at those of so many microseconds.
struct LookBack {
  bool all = true;  // At every earlier row; the other two then say nothing.
  int64_t rows = 0;
  int64_t micros = 0;
};

// What a model's stages of earlier rows take a series to be.
struct SeriesColumns {
  Columns by;  // Empty: all rows are one series.
  std::string time;
  Columns values;                    // Whose earlier values are read.
  std::optional<std::string> label;  // Set if it is one of them.
  int64_t nearest = 1;  // Labels are read of rows that are at least so many rows before.
  int fed = 0;          // The column of predictions that is read in place of missing labels.
  LookBack back = {};
};

// Of a model that reads earlier rows.
SeriesColumns SeriesOf(const ModelState& state);

// For each row what tells its series from others; a column that is not there is NULL in all rows.
Result<std::vector<std::string>> SeriesNames(const arrow::RecordBatch& rows,
                                             const SeriesColumns& series);
// A column of times as microseconds since 1970 or, of whole numbers, as they are.
Result<std::shared_ptr<arrow::Int64Array>> SeriesTimesOf(const arrow::Array& column);

// The column whose values RollSeries() predicts: the label, or nullopt where no prediction reads
// it. Of quantiles the median takes its place. Fails with Exit::kUsage where no column of the
// predictions can: for several labels, for probabilities alone, and for quantiles without a median.
Result<std::optional<std::string>> RolledLabel(const ModelState& state);

// Scores rows that stand behind the rows `known`, and which are the last of them in their series:
// one row of the result for each true value of `wanted`, which is as long as `known`. Of the rows
// before them `known` has those that they look back to.
using ScoreBehind = std::function<Result<std::shared_ptr<arrow::RecordBatch>>(
    const std::shared_ptr<arrow::RecordBatch>& known, const arrow::BooleanArray& wanted)>;

// Predicts `rows`, of each series the earliest first; `label`, as a column of doubles, is NULL
// where it is to be predicted. Later rows of a series are scored with the column `fed` of `score`'s
// result in the place of these NULLs. Returns its rows in the order of `rows`. As many calls of
// `score` as there are NULLs in the series that has most of them; each gets as many rows as are to
// be scored and as they look back to, however many have been scored before.
Result<std::shared_ptr<arrow::RecordBatch>> RollSeries(
    const std::shared_ptr<arrow::RecordBatch>& rows, const SeriesColumns& series,
    const ScoreBehind& score, const std::stop_token& stop);

// `rows` with the column `name` as doubles, NULL in all of them if there is none. A value that is
// no number is a fault of Exit::kInput.
Result<std::shared_ptr<arrow::RecordBatch>> WithNumbers(const arrow::RecordBatch& rows,
                                                        const std::string& name);

}  // namespace protium
