// SPDX-License-Identifier: Apache-2.0
// The scales of series that "mase@k" divides errors by (metrics/seasons.h): what decides them, what
// is learned of the training rows, and how rows get them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/node.h"
#include "protium/stages.h"
#include "statistics/state.h"

namespace protium {

// A column of the table with earlier rows: how much the label has changed in so many rows, which is
// the error of the value before as a forecast.
struct SeasonErrors {
  int64_t season = 0;
  std::string column;
  Columns by;  // The columns that tell the series apart; empty: there is one.
};

// The mean size of these changes in each series.
struct SeriesScales {
  int64_t season = 0;
  Columns by;
  std::vector<std::string> keys;  // GroupKey() of each series, ascending; one "" without `by`.
  std::vector<double> values;     // One for each key.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("season", season);
    visit("by", by);
    visit("keys", keys);
    visit("values", values);
  }
};

// One need for each.
std::vector<Need> ScaleNeeds(const std::vector<SeasonErrors>& errors);
// Takes the states of ScaleNeeds(), in its order.
std::vector<SeriesScales> LearnScales(const std::vector<SeasonErrors>& errors,
                                      std::span<const State> states);
// Refuses what LearnScales() cannot have returned, since it comes from a file.
Status CheckScales(const std::vector<SeriesScales>& scales);

// Their seasons.
std::vector<int64_t> SeasonsIn(const std::vector<SeriesScales>& scales);

// A projection of `rows`, which must also have the columns `by`, to `columns` followed by a column
// ScaleColumn() for each season; 0 for a series that training has not seen.
Plan WithScales(Plan rows, const Columns& columns, const std::vector<SeriesScales>& scales);

}  // namespace protium
