// SPDX-License-Identifier: Apache-2.0
// Turns what features add to an output into the columns of a table (pipeline/explained.h).
//
// 1. Features that are made from the same columns of the table are added up.
// 2. What is explained: of values the prediction in the label's units, or its logarithm where the
//    model learns that (log1p, poisson, tweedie); of two classes the logarithm of the odds of the
//    second; of more the same number for the predicted class before softmax. Classes' numbers are
//    those after Decision::temperature.
#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/status.h"
#include "model/background.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/explained.h"

namespace protium {

// RowPredictor::Explain().
using ExplainRows = std::function<Result<RowExplanations>(
    const arrow::RecordBatch& rows, std::span<const int32_t> outputs, const ExplainBy& by)>;

// Immutable: any thread.
class Explanations {
 public:
  // `config.columns` is not 0. `background` is null for a kind that needs none; config.background
  // is not read.
  Explanations(const Objective& objective, const ExplainConfig& config,
               std::shared_ptr<const Background> background);
  // Returns one array per field of ExplainedFields(). `outputs` [rows, outputs] are those of the
  // model that `explain` explains.
  Result<arrow::ArrayVector> Columns(const ExplainRows& explain, const arrow::RecordBatch& rows,
                                     std::span<const float> outputs) const;

 private:
  // A number that explains: factor * output + offset.
  struct Scale {
    double factor = 1;
    double offset = 0;
  };
  std::vector<double> Numbers(const RowExplanations& explained, size_t row, int32_t output) const;

  int32_t width_;  // Outputs of a row.
  Scale scale_;
  ExplainConfig config_;
  std::shared_ptr<const Background> background_;
  std::vector<std::string> names_;  // ExplainedSources().
  std::vector<size_t> name_of_;     // By feature: position in names_.
};

// Fails with Exit::kUsage for a model without an estimator, one that cannot explain its
// predictions, one without the background rows that it needs for that, and several predictions in a
// row. `background` as TrainResult::background.
Status CheckExplains(const Chain& chain, const Objective& objective, const std::string& background);

}  // namespace protium
