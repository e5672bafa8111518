// SPDX-License-Identifier: Apache-2.0
// Whether the rows of a table come one after another in time, as one series or several, and how far
// ahead a first job predicts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/first_source.h"

namespace protium {

// What the command line says; empty: to be found.
struct SeriesGiven {
  std::string time;               // A column of dates or times.
  std::string horizon;            // "7d", or a number of rows.
  std::vector<std::string> kept;  // Columns that are known ahead.
};

struct FirstSeries {
  std::string time;      // Its column; empty: rows are taken to be independent of each other.
  std::string by;        // The column whose values name the series; empty: there is one.
  std::string step;      // From row to row: "day"; empty: no fixed one, so earlier rows say little.
  int64_t season = 1;    // Steps until it repeats: 7 days.
  int64_t horizon = 1;   // How many steps ahead.
  bool asked = false;    // Whether the command line gives the horizon.
  int64_t num_rows = 0;  // Of each series, on average.
  std::string first;     // The least time.
  // Columns that no row has before its time: they differ within a series, and the horizon is given.
  std::vector<std::string> unknown;

  bool any() const { return !time.empty(); }
  bool looks_back() const { return !step.empty(); }
  // Which earlier rows are looked at: the horizon, the same phase of three seasons before it and,
  // of days and hours, of a year or a week ago, as far as the series reach.
  std::vector<int64_t> Lags() const;
  // The earlier row of the same phase of the season: its value is the forecast to beat.
  int64_t NaiveLag() const;
  std::string Steps(int64_t count) const;  // "7 days".
};

// A series has one row for most steps of some usual length, and no two rows of one time. A column
// of dates alone says nothing: people have birthdays. With SeriesGiven::time the rows are ordered
// by it in any case. Unknown columns and spans that cannot be read are faults of Exit::kUsage.
// Reads the tables if there may be a series.
Result<FirstSeries> FindSeries(const FirstSource& source, const std::string& label,
                               const SeriesGiven& given);

}  // namespace protium
