// SPDX-License-Identifier: Apache-2.0
// How people write the digits 0 to 9 (example "digits").
#pragma once

#include <vector>

#include "examples/grey_picture.h"
#include "examples/random.h"

namespace protium::digits {

using example::Point;

// What is common to all digits of one writer.
struct Hand {
  // For each digit that is written in two ways, which one.
  bool other_way[10] = {};
  double slant = 0;   // To the right, per unit upwards.
  double turn = 0;    // The tangent of the angle by which the paper is turned.
  double width = 1;   // Relative to an ordinary hand.
  double shaky = 0;   // How far points stray, as a share of a digit's height.
  double radius = 1;  // The pen's, in pixels.
  double ink = 0;     // Brightness.
  double paper = 1;   // Brightness.
  double grain = 0;   // How much the brightness of pixels varies.
};

Hand DrawHand(Random& random);

// Returns the strokes of one digit as this hand writes it now, in a square from (0, 0) to (1, 1)
// that it mostly fills; curves are approximated by short lines.
std::vector<std::vector<Point>> DrawStrokes(int digit, const Hand& hand, Random& random);

}  // namespace protium::digits
