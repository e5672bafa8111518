// SPDX-License-Identifier: Apache-2.0
#include "pipeline/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run/terminal.h"

namespace protium {
namespace {

constexpr double kDrifted = 0.2;
constexpr size_t kMostBins = 1000;  // Of a file from elsewhere.

double SumOf(const std::vector<int64_t>& rows) {
  return double(std::accumulate(rows.begin(), rows.end(), int64_t{0}));
}

// The average of the index if both sides have the same distribution: about (bins - 1) (1/n + 1/m).
double PsiOfChance(size_t bins, double rows, double others) {
  return double(bins - 1) * (1 / rows + 1 / others);
}

std::string EdgeText(double edge) { return Figure(edge, 4); }

// Whether `json` is a list of at most kMostBins of what `is` says.
template <class Is>
bool IsListOf(const Json& json, const Is& is) {
  return json.is_array() && json.size() <= kMostBins && std::ranges::all_of(json, is);
}

}  // namespace

size_t DriftBins::BinOf(double number) const {
  if (!std::isfinite(number)) return Missing();
  return size_t(std::ranges::upper_bound(edges, number) - edges.begin());
}

size_t DriftBins::BinOf(std::string_view text) const {
  return size_t(std::ranges::find(texts, text) - texts.begin());
}

std::string DriftBins::NameOf(size_t bin) const {
  if (bin == Missing()) return "missing";
  if (of_texts) return bin < texts.size() ? Dump(Json(texts[bin])) : "other values";
  if (edges.empty()) return "not missing";
  if (bin == 0) return "below " + EdgeText(edges.front());
  if (bin == edges.size()) return EdgeText(edges.back()) + " or more";
  return EdgeText(edges[bin - 1]) + " to " + EdgeText(edges[bin]);
}

Json ToJson(const DriftBins& bins) {
  Json json = Json::object();
  if (bins.of_texts) {
    json["texts"] = bins.texts;
  } else {
    json["edges"] = bins.edges;
  }
  json["rows"] = bins.rows;
  return json;
}

std::optional<DriftBins> DriftBinsFromJson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  DriftBins bins{.of_texts = json.contains("texts")};
  const Json values = json.value(bins.of_texts ? "texts" : "edges", Json());
  const Json rows = json.value("rows", Json());
  const auto whole = [](const Json& each) {
    return each.is_number_integer() && each >= 0 && each <= int64_t{1} << 52;
  };
  if (!IsListOf(rows, whole)) return std::nullopt;
  bins.rows = rows.get<std::vector<int64_t>>();
  if (bins.of_texts) {
    if (!IsListOf(values, [](const Json& each) { return each.is_string(); })) return std::nullopt;
    bins.texts = values.get<std::vector<std::string>>();
  } else {
    if (!IsListOf(values, [](const Json& each) { return each.is_number(); })) return std::nullopt;
    bins.edges = values.get<std::vector<double>>();
    if (!std::ranges::is_sorted(bins.edges)) return std::nullopt;
  }
  if (bins.rows.size() != bins.count()) return std::nullopt;
  return bins;
}

// Half a row is added to each bin, so that empty bins have a finite term.
std::optional<Drift> MeasureDrift(const DriftBins& bins, const std::vector<int64_t>& now) {
  const double rows = SumOf(bins.rows), others = SumOf(now);
  if (rows <= 0 || others <= 0) return std::nullopt;
  const double half = 0.5, added = half * double(bins.count());
  Drift drift;
  double widest = -1;
  for (size_t i = 0; i < now.size(); ++i) {
    const double p = (double(bins.rows[i]) + half) / (rows + added);
    const double q = (double(now[i]) + half) / (others + added);
    drift.psi += (p - q) * std::log(p / q);
    if (std::fabs(p - q) <= widest) continue;
    widest = std::fabs(p - q);
    drift.most = i;
    drift.before = double(bins.rows[i]) / rows;
    drift.now = double(now[i]) / others;
  }
  const double chance = PsiOfChance(bins.count(), rows, others);
  drift.beyond_chance = drift.psi >= std::max(kDrifted, 3 * chance);
  return drift;
}

std::string DescribeDrift(const std::string& column, const DriftBins& bins, const Drift& drift) {
  return fmt::format("{}: {} in {:.0f}% of the rows, {:.0f}% in training", column,
                     bins.NameOf(drift.most), 100 * drift.now, 100 * drift.before);
}

}  // namespace protium
