// SPDX-License-Identifier: Apache-2.0
#include "examples/digit_shapes.h"

#include <cmath>

namespace protium::digits {
namespace {

enum class Way { kAll, kUsual, kOther };

// A stroke through these points, in hundredths of the digit's square: straight lines from one to
// the next, or a curve through all of them.
struct Shape {
  int digit;
  Way way;
  bool curved;
  std::vector<Point> points;
};

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> kShapes = {
      {0,
       Way::kAll,
       true,
       {{50, 5}, {80, 20}, {84, 50}, {79, 80}, {50, 95}, {21, 80}, {16, 50}, {20, 20}, {50, 5}}},
      {1, Way::kAll, false, {{30, 26}, {54, 5}, {54, 95}}},
      {1, Way::kOther, false, {{30, 95}, {76, 95}}},
      {2, Way::kAll, true, {{18, 28}, {30, 9}, {55, 4}, {78, 16}, {77, 38}, {52, 65}, {17, 95}}},
      {2, Way::kUsual, false, {{17, 95}, {85, 95}}},
      {2, Way::kOther, true, {{17, 95}, {32, 84}, {55, 93}, {86, 92}}},
      {3, Way::kUsual, true, {{20, 15}, {45, 4}, {75, 14}, {74, 36}, {44, 47}}},
      {3, Way::kOther, false, {{20, 6}, {78, 6}, {44, 45}}},
      {3, Way::kAll, true, {{44, 47}, {79, 57}, {82, 82}, {50, 96}, {18, 84}}},
      {4, Way::kUsual, false, {{62, 5}, {15, 66}, {88, 66}}},
      {4, Way::kUsual, false, {{64, 36}, {64, 97}}},
      {4, Way::kOther, false, {{22, 8}, {18, 54}, {86, 54}}},
      {4, Way::kOther, false, {{72, 8}, {70, 97}}},
      {5, Way::kAll, false, {{80, 6}, {28, 6}, {23, 45}}},
      {5, Way::kAll, true, {{23, 45}, {50, 36}, {80, 52}, {80, 78}, {50, 95}, {18, 86}}},
      {6,
       Way::kAll,
       true,
       {{72, 6}, {42, 20}, {21, 48}, {20, 78}, {48, 96}, {78, 79}, {71, 55}, {44, 50}, {22, 68}}},
      {7, Way::kAll, false, {{15, 7}, {84, 7}, {42, 95}}},
      {7, Way::kOther, false, {{34, 50}, {76, 50}}},
      {8,
       Way::kAll,
       true,
       {{50, 47},
        {23, 31},
        {28, 11},
        {50, 4},
        {72, 11},
        {77, 31},
        {50, 47},
        {19, 68},
        {23, 89},
        {50, 96},
        {77, 89},
        {81, 68},
        {50, 47}}},
      {9, Way::kAll, true, {{76, 30}, {62, 7}, {32, 9}, {22, 33}, {42, 51}, {68, 43}, {76, 28}}},
      {9, Way::kUsual, true, {{76, 28}, {75, 60}, {58, 95}}},
      {9, Way::kOther, true, {{76, 28}, {80, 70}, {58, 95}, {26, 90}}}};
  return kShapes;
}

// The point at `t` from 0 to 1 between p1 and p2 of a Catmull-Rom spline.
Point Between(Point p0, Point p1, Point p2, Point p3, double t) {
  const auto at = [t](double a, double b, double c, double d) {
    return 0.5 *
           (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
  };
  return {at(p0.x, p1.x, p2.x, p3.x), at(p0.y, p1.y, p2.y, p3.y)};
}

// Approximates the curve through `points` by short lines; beyond its ends it continues as it began.
std::vector<Point> Curve(const std::vector<Point>& points) {
  constexpr int kLines = 5;
  const size_t last = points.size() - 1;
  std::vector<Point> curve = {points.front()};
  for (size_t i = 0; i < last; ++i) {
    for (int step = 1; step <= kLines; ++step) {
      curve.push_back(Between(points[i > 0 ? i - 1 : 0], points[i], points[i + 1],
                              points[i + 2 <= last ? i + 2 : last], double(step) / kLines));
    }
  }
  return curve;
}

// Applies slant, breadth and the turned paper, around the middle.
Point Placed(const Hand& hand, Point p) {
  const double y = p.y - 0.5, x = (p.x - 0.5) * hand.width - hand.slant * y;
  const double cosine = 1 / std::sqrt(1 + hand.turn * hand.turn), sine = hand.turn * cosine;
  return {0.5 + cosine * x - sine * y, 0.5 + sine * x + cosine * y};
}

}  // namespace

Hand DrawHand(Random& random) {
  Hand hand;
  for (bool& each : hand.other_way) each = random.Chance(0.35);
  hand.slant = 0.1 + 0.16 * random.Normal();
  hand.turn = 0.06 * random.Normal();
  hand.width = random.Between(0.7, 1.1);
  hand.shaky = random.Between(0.015, 0.04);
  hand.radius = random.Between(0.7, 1.7);
  hand.ink = random.Between(0, 0.35);
  hand.paper = random.Between(0.75, 1);
  hand.grain = random.Between(0.02, 0.12);
  return hand;
}

std::vector<std::vector<Point>> DrawStrokes(int digit, const Hand& usual, Random& random) {
  // Nobody writes a digit twice the same way.
  Hand hand = usual;
  hand.slant += 0.07 * random.Normal();
  hand.turn += 0.05 * random.Normal();
  hand.width *= random.Between(0.9, 1.1);
  const Way way = hand.other_way[digit] ? Way::kOther : Way::kUsual;
  std::vector<std::vector<Point>> strokes;
  for (const Shape& shape : Shapes()) {
    if (shape.digit != digit || (shape.way != Way::kAll && shape.way != way)) continue;
    std::vector<Point> points;
    for (const Point& each : shape.points) {
      const double x = each.x / 100 + hand.shaky * random.Normal();
      const double y = each.y / 100 + hand.shaky * random.Normal();
      points.push_back(Placed(hand, {x, y}));
    }
    strokes.push_back(shape.curved ? Curve(points) : points);
  }
  return strokes;
}

}  // namespace protium::digits
