// SPDX-License-Identifier: Apache-2.0
#include "page/curve.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(CurveOfARun, ThinnedKeepsEndsAndPeaks) {
  Curve curve;
  for (int i = 0; i < 50'000; ++i) curve.Add(i, i == 31'234 ? 99.0 : 1.0);
  const Json thinned = curve.Thinned(2000);
  EXPECT_LE(thinned["x"].size(), 2000u);
  EXPECT_EQ(thinned["x"].front(), 0.0);
  EXPECT_EQ(thinned["x"].back(), 49'999.0);
  EXPECT_EQ(thinned["of"], 50'000);
  const auto peak = std::find(thinned["y"].begin(), thinned["y"].end(), Json(99.0));
  ASSERT_NE(peak, thinned["y"].end());
  EXPECT_EQ(thinned["x"][size_t(peak - thinned["y"].begin())], 31'234.0);
}

TEST(CurveOfARun, GoingBackReplacesWhatWasThere) {
  Curve curve;
  for (const int x : {1, 2, 3, 4}) curve.Add(x, 10);
  curve.Add(3, 7);
  const Json points = curve.Thinned(100);
  EXPECT_EQ(points["x"], Json({1.0, 2.0, 3.0}));
  EXPECT_EQ(points["y"], Json({10.0, 10.0, 7.0}));
}

TEST(CurveOfARun, NeverHoldsMoreThanItsMemory) {
  Curve curve;
  for (int i = 0; i < 1'000'000; ++i) curve.Add(i, i);
  const Json all = curve.Thinned(1 << 20);
  EXPECT_LE(all["x"].size(), 65'536u);
  EXPECT_GE(all["x"].size(), 30'000u);
  EXPECT_TRUE(std::is_sorted(all["x"].begin(), all["x"].end()));
}

TEST(CurveOfARun, AValueThatIsNoNumberIsAGap) {
  Curve curve;
  curve.Add(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(curve.Thinned(10)["y"][0].is_null());
}

}  // namespace
}  // namespace protium
