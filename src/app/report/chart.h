// SPDX-License-Identifier: Apache-2.0
// Line charts as SVG text that needs nothing from outside; colors come from the page's CSS.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace protium {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending.
  bool dots = false;                              // Mark every point.
};

struct Chart {
  std::string title;
  std::string x_name;
  std::vector<Series> series;                         // At most four are told apart.
  std::vector<std::pair<double, std::string>> marks;  // Upright lines, with what they say.
};

// Empty when no series has a point. Points that are not finite are left out.
std::string DrawChart(const Chart& chart);

// Round numbers that divide [low, high] into about `wanted` parts.
std::vector<double> Ticks(double low, double high, int wanted);

// Text made safe for HTML and for attributes.
std::string Escaped(std::string_view text);

}  // namespace protium
