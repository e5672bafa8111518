// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "column/exact_sum.h"

namespace protium {

// How far predictions lie from labels, over rows in any order and parts of them merged in any
// order: the values come out the same to the last bit.
class MetricState {
 public:
  // `names` of MetricNames(); another one is a fault with the nearest.
  static Result<MetricState> Make(std::vector<std::string> names);

  void Add(double label, double prediction, double weight = 1);
  int64_t rows() const { return rows_; }
  // Adds the state `json` that another one's ToJson() gave; the names must agree.
  Status Merge(const Json& json);
  Json ToJson() const;
  // {"rmse": 40.1, "mae": 20.2} in the order of the names; null where no row has weight.
  Json Values() const;

 private:
  explicit MetricState(std::vector<std::string> names);

  const ExactSum& SumOf(const std::string& name) const;

  std::vector<std::string> names_;
  bool classes_ = false;  // Whether one of them is of classes.
  int64_t rows_ = 0;
  ExactSum weight_;
  ExactSum error_;
  ExactSum absolute_;
  ExactSum squared_;
  ExactSum log_loss_;
  ExactSum right_;
};

// rmse, mse, mae: the mean squared (its root) and mean absolute error; bias: the mean of prediction
// minus label. logloss, accuracy: of labels 0 and 1 and predictions that are logits, the mean
// logarithmic loss and the share on the right side of 0.
std::vector<std::string> MetricNames();

// True for those of labels 0 and 1.
bool IsOfClasses(const std::string& metric);

}  // namespace protium
