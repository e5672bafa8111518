// SPDX-License-Identifier: Apache-2.0
#include "pipeline/season_scales.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/exact_sum.h"
#include "base/fault.h"
#include "metrics/seasons.h"
#include "stages/column_stage.h"

namespace protium {
namespace {

// The same for rows in any order. 0 without numbers.
double MeanSize(const NumberCounts& numbers) {
  ExactSum sum;
  for (const auto& [number, count] : numbers.counts()) {
    sum.AddProduct(double(count), std::abs(number));
  }
  const double mean = numbers.count() > 0 ? sum.Rounded() / double(numbers.count()) : 0;
  return std::isfinite(mean) ? mean : 0;
}

Expr ScaleAt(const std::string& position, const SeriesScales& scales) {
  std::vector<Expr> arguments = {Col(position)};
  for (const double value : scales.values) arguments.push_back(Lit(value));
  arguments.push_back(Lit(0.0));
  return MakeCall("pick", std::move(arguments));
}

}  // namespace

std::vector<Need> ScaleNeeds(const std::vector<SeasonErrors>& errors) {
  std::vector<Need> needs;
  for (const SeasonErrors& each : errors) {
    Columns columns = each.by;
    columns.push_back(each.column);
    const auto kind = each.by.empty() ? StateKind::kNumbers : StateKind::kGroupNumbers;
    needs.push_back({kind, std::move(columns)});
  }
  return needs;
}

std::vector<SeriesScales> LearnScales(const std::vector<SeasonErrors>& errors,
                                      std::span<const State> states) {
  std::vector<SeriesScales> all;
  for (size_t i = 0; i < errors.size(); ++i) {
    SeriesScales& scales = all.emplace_back(SeriesScales{errors[i].season, errors[i].by, {}, {}});
    if (const auto* const groups = std::get_if<GroupNumbers>(&states[i])) {
      for (const auto& [key, numbers] : groups->groups()) {
        scales.keys.push_back(key);
        scales.values.push_back(MeanSize(numbers));
      }
    } else {
      scales.keys.emplace_back();
      scales.values.push_back(MeanSize(std::get<NumberCounts>(states[i])));
    }
  }
  return all;
}

Status CheckScales(const std::vector<SeriesScales>& scales) {
  const bool whole = std::ranges::all_of(scales, [](const SeriesScales& each) {
    const bool positive = std::ranges::all_of(each.values, [](double value) { return value >= 0; });
    return each.season > 0 && each.keys.size() == each.values.size() && positive &&
           (!each.by.empty() || each.values.size() == 1);
  });
  if (whole) return Status::OK();
  return Fail({.exit = Exit::kInput, .what = "the learned scales of the series are damaged"});
}

std::vector<int64_t> SeasonsIn(const std::vector<SeriesScales>& scales) {
  std::vector<int64_t> seasons;
  for (const SeriesScales& each : scales) seasons.push_back(each.season);
  return seasons;
}

Plan WithScales(Plan rows, const Columns& columns, const std::vector<SeriesScales>& scales) {
  if (scales.empty()) return rows;
  const std::string key = FreeName("__series", columns);
  std::vector<NamedExpr> added;
  if (!scales.front().by.empty()) {
    rows = WithColumns(std::move(rows), columns, {{key, GroupKey(scales.front().by)}});
  }
  for (const SeriesScales& each : scales) {
    const std::string name = ScaleColumn(each.season);
    if (each.by.empty()) {
      added.push_back({name, Lit(each.values.front())});
      continue;
    }
    const std::string position = FreeName("__position" + name, columns);
    rows = MakePlan(Lookup{.column = key,
                           .output = position,
                           .keys = std::make_shared<const std::vector<std::string>>(each.keys),
                           .unseen = int64_t(each.keys.size())},
                    {std::move(rows)});
    added.push_back({name, ScaleAt(position, each)});
  }
  return WithColumns(std::move(rows), columns, std::move(added));
}

}  // namespace protium
