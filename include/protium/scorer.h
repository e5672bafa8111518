// SPDX-License-Identifier: Apache-2.0
// Predictions in the calling process, for programs that have their rows one by one: no worker, no
// LibTorch, no engine. Implemented by the room inference.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "protium/pipeline.h"
#include "protium/stream.h"

namespace protium {

// A model that is ready to predict. Cheap to copy; any number of threads may use it at once, and it
// needs the model's session no longer. Predictions have the bits of PipelineModel::Transform().
class Scorer {
 public:
  // Refuses (Exit::kUsage), by name, nets that LibTorch computes (all but tabular_mlp, linear and
  // wide_and_deep) and nets of one's own. A model without an estimator gives the outputs of its
  // stages. Stages of words and of SQL open the embedded engine, whose queries take turns.
  static Result<Scorer> Make(const PipelineModel& model);

  // The columns that rows must have, of the types that the model learned from.
  const SchemaPtr& input() const;
  // The columns of predictions.
  const SchemaPtr& output() const;

  // One row of output() for each of `rows`, in their order. Columns may come in any order, others
  // beside them, and in the types that Transform() takes; what it refuses is refused here.
  Result<std::shared_ptr<arrow::RecordBatch>> Score(const arrow::RecordBatch& rows) const;

  // The same for rows as JSON, with JSON's types (a date is a text such as "2024-01-31"): an object
  // gives an object, a list of objects a list. Each row has all columns of input(), null where its
  // value is missing; others are passed over.
  Result<std::string> ScoreJson(std::string_view rows) const;

 private:
  struct Inside;
  explicit Scorer(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

}  // namespace protium
