// SPDX-License-Identifier: Apache-2.0
// Metrics of series: errors measured against those of a forecast that anybody can make.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>
#include <string_view>

#include "metrics/kinds.h"
#include "metrics/seasons.h"

namespace protium {
namespace {

constexpr std::string_view kMase = "mase@";
constexpr std::string_view kScale = "__scale_";

// The number behind `start`; 0 if `text` does not begin so.
int64_t NumberBehind(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return 0;
  text.remove_prefix(start.size());
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

double ScaleOf(const Judged& row, int64_t season) {
  const auto found = std::ranges::find(row.scales, season, &SeasonScale::season);
  return found == row.scales.end() ? 0 : found->scale;
}

}  // namespace

std::vector<int64_t> SeasonsOf(const std::vector<std::string>& metrics) {
  std::set<int64_t> seasons;
  for (const std::string& each : metrics) {
    if (const int64_t season = NumberBehind(each, kMase); season > 0) seasons.insert(season);
  }
  return {seasons.begin(), seasons.end()};
}

std::string ScaleColumn(int64_t season) { return std::string(kScale) + std::to_string(season); }
std::vector<std::string> ScaleColumns(const std::vector<int64_t>& seasons) {
  std::vector<std::string> columns;
  for (const int64_t each : seasons) columns.push_back(ScaleColumn(each));
  return columns;
}
int64_t SeasonOfColumn(const std::string& column) { return NumberBehind(column, kScale); }

// The mean absolute scaled error of Hyndman and Koehler ("Another look at measures of forecast
// accuracy", 2006): |score - label| / scale, over rows. With as many rows in each series this is
// the mean over the series of each one's own, as the M4 competition and sktime have it. A row whose
// series has no scale does not count, not even in the weight.
std::unique_ptr<Metric> MakeMase(int64_t season) {
  return MakeMeanWith([season](const Judged& row, ExactSum& sum) {
    const double scale = ScaleOf(row, season);
    if (!(scale > 0)) return 0.0;
    sum.AddProduct(row.weight, std::abs(row.scores[0] - row.labels[0]) / scale);
    return row.weight;
  });
}

}  // namespace protium
