// SPDX-License-Identifier: Apache-2.0
#include "examples/grey_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace protium::example {
namespace {

// Returns the squared distance of `p` from the line from `a` to `b`.
double SquaredDistance(Point p, Point a, Point b) {
  const Point along = {b.x - a.x, b.y - a.y};
  const double length = along.x * along.x + along.y * along.y;
  const double dot = (p.x - a.x) * along.x + (p.y - a.y) * along.y;
  const double share = length > 0 ? std::clamp(dot / length, 0.0, 1.0) : 0;
  const Point off = {p.x - a.x - share * along.x, p.y - a.y - share * along.y};
  return off.x * off.x + off.y * off.y;
}

double DistanceTo(const std::vector<std::vector<Point>>& strokes, Point p) {
  double nearest = std::numeric_limits<double>::max();
  for (const std::vector<Point>& stroke : strokes) {
    for (size_t i = 1; i < stroke.size(); ++i) {
      nearest = std::min(nearest, SquaredDistance(p, stroke[i - 1], stroke[i]));
    }
  }
  return std::sqrt(nearest);
}

}  // namespace

GreyPicture::GreyPicture(int width, int height, double brightness)
    : width_(width), height_(height), pixels_(static_cast<size_t>(width * height), brightness) {}

void GreyPicture::Draw(const std::vector<std::vector<Point>>& strokes, double radius, double ink) {
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const double distance = DistanceTo(strokes, {x + 0.5, y + 0.5});
      const double covered = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      At(x, y) += covered * (ink - At(x, y));
    }
  }
}

Image GreyPicture::ToImage() const {
  Image image{.height = height_, .width = width_, .channels = 1};
  for (const double value : pixels_) {
    image.pixels.push_back(uint8_t(std::lround(std::clamp(value, 0.0, 1.0) * 255)));
  }
  return image;
}

}  // namespace protium::example
