// SPDX-License-Identifier: Apache-2.0
// Line charts as inline SVG, without scripts or anything from the network. Colors are classes of
// the page's CSS (style.h), so that charts follow the light and dark themes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace protium {

// A line; points that are not finite are left out.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending, unless there are only dots.
  bool dots = false;                              // Mark every point.
  bool line = true;                               // Join them.
};

// A chart with one or more lines over one x axis. All texts are escaped when drawn.
struct Chart {
  std::string title;
  std::string x_name;
  std::vector<Series> series;                         // Colors repeat after four.
  std::vector<std::pair<double, std::string>> marks;  // Vertical lines at x, with their captions.
  // Whether a first point that lies far above all others is drawn in full, where it flattens them.
  bool whole = false;
};

// A <figure> with the chart and its legend; empty if no series has a finite point.
std::string DrawChart(const Chart& chart);

// Round numbers (1, 2 or 5 times a power of ten apart) that divide [low, high] into about `wanted`
// parts, at most 20; {low} if the range is empty.
std::vector<double> Ticks(double low, double high, int wanted);

// The text with &, <, > and both quotes escaped, for HTML and quoted attributes.
std::string Escaped(std::string_view text);

}  // namespace protium
