// SPDX-License-Identifier: Apache-2.0
#include "trials/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "trials/trial_forest.h"

namespace protium {
namespace {

constexpr size_t kFewestTrials = 8, kInPairs = 4;

std::vector<OptionCells> CellsOf(const TriedSearch& search) {
  std::vector<OptionCells> cells;
  for (const TriedOption& option : search.options) {
    const auto without = std::ranges::count_if(
        search.trials, [&](const TriedTrial& each) { return !each.values.contains(option.path); });
    cells.emplace_back(option, double(without) / double(search.trials.size()));
  }
  return cells;
}

std::optional<double> ValueOf(const TriedTrial& trial, size_t objective) {
  if (objective < trial.measured.size()) return trial.measured[objective];
  return objective == 0 && trial.state != "failed" ? trial.value : std::nullopt;
}

void ClipBad(std::vector<TrialPoint>& points, bool higher_is_better) {
  std::vector<double> values;
  for (const TrialPoint& each : points) values.push_back(each.value);
  std::ranges::sort(values);
  const double low = values[values.size() / 4], high = values[values.size() * 3 / 4];
  for (TrialPoint& each : points) {
    each.value = higher_is_better ? std::max(each.value, low - 3 * (high - low))
                                  : std::min(each.value, high + 3 * (high - low));
  }
}

std::vector<TrialPoint> PointsOf(const TriedSearch& search, const std::vector<OptionCells>& cells,
                                 size_t objective) {
  std::vector<TrialPoint> points;
  for (const TriedTrial& trial : search.trials) {
    const std::optional<double> value = ValueOf(trial, objective);
    if (!value) continue;
    TrialPoint point{.value = *value};
    for (size_t i = 0; i < cells.size(); ++i) {
      const Json at = trial.values.value(search.options[i].path, Json());
      point.cells.push_back(uint8_t(cells[i].CellOf(at)));
    }
    points.push_back(std::move(point));
  }
  return points;
}

template <class Function>
void ForEachCell(uint64_t cells, const Function& function) {
  for (; cells != 0; cells &= cells - 1) function(size_t(std::countr_zero(cells)));
}

double WholeVariance(const TrialTree& tree) {
  double mean = 0, variance = 0;
  for (const TrialLeaf& leaf : tree) mean += leaf.volume * leaf.value;
  for (const TrialLeaf& leaf : tree) {
    variance += leaf.volume * (leaf.value - mean) * (leaf.value - mean);
  }
  return variance;
}

std::vector<double> MarginalIn(const TrialTree& tree, const OptionCells& cells, size_t option) {
  std::vector<double> marginal(cells.count());
  for (const TrialLeaf& leaf : tree) {
    const double part = leaf.value * leaf.volume / cells.WeightOf(leaf.cells[option]);
    ForEachCell(leaf.cells[option], [&](size_t cell) { marginal[cell] += part; });
  }
  return marginal;
}

double Variance(const std::vector<double>& marginal, const std::vector<double>& weights) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < marginal.size(); ++i) mean += weights[i] * marginal[i];
  for (size_t i = 0; i < marginal.size(); ++i) {
    variance += weights[i] * (marginal[i] - mean) * (marginal[i] - mean);
  }
  return variance;
}

OptionImportance MeanOver(const std::vector<TrialTree>& forest, const TriedOption& option,
                          const OptionCells& cells, size_t index) {
  OptionImportance made{.path = option.path, .marginal = std::vector<double>(cells.num_values())};
  for (const TrialTree& tree : forest) {
    const std::vector<double> marginal = MarginalIn(tree, cells, index);
    const double whole = WholeVariance(tree);
    if (whole > 0)
      made.share += Variance(marginal, cells.weights()) / whole / double(forest.size());
    for (size_t i = 0; i < made.marginal.size(); ++i) {
      made.marginal[i] += marginal[i] / double(forest.size());
    }
  }
  for (size_t i = 0; i < cells.num_values(); ++i) {
    made.at.push_back(option.range() ? Json(cells.MiddleOf(i)) : option.choices[i]);
  }
  return made;
}

