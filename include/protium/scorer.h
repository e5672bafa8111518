// SPDX-License-Identifier: Apache-2.0
// Predictions in the calling process, for programs that get their rows one by one: no worker, no
// LibTorch, no engine. Implemented by the room inference.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "protium/pipeline.h"
#include "protium/stream.h"

namespace protium {

// How far ahead: a number of rows, or, if `micros` is set, a time in microseconds.
struct Horizon {
  int64_t rows = 1;
  int64_t micros = 0;
};

// A model that is ready to predict. Cheap to copy; any number of threads may use it at once, and it
// no longer needs the model's session. Predictions are bitwise equal to those of
// PipelineModel::Transform(); of nets that ONNX Runtime computes here (cnn, ft_transformer and
// text_classifier) they differ by rounding.
class Scorer {
 public:
  // Refuses (Exit::kUsage), by name, users' own nets, torchscript among them. Where ONNX Runtime
  // computes the net and is missing, fails with Exit::kEnvironment and the command that brings it.
  // A model without an estimator returns what its stages make. Stages of words and of SQL open the
  // embedded engine, which runs one query at a time.
  static Result<Scorer> Make(const PipelineModel& model);

  // The same scorer, which also explains each prediction: PipelineModel::Explaining(). Cheap: it
  // shares the model with this one.
  Result<Scorer> Explaining(int32_t columns, int32_t samples = kUsualSamples) const;

  // The columns that rows must have, with the types that the model was trained on.
  const SchemaPtr& input() const;
  // The columns of predictions.
  const SchemaPtr& output() const;
  // Whether the model has stages such as lag: rows of one call then look back to each other and to
  // the rows that the model keeps, so a call should have the rows of one question.
  bool ReadsHistory() const;

  // Returns one row of output() for each of `rows`, in their order. Columns may come in any order
  // and with others among them, and have any types that Transform() takes; what it refuses is
  // refused here.
  Result<std::shared_ptr<arrow::RecordBatch>> Score(const arrow::RecordBatch& rows) const;

  // A sentence for people, if rows that Score() took do not seem to follow those that the model
  // keeps: stages such as lag count rows, and take the kept ones for the rows just before.
  std::optional<std::string> gap() const;

  // The same for rows that are further ahead than the model looks back. `rows` may have the label:
  // where it is NULL, or everywhere if there is no such column, it is predicted, of each series the
  // earliest row first, and later rows read these predictions as they would read labels. Fails with
  // Exit::kUsage for a model without stages such as lag and for predictions that are not one number
  // a row; with Status::Cancelled soon after `stop` is requested. Where no row reads the label of
  // an earlier one it is Score().
  Result<std::shared_ptr<arrow::RecordBatch>> RollForward(const arrow::RecordBatch& rows,
                                                          const std::stop_token& stop = {}) const;
  // The same scorer, where rows that have come since training stand behind those that the model
  // keeps, or in the place of those that are as late. `rows` has the columns that tell series
  // apart, times, and the columns whose earlier values are read, or those of them that are known.
  Result<Scorer> WithNewerRows(const arrow::RecordBatch& rows) const;
  // The rows that follow those which the model keeps of each series, for RollForward(): the columns
  // that tell series apart, and times, as far apart as the kept ones: seconds to weeks, months of
  // the calendar, working days. Fails with Exit::kUsage if these have no common step, and for a
  // model that reads other columns, of which nobody has said what they will hold.
  Result<std::shared_ptr<arrow::RecordBatch>> NextRows(const Horizon& horizon) const;

  // The same as Score() for rows as JSON, with JSON's types (a date is a text such as
  // "2024-01-31"): an object gives an object, a list of objects a list. Each row must have all
  // columns of input(), null where its value is missing; others are ignored.
  Result<std::string> ScoreJson(std::string_view rows) const;

 private:
  struct Inside;
  explicit Scorer(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

}  // namespace protium
