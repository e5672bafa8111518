// SPDX-License-Identifier: Apache-2.0
// A loss and a metric as a user would write them.
#pragma once

#include <protium/torch.h>

#include <cmath>

struct LogCoshOptions {
  double scale = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("scale", scale, {.help = "errors are divided by it", .above = 0});
  }
};

struct LogCosh {
  explicit LogCosh(const LogCoshOptions& options) : scale(options.scale) {}
  torch::Tensor operator()(const torch::Tensor& outputs, const torch::Tensor& labels) const {
    return torch::log(torch::cosh((outputs - labels) / scale));
  }
  double scale;
};

inline protium::LossRow LogCoshRow() {
  return protium::LossOf<LogCosh, LogCoshOptions>("log_cosh", "a loss of the tests");
}

// The share of rows whose prediction is at most 50 away.
inline protium::MetricRow NearRow() {
  return protium::MetricOf("near", "a metric of the tests", {protium::TargetKind::kValues}, true,
                           [](const protium::Judged& row) {
                             return double(std::abs(row.scores[0] - row.labels[0]) <= 50);
                           });
}
