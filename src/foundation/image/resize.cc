// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "image/decode.h"

namespace protium {
namespace {

// For one target pixel along one axis: the source pixels that it covers, and how much of each.
// Sizes are in units of 1 / target, in which all edges are whole: nothing is rounded.
struct Cover {
  int64_t first = 0;
  std::vector<int64_t> parts;
};

std::vector<Cover> CoversOf(int64_t source, int64_t target) {
  std::vector<Cover> covers;
  for (int64_t i = 0; i < target; ++i) {
    const int64_t begin = i * source, end = begin + source;
    Cover cover{.first = begin / target, .parts = {}};
    for (int64_t at = cover.first; at * target < end; ++at) {
      cover.parts.push_back(std::min(end, (at + 1) * target) - std::max(begin, at * target));
    }
    covers.push_back(std::move(cover));
  }
  return covers;
}

}  // namespace

// Areas are whole numbers, and so are the sums of weighted pixels, which stay far below 2^53.
std::vector<double> ResizeByArea(const Image& image, int64_t height, int64_t width) {
  const std::vector<Cover> down = CoversOf(image.height, height);
  const std::vector<Cover> across = CoversOf(image.width, width);
  const double area = double(image.height) * double(image.width);
  std::vector<double> resized;
  resized.reserve(size_t(height * width * image.channels));
  for (const Cover& rows : down) {
    for (const Cover& columns : across) {
      for (int64_t channel = 0; channel < image.channels; ++channel) {
        int64_t sum = 0;
        for (size_t y = 0; y < rows.parts.size(); ++y) {
          const int64_t line = (rows.first + int64_t(y)) * image.width;
          for (size_t x = 0; x < columns.parts.size(); ++x) {
            const int64_t pixel = line + columns.first + int64_t(x);
            const int64_t value = image.pixels[size_t(pixel * image.channels + channel)];
            sum += rows.parts[y] * columns.parts[x] * value;
          }
        }
        resized.push_back(double(sum) / area);
      }
    }
  }
  return resized;
}

std::vector<double> ResizeInside(const Image& image, int64_t height, int64_t width, double plane) {
  const double scale =
      std::min(double(height) / double(image.height), double(width) / double(image.width));
  const auto scaled = [&](int64_t length, int64_t most) {
    return std::clamp<int64_t>(std::llround(double(length) * scale), 1, most);
  };
  const int64_t rows = scaled(image.height, height), columns = scaled(image.width, width);
  const int64_t top = (height - rows) / 2, left = (width - columns) / 2;
  const std::vector<double> resized = ResizeByArea(image, rows, columns);
  std::vector<double> all(size_t(height * width * image.channels), plane);
  const auto line = std::ptrdiff_t(columns * image.channels);
  for (int64_t row = 0; row < rows; ++row) {
    const auto to = ((top + row) * width + left) * image.channels;
    std::copy_n(resized.begin() + std::ptrdiff_t(row) * line, line, all.begin() + to);
  }
  return all;
}

}  // namespace protium
