// SPDX-License-Identifier: Apache-2.0
// Constructors of stages of numbers.
// Written by scripts/stage_doors.py. What is not set has the default of docs/reference/stages.md;
// `id`, `inputs` and `outputs` are as those of ImputerOptions. Implemented by the room stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/pipeline.h"

namespace protium {

// min_max_scaler: scales numbers to the range from low (0) to high (1); a constant column becomes
// low
struct MinMaxScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // what the smallest training value becomes
  std::optional<double> low;
  // what the largest training value becomes
  std::optional<double> high;
  // values outside the training range become low or high
  std::optional<bool> clip;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("low", low);
    visit("high", high);
    visit("clip", clip);
  }
};
inline StageOptions MinMaxScaler(const MinMaxScalerOptions& options) {
  return {"min_max_scaler", options};
}

// max_abs_scaler: scales numbers to -1 to 1, dividing by the largest absolute value; 0 stays 0
struct MaxAbsScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
  }
};
inline StageOptions MaxAbsScaler(const MaxAbsScalerOptions& options) {
  return {"max_abs_scaler", options};
}

// robust_scaler: subtracts the median and divides by the range between two exact quantiles; robust
// against outliers
struct RobustScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the lower quantile of the range
  std::optional<double> lower;
  // the upper quantile; the range between becomes 1
  std::optional<double> upper;
  // the median becomes 0; Spark's withCentering
  std::optional<bool> center;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("lower", lower);
    visit("upper", upper);
    visit("center", center);
  }
};
inline StageOptions RobustScaler(const RobustScalerOptions& options) {
  return {"robust_scaler", options};
}

// quantile_scaler: makes numbers about normally distributed by exact quantiles, between which it is
// linear; robust against outliers, and best for nets
struct QuantileScalerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
  }
};
inline StageOptions QuantileScaler(const QuantileScalerOptions& options) {
  return {"quantile_scaler", options};
}

// normalizer: divides the numbers of each row by their norm; a row of zeros stays
struct NormalizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the norm that becomes 1: l2, l1 or max, the largest absolute value; Spark's p = 2, 1 and inf;
  // one of l2, l1, max
  std::optional<std::string> norm;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("norm", norm);
  }
};
inline StageOptions Normalizer(const NormalizerOptions& options) { return {"normalizer", options}; }

// clip: limits numbers to low and high; NULL and NaN stay
struct ClipOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // smaller numbers become this one; unless set, no lower limit
  std::optional<double> low;
  // larger numbers become this one; unless set, no upper limit
  std::optional<double> high;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("low", low);
    visit("high", high);
  }
};
inline StageOptions Clip(const ClipOptions& options) { return {"clip", options}; }

// log_transform: logarithms of numbers; NULL where there is none, as in Spark's SQL
struct LogTransformOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // log1p is ln(1 + x), signed_log1p that of |x| with the sign of x, expm1 undoes log1p; one of
  // log1p, ln, log2, log10, signed_log1p, expm1
  std::optional<std::string> how;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("how", how);
  }
};
inline StageOptions LogTransform(const LogTransformOptions& options) {
  return {"log_transform", options};
}

// power_transform: powers of numbers, which make skewed columns more symmetric
struct PowerTransformOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // box_cox: NULL for 0 and below; sqrt: NaN below 0; one of yeo_johnson, box_cox, sqrt, square
  std::optional<std::string> how;
  // the power of yeo_johnson and box_cox; 0: a logarithm, 1: x as it is, or x - 1
  std::optional<double> lambda;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("how", how);
    visit("lambda", lambda);
  }
};
inline StageOptions PowerTransform(const PowerTransformOptions& options) {
  return {"power_transform", options};
}

// binarizer: 1 for numbers above a threshold, 0 for all others, including NULL and NaN
struct BinarizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // numbers above it become 1, all others 0
  std::optional<double> threshold;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("threshold", threshold);
  }
};
inline StageOptions Binarizer(const BinarizerOptions& options) { return {"binarizer", options}; }

// bucketizer: replaces numbers with 0, 1, 2, ...: the bucket between two splits
struct BucketizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // lower bounds of the buckets, ascending; a number on a split is in the upper bucket
  std::optional<std::vector<double>> splits;
  // numbers beyond the splits: open gives them buckets of their own, as Spark does with -inf and
  // inf; closed makes them an error; one of open, closed
  std::optional<std::string> ends;
  // what happens to NaN; keep: a bucket of its own, the last; one of error, keep, null
  std::optional<std::string> nan;
  // what happens to NULL; keep: a bucket after all others; one of error, keep, null
  std::optional<std::string> missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("splits", splits);
    visit("ends", ends);
    visit("nan", nan);
    visit("missing", missing);
  }
};
inline StageOptions Bucketizer(const BucketizerOptions& options) { return {"bucketizer", options}; }

// quantile_discretizer: replaces numbers with 0, 1, 2, ...: buckets between exact quantiles of the
// training rows
struct QuantileDiscretizerOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // number of buckets with about equally many training rows; fewer where values repeat
  std::optional<int64_t> buckets;
  // what happens to NaN; keep: a bucket of its own, the last; one of error, keep, null
  std::optional<std::string> nan;
  // what happens to NULL; keep: a bucket after all others; one of error, keep, null
  std::optional<std::string> missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("buckets", buckets);
    visit("nan", nan);
    visit("missing", missing);
  }
};
inline StageOptions QuantileDiscretizer(const QuantileDiscretizerOptions& options) {
  return {"quantile_discretizer", options};
}

// polynomial_expansion: products of the inputs: <id>__<a>__<b>
struct PolynomialExpansionOptions {
  std::string id;
  Inputs inputs;
  // largest number of factors in a product
  std::optional<int64_t> degree;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("degree", degree);
  }
};
inline StageOptions PolynomialExpansion(const PolynomialExpansionOptions& options) {
  return {"polynomial_expansion", options};
}

}  // namespace protium
