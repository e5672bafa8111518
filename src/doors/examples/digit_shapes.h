// SPDX-License-Identifier: Apache-2.0
// How people write the digits 0 to 9 (example "digits").
#pragma once

#include <vector>

#include "examples/grey_picture.h"
#include "examples/random.h"

namespace protium::digits {

using example::Point;

// What a writer does alike in all digits.
struct Hand {
  // In each digit that is written in two ways, which of them.
  bool other_way[10] = {};
  double slant = 0;   // To the right for each unit upwards.
  double turn = 0;    // The tangent of the angle by which the paper lies askew.
  double width = 1;   // Against an ordinary hand.
  double shaky = 0;   // How far points stray; shares of a digit's height.
  double radius = 1;  // Of the pen; pixels.
  double ink = 0;     // Brightness.
  double paper = 1;   // Brightness.
  double grain = 0;   // How much the brightness of pixels varies.
};

Hand DrawHand(Random& random);

// The strokes of one digit as this hand writes it now, in a square from (0, 0) to (1, 1) that most
// of it fills; curves are given as short lines.
std::vector<std::vector<Point>> DrawStrokes(int digit, const Hand& hand, Random& random);

}  // namespace protium::digits
