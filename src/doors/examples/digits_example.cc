// SPDX-License-Identifier: Apache-2.0
// Writes pictures of handwritten digits, each as its own PNG file, and the table of what they show.
// Every writer and every picture draws from its own generator.
#include <fmt/format.h>

#include <algorithm>

#include "examples/digit_shapes.h"
#include "examples/example.h"
#include "examples/grey_picture.h"
#include "examples/table_file.h"
#include "image/encode.h"

namespace protium {

namespace fs = std::filesystem;

namespace digits {
namespace {

using example::GreyPicture;

constexpr int kSize = 28;           // Pixels, each way.
constexpr int64_t kOfAWriter = 50;  // Pictures; the same number of each digit.

// Moves strokes from the unit square to their position in the picture.
std::vector<std::vector<Point>> OnPaper(std::vector<std::vector<Point>> strokes, Random& random) {
  const double height = random.Between(17, 23);
  const double left = random.Between(-1.5, 1.5) + (kSize - height) / 2;
  const double top = random.Between(-1.5, 1.5) + (kSize - height) / 2;
  for (std::vector<Point>& stroke : strokes) {
    for (Point& each : stroke) each = {left + height * each.x, top + height * each.y};
  }
  return strokes;
}

// Someone else's pen has slipped, or the paper was folded.
void Smudge(GreyPicture& picture, const Hand& hand, Random& random) {
  const Point from = {kSize * random.Uniform(), kSize * random.Uniform()};
  const Point to = {from.x + random.Between(-8, 8), from.y + random.Between(-8, 8)};
  picture.Draw({{from, to}}, 0.4, (hand.ink + hand.paper) / 2);
}

Image Drawn(int digit, const Hand& hand, Random random) {
  GreyPicture picture(kSize, kSize, hand.paper);
  if (random.Chance(0.15)) Smudge(picture, hand, random);
  const auto strokes = OnPaper(DrawStrokes(digit, hand, random), random);
  const double radius = hand.radius * random.Between(0.9, 1.1);
  picture.Draw(strokes, radius, hand.ink);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      picture.At(x, y) += hand.grain * random.Between(-1, 1);
    }
  }
  return picture.ToImage();
}

}  // namespace
}  // namespace digits

// Each writer has a folder of pictures. The table is written last: if it exists, so do all its
// pictures.
Result<int64_t> WriteDigitsExample(const fs::path& folder, const ExampleSize& size) {
  PT_TRY(example::MakeFolder(folder));
  Random random(static_cast<uint64_t>(size.seed));
  example::TableFile labels(folder / "digits.csv");
  labels.Line("picture,writer,digit");
  digits::Hand hand;
  const int64_t pictures = std::max<int64_t>(size.rows, 1);
  for (int64_t i = 0; i < pictures; ++i) {
    const int64_t writer = i / digits::kOfAWriter + 1;
    const std::string place = fmt::format("pictures/{:04}", writer);
    if (i % digits::kOfAWriter == 0) {
      PT_TRY(example::MakeFolder(folder / place));
      Random own(random.Next());
      hand = digits::DrawHand(own);
    }
    const int digit = static_cast<int>(i % 10);
    const std::string name = fmt::format("{}/{:06}.png", place, i + 1);
    example::TableFile picture(folder / name);
    PT_LET(const std::string png, EncodePng(digits::Drawn(digit, hand, Random(random.Next()))));
    picture.Add(png);
    PT_TRY(picture.Finish());
    labels.Line(fmt::format("{},{},{}", name, writer, digit));
  }
  PT_TRY(labels.Finish());
  return pictures;
}

}  // namespace protium
