// SPDX-License-Identifier: Apache-2.0
// How far the values of a column have moved away from those that a model learned from: the
// population stability index over bins that hold about as many training rows each (Siddiqi, "Credit
// Risk Scorecards", 2006).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace protium {

// The bins of a column, and how many training rows each holds: numbers below the first edge,
// between each two, from the last edge on, and missing ones; or each of some texts, all others, and
// missing ones.
struct DriftBins {
  bool of_texts = false;
  std::vector<double> edges;       // Ascending, each once.
  std::vector<std::string> texts;  // The most frequent first.
  std::vector<int64_t> rows;       // By bin; empty: not counted yet.

  size_t count() const { return (of_texts ? texts.size() : edges.size()) + 2; }
  // NaN and infinities are missing.
  size_t BinOf(double number) const;
  size_t BinOf(std::string_view text) const;
  size_t Missing() const { return count() - 1; }
  // "below 3", "3 to 5", "\"UA\"", "other values", "missing".
  std::string NameOf(size_t bin) const;
};

// {"edges" or "texts", "rows"}.
Json ToJson(const DriftBins& bins);
// Nothing if `json` is not what ToJson() gives, with the rows of each bin.
std::optional<DriftBins> DriftBinsFromJson(const Json& json);

struct Drift {
  double psi = 0;
  bool beyond_chance = false;  // And enough to matter: 0.2 or more.
  // The bin whose share has changed most, and its shares.
  size_t most = 0;
  double before = 0;
  double now = 0;
};
// `now` has as many bins; nothing if either side has no rows.
std::optional<Drift> MeasureDrift(const DriftBins& bins, const std::vector<int64_t>& now);

// "dep_delay: below -4 in 61 % of the rows, 10 % in training".
std::string DescribeDrift(const std::string& column, const DriftBins& bins, const Drift& drift);

}  // namespace protium
