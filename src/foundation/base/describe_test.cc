// SPDX-License-Identifier: Apache-2.0
#include "base/describe.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

enum class Side { kLeft, kRight };
EnumNames<Side> Names(Side) { return {{{Side::kLeft, "left"}, {Side::kRight, "right"}}}; }

struct Wheel {
  int32_t spokes = 8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("spokes", spokes, {.help = "how many", .at_least = 1});
  }
};

struct Cart {
  double load = 0.5;
  std::optional<double> limit;
  std::vector<int32_t> sizes = {3};
  Side side = Side::kLeft;
  Wheel wheel;
  bool plain = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("load", load, {.help = "share", .unit = "tons", .above = 0, .below = 1});
    visit("limit", limit, {.at_least = 1});
    visit("sizes", sizes, {.at_least = 2, .items = "sizes"});
    visit("side", side);
    visit("wheel", wheel, {.decides_weights = false});
    visit("plain", plain);
  }
};

TEST(Describe, TellsNamesTypesRangesAndDefaults) {
  const auto described = Describe<Cart>();
  ASSERT_EQ(described.size(), 6u);
  const Json json = DescribedToJson(described);
  EXPECT_EQ(Dump(json[0]), R"({"name":"load","type":"number","default":0.5,"help":"share",)"
                           R"("unit":"tons","above":0,"below":1})");
  EXPECT_FALSE(json[1].contains("default"));
  EXPECT_EQ(json[2]["type"], "list of whole numbers");
  EXPECT_EQ(json[3]["choices"], Json({"left", "right"}));
  EXPECT_EQ(json[4]["fields"][0]["default"], 8);
  EXPECT_EQ(json[5]["type"], "true or false");
}

TEST(Describe, FlattensTables) {
  const auto flat = Flattened(Describe<Cart>());
  ASSERT_EQ(flat.size(), 6u);
  EXPECT_EQ(flat[4].name, "wheel.spokes");
}

TEST(Field, NamesItsRange) {
  EXPECT_EQ(RangeText({}), "");
  EXPECT_EQ(RangeText({.at_least = 0, .below = 1}), "at least 0 and below 1");
  EXPECT_EQ(RangeText({.above = 0, .at_most = 1}), "above 0 and at most 1");
  EXPECT_TRUE(InRange({.at_most = 1}, 1));
  EXPECT_FALSE(InRange({.at_most = 1}, 1.5));
  EXPECT_EQ(RangeText({.above = 0.5, .items = "weights"}), "weights above 0.5");
}

}  // namespace
}  // namespace protium
