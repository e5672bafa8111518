// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/digest.h"
#include "examples/digit_shapes.h"
#include "examples/example.h"
#include "image/decode.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class DigitsExample : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("protium-digits-{}", getpid());
  void TearDown() override { fs::remove_all(folder_); }

  std::string Text(const fs::path& name) { return ReadTextFile(folder_ / name).ValueOrDie(); }
  std::string Write(int64_t rows, int64_t seed) {
    EXPECT_TRUE(WriteDigitsExample(folder_, {.rows = rows, .seed = seed}).ok());
    std::string digests = Sha256Hex(Text("digits.csv"));
    for (const char* picture : {"0001/000001.png", "0001/000050.png", "0002/000051.png"}) {
      digests += Sha256Hex(Text(fs::path("pictures") / picture));
    }
    return digests;
  }
};

TEST_F(DigitsExample, IsTheSameForTheSameSeedOnly) {
  const std::string first = Write(60, 1);
  EXPECT_EQ(Write(60, 1), first);
  EXPECT_NE(Write(60, 2), first);
}

// The bytes of seed 1, so that a change of compiler or machine that moves them is noticed.
TEST_F(DigitsExample, HasKnownBytes) {
  EXPECT_EQ(Sha256Hex(Write(60, 1)).substr(0, 16), "575e3eb62a425d33");
}

// Somebody else's decoder reads them, and finds dark strokes on light paper.
TEST_F(DigitsExample, HasPicturesThatItsTableNames) {
  Write(60, 3);
  std::istringstream table(Text("digits.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "picture,writer,digit");
  int rows = 0;
  while (std::getline(table, line)) {
    const std::string path = line.substr(0, line.find(','));
    EXPECT_EQ(line.substr(path.size()), fmt::format(",{},{}", rows / 50 + 1, rows % 10));
    const std::string bytes = Text(path);
    const auto image =
        DecodeImage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, 1);
    ASSERT_TRUE(image.ok()) << path << image.status();
    ASSERT_EQ(image->height * image->width, 28 * 28);
    const auto [dark, light] = std::ranges::minmax(image->pixels);
    EXPECT_LT(dark + 60, light) << path;
    ++rows;
  }
  EXPECT_EQ(rows, 60);
}

TEST(DigitShapes, StayCloseToTheirSquareAndDifferBetweenHands) {
  Random random(5);
  for (int digit = 0; digit < 10; ++digit) {
    const auto strokes = digits::DrawStrokes(digit, digits::DrawHand(random), random);
    ASSERT_FALSE(strokes.empty()) << digit;
    for (const auto& stroke : strokes) {
      EXPECT_GE(stroke.size(), 2u);
      for (const example::Point& each : stroke) {
        EXPECT_NEAR(each.x, 0.5, 0.9) << digit;
        EXPECT_NEAR(each.y, 0.5, 0.9) << digit;
      }
    }
  }
  digits::Hand hand;
  const auto plain = digits::DrawStrokes(7, hand, random);
  hand.other_way[7] = true;
  EXPECT_EQ(digits::DrawStrokes(7, hand, random).size(), plain.size() + 1);  // The bar of a 7.
}

}  // namespace protium
