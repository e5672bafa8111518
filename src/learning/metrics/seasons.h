// SPDX-License-Identifier: Apache-2.0
// The scales of series that "mase@k" divides errors by, and the columns that bring them to rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

// The mean absolute error, in a row's series, of the value `season` rows before as a forecast, over
// the training rows. 0: unknown, or the series repeats itself exactly.
struct SeasonScale {
  int64_t season = 0;
  double scale = 0;
};

// The numbers k of all "mase@k" among `metrics`, ascending, each once.
std::vector<int64_t> SeasonsOf(const std::vector<std::string>& metrics);

// The name of the column that holds a row's scale for a season, and the season of such a name; 0
// for other names.
std::string ScaleColumn(int64_t season);
std::vector<std::string> ScaleColumns(const std::vector<int64_t>& seasons);
int64_t SeasonOfColumn(const std::string& column);

}  // namespace protium
