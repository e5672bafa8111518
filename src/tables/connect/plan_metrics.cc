// SPDX-License-Identifier: Apache-2.0
#include "connect/plan_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/units.h"
#include "base/utf8.h"

namespace protium::connect {

namespace {

using Metrics = proto::ExecutePlanResponse::Metrics;

constexpr int kMostOperators = 500;
constexpr int kMostDepth = 200;
constexpr size_t kMostText = 300;

// Returns a size as "1.5 MiB", a count as it is.
std::string FigureText(const Metrics::MetricValue& metric) {
  if (metric.metric_type() != "size") return std::to_string(metric.value());
  return BytesText(double(metric.value()));
}

// Spark sums its metrics over tasks: "timing" in milliseconds, "nsTiming" in nanoseconds. Metrics
// without a value were not counted, and averages are not sums.
Json OperatorOf(const Metrics::MetricObject& node, int depth) {
  std::string called = node.name();
  while (called.ends_with(' ')) called.pop_back();
  Json told = {{"name", std::move(called)}, {"depth", depth}};
  std::map<std::string, std::string> others;
  double seconds = 0;
  bool timed = false;
  for (const auto& [key, metric] : node.execution_metrics()) {
    const bool milli = metric.metric_type() == "timing", nano = metric.metric_type() == "nsTiming";
    if (milli || nano) {
      timed = true;
      seconds += double(std::max<int64_t>(0, metric.value())) / (milli ? 1e3 : 1e9);
    } else if (key == "numOutputRows" || metric.name() == "number of output rows") {
      told["rows"] = metric.value();
    } else if (metric.value() > 0 && metric.metric_type() != "average") {
      others[metric.name().empty() ? key : metric.name()] = FigureText(metric);
    }
  }
  if (timed) told["seconds"] = seconds;
  std::string what;
  for (const auto& [name, figure] : others) {
    what += fmt::format("{}{} {}", what.empty() ? "" : ", ", name, figure);
  }
  if (!what.empty()) told["what"] = Shortened(what, kMostText);
  return told;
}

}  // namespace

bool IsWrapperNode(const std::string& name) {
  return name == "AdaptiveSparkPlan" || name == "InputAdapter" || name.ends_with("QueryStage");
}

// Each node comes before its inputs, and names the node that consumes its rows. The inputs of a
// skipped node take its position.
Json OperatorsOf(const Metrics& metrics) {
  std::map<int64_t, int> depths;
  Json list = Json::array();
  for (int i = 0; i < std::min(metrics.metrics_size(), kMostOperators); ++i) {
    const auto& node = metrics.metrics(i);
    const auto above = depths.find(node.parent());
    const bool root = above == depths.end() || node.parent() == node.plan_id();
    const int depth = root ? 0 : std::min(above->second + 1, kMostDepth);
    const bool told = !IsWrapperNode(node.name());
    depths[node.plan_id()] = told ? depth : depth - 1;
    if (told) list.push_back(OperatorOf(node, depth));
  }
  return list;
}

}  // namespace protium::connect
