// SPDX-License-Identifier: Apache-2.0
#include "leaks/result_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace protium {
namespace {

constexpr double kMostOfOne = 0.9;     // Of the importance.
constexpr double kGoodError = 1. / 3;  // Of the baseline's.
constexpr int64_t kFewestRows = 200;   // With fewer, chance moves metrics as far.
constexpr double kFarError = 1.5;
constexpr double kFarShare = 0.1;

// What is compared: errors by their ratio, shares by their difference. Metrics of other names have
// scales that nobody here knows.
constexpr const char* kErrors[] = {"rmse", "mae", "log_loss"};
constexpr const char* kShares[] = {"auc", "accuracy"};

std::optional<double> MetricAt(const Json& results, const char* set, const char* name) {
  const Json metrics = results.value("metrics", Json::object());
  const Json values = metrics.value(set, Json::object());
  const Json value = values.is_object() ? values.value(name, Json()) : Json();
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// The error of the model on test rows, or else validation rows, as a share of the baseline's.
std::optional<double> ErrorOfBaseline(const Json& results) {
  for (const char* name : {"rmse", "log_loss"}) {
    const auto test = MetricAt(results, "test", name),
               model = test ? test : MetricAt(results, "validation", name),
               baseline = MetricAt(results, "baseline", name);
    if (model && baseline && *baseline > 0) return *model / *baseline;
  }
  return std::nullopt;
}

std::string DoubtOfImportance(const Json& results, const std::vector<std::string>& known) {
  const Json importance = results.value("importance", Json());
  if (!importance.is_object()) return {};
  const Json columns = importance.value("columns", Json::array());
  if (columns.size() < 3) return {};
  double all = 0, most = 0;
  std::string name;
  for (const Json& each : columns) {
    const double worse = std::max(each.value("worse", 0.0), 0.0);
    all += worse;
    if (worse <= most) continue;
    most = worse;
    name = each.value("column", "");
  }
  const auto error = ErrorOfBaseline(results);
  if (most <= 0 || most < kMostOfOne * all || !error || *error > kGoodError) return {};
  const auto is_known = [&](const std::string& each) {
    return name == each || name.starts_with(each + "__");
  };
  if (std::ranges::any_of(known, is_known)) return {};
  return fmt::format(
      "{} alone has {:.0f}% of the feature importance, and the model's error is {:.2g}% of the "
      "baseline's: is it known when you predict?",
      name, std::floor(100 * most / all), 100 * *error);
}

enum class Side { kAlike, kBetter, kWorse };

Side SideOfError(const Json& results, const char* name, double test, double validation) {
  const auto baseline = MetricAt(results, "baseline", name);
  const double least = 0.1 * std::abs(baseline.value_or(std::max(test, validation)));
  if (std::abs(test - validation) < least) return Side::kAlike;
  if (test >= kFarError * validation) return Side::kWorse;
  return validation >= kFarError * test ? Side::kBetter : Side::kAlike;
}

Side SideOfShare(double test, double validation) {
  if (std::abs(test - validation) < kFarShare) return Side::kAlike;
  return test > validation ? Side::kBetter : Side::kWorse;
}

// Every metric that both have must say the same: one of them alone may be moved by a few outliers.
std::string DoubtOfTest(const Json& results) {
  if (MetricAt(results, "test", "rows").value_or(0) < kFewestRows ||
      MetricAt(results, "validation", "rows").value_or(0) < kFewestRows ||
      results.value("scored", "test rows") != "test rows") {
    return {};
  }
  std::optional<Side> side;
  std::string figures;
  const auto take = [&](const char* name, bool error) {
    const auto test = MetricAt(results, "test", name),
               other = MetricAt(results, "validation", name);
    if (!test || !other) return true;
    const Side own = error ? SideOfError(results, name, *test, *other) : SideOfShare(*test, *other);
    if (own == Side::kAlike || (side && *side != own)) return false;
    side = own;
    figures +=
        fmt::format("{}{} {:.3g} against {:.3g}", figures.empty() ? "" : ", ", name, *test, *other);
    return true;
  };
  for (const char* name : kErrors) {
    if (!take(name, true)) return {};
  }
  for (const char* name : kShares) {
    if (!take(name, false)) return {};
  }
  if (!side) return {};
  return fmt::format("test rows are predicted far {} than validation rows ({}): {}",
                     *side == Side::kBetter ? "better" : "worse", figures,
                     *side == Side::kBetter ? "do they hold rows that training has seen?"
                                            : "do they come from another time or another source?");
}

}  // namespace

std::vector<std::string> ResultDoubts(const Json& results, const std::vector<std::string>& known) {
  std::vector<std::string> doubts;
  for (const std::string& each : {DoubtOfImportance(results, known), DoubtOfTest(results)}) {
    if (!each.empty()) doubts.push_back(each);
  }
  return doubts;
}

}  // namespace protium
