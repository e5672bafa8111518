// SPDX-License-Identifier: Apache-2.0
// Line charts as inline SVG, without scripts or anything from the network; colors are classes of
// the page's CSS (style.h), so that charts follow the light and dark themes.
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
  std::vector<Series> series;                         // Colors repeat after four.
  std::vector<std::pair<double, std::string>> marks;  // Vertical lines at x, with their captions.
};

// A <figure> with the chart and its legend; empty if no series has a finite point. Points that are
// not finite are left out.
std::string DrawChart(const Chart& chart);

// Round numbers that divide [low, high] into about `wanted` parts.
std::vector<double> Ticks(double low, double high, int wanted);

// Text with the characters escaped that mean something in HTML or in quoted attributes.
std::string Escaped(std::string_view text);

}  // namespace protium
