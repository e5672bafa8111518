// SPDX-License-Identifier: Apache-2.0
// Predictions in the calling process, for programs that get their rows one by one: no worker, no
// LibTorch, no engine. Implemented by the room inference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "protium/pipeline.h"
#include "protium/stream.h"

namespace protium {

// A model that is ready to predict. Cheap to copy; any number of threads may use it at once, and it
// no longer needs the model's session. Predictions are bitwise equal to those of
// PipelineModel::Transform().
class Scorer {
 public:
  // Refuses (Exit::kUsage), by name, nets that LibTorch computes (all but tabular_mlp, tabm,
  // linear, factorization_machine and wide_and_deep) and users' own nets. A model without an
  // estimator returns what its stages make. Stages of words and of SQL open the embedded engine,
  // which runs one query at a time.
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

  // The same for rows as JSON, with JSON's types (a date is a text such as "2024-01-31"): an object
  // gives an object, a list of objects a list. Each row must have all columns of input(), null
  // where its value is missing; others are ignored.
  Result<std::string> ScoreJson(std::string_view rows) const;

 private:
  struct Inside;
  explicit Scorer(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

}  // namespace protium
