// SPDX-License-Identifier: Apache-2.0
// A small grey picture to draw on.
#pragma once

#include <cstddef>
#include <vector>

#include "image/decode.h"

namespace protium::example {

// In pixels from the top left; the centre of the first pixel is (0.5, 0.5).
struct Point {
  double x = 0, y = 0;
};

// The brightness of each pixel from 0 to 1. Uses only correctly rounded arithmetic, so that the
// same strokes give the same picture on every machine.
class GreyPicture {
 public:
  GreyPicture(int width, int height, double brightness);

  // Draws straight lines from point to point with a round pen of this radius, and blends what the
  // pen covers with `ink`. At the pen's edge pixels are partly covered; where lines of one call
  // overlap, ink is applied once.
  void Draw(const std::vector<std::vector<Point>>& strokes, double radius, double ink);
  double& At(int x, int y) { return pixels_[static_cast<size_t>(y * width_ + x)]; }
  int width() const { return width_; }
  int height() const { return height_; }

  // 8 bits per pixel.
  Image ToImage() const;

 private:
  int width_, height_;
  std::vector<double> pixels_;
};

}  // namespace protium::example
