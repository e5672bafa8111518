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
  explicit MetricState(std::vector<std::string> names) : names_(std::move(names)) {}

  std::vector<std::string> names_;
  int64_t rows_ = 0;
  ExactSum weight_;
  ExactSum error_;
  ExactSum absolute_;
  ExactSum squared_;
};

// rmse, mse, mae: the mean squared (its root) and mean absolute error; bias: the mean of prediction
// minus label.
std::vector<std::string> MetricNames();

}  // namespace protium