PairMarginal MeanOfPair(const std::vector<TrialTree>& forest, const std::vector<OptionCells>& cells,
                        size_t a, size_t b) {
  std::vector<std::vector<double>> sums(cells[a].count(), std::vector<double>(cells[b].count()));
  for (const TrialTree& tree : forest) {
    for (const TrialLeaf& leaf : tree) {
      const double weight = cells[a].WeightOf(leaf.cells[a]) * cells[b].WeightOf(leaf.cells[b]) *
                            double(forest.size());
      const double part = leaf.value * leaf.volume / weight;
      ForEachCell(leaf.cells[a], [&](size_t i) {
        ForEachCell(leaf.cells[b], [&](size_t j) { sums[i][j] += part; });
      });
    }
  }
  sums.resize(cells[a].num_values());
  for (std::vector<double>& row : sums) row.resize(cells[b].num_values());
  return {a, b, std::move(sums)};
}

// In the order of their shares, so that the first pair is the one to look at first.
std::vector<PairMarginal> PairsOf(const std::vector<TrialTree>& forest,
                                  const std::vector<OptionCells>& cells,
                                  const std::vector<OptionImportance>& options) {
  std::vector<size_t> order(options.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return options[a].share > options[b].share; });
  order.resize(std::min(order.size(), kInPairs));
  std::vector<PairMarginal> pairs;
  for (size_t j = 1; j < order.size(); ++j) {
    for (size_t i = 0; i < j; ++i) pairs.push_back(MeanOfPair(forest, cells, order[i], order[j]));
  }
  return pairs;
}

Json Rounded(double value) { return Json(std::stod(fmt::format("{:.6g}", value))); }

Json Rounded(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double each : values) json.push_back(Rounded(each));
  return json;
}

}  // namespace

std::optional<Importance> ImportanceOf(const TriedSearch& search, size_t objective) {
  if (objective >= search.objectives.size() || search.options.empty()) return std::nullopt;
  const std::vector<OptionCells> cells = CellsOf(search);
  std::vector<TrialPoint> points = PointsOf(search, cells, objective);
  if (points.size() < kFewestTrials) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(points, {}, &TrialPoint::value);
  if (least.value == most.value) return std::nullopt;
  ClipBad(points, search.objectives[objective].higher_is_better);
  const std::vector<TrialTree> forest = GrowTrialForest(cells, points);
  Importance made{.trials = int64_t(points.size())};
  for (size_t i = 0; i < cells.size(); ++i) {
    made.options.push_back(MeanOver(forest, search.options[i], cells[i], i));
  }
  made.pairs = PairsOf(forest, cells, made.options);
  return made;
}

std::vector<std::pair<size_t, Importance>> ImportanceByObjective(const TriedSearch& search) {
  std::vector<std::pair<size_t, Importance>> found;
  for (size_t i = 0; i < search.objectives.size(); ++i) {
    if (auto importance = ImportanceOf(search, i)) found.emplace_back(i, *std::move(importance));
  }
  return found;
}

Json ToJson(const Importance& importance) {
  Json json = {{"trials", importance.trials}, {"options", Json::array()}, {"pairs", Json::array()}};
  for (const OptionImportance& each : importance.options) {
    Json at = Json::array();
    for (const Json& value : each.at) {
      at.push_back(value.is_number_float() ? Rounded(value.get<double>()) : value);
    }
    json["options"].push_back({{"option", each.path},
                               {"share", Rounded(each.share)},
                               {"at", std::move(at)},
                               {"value", Rounded(each.marginal)}});
  }
  for (const PairMarginal& each : importance.pairs) {
    Json rows = Json::array();
    for (const std::vector<double>& row : each.marginal) rows.push_back(Rounded(row));
    json["pairs"].push_back({{"a", importance.options[each.a].path},
                             {"b", importance.options[each.b].path},
                             {"value", std::move(rows)}});
  }
  return json;
}

}  // namespace protium
