// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

class Binarizer : public StageTest {
 protected:
  std::string Of(double threshold, const std::string& cells) {
    const StageOptions stage = {"binarizer",
                                {{"id", "b"}, {"inputs", {"x"}}, {"threshold", threshold}}};
    return Text(Fitted({stage}, Table("x\n" + cells)).Transform(Table("x\n" + cells)), {"x"});
  }
};

// The results of Spark 4.2.1's Binarizer for these.
TEST_F(Binarizer, IsSparks) {
  const std::string cells = "0.1\n0.5\n0.8\nNaN\nInf\n-Inf\n-0.0\n-\n";
  EXPECT_EQ(Of(0.5, cells), "x__b: 0 0 1 0 1 0 0 0");
  EXPECT_EQ(Of(0, cells), "x__b: 1 1 1 0 1 0 0 0");
}

TEST_F(Binarizer, TakesWholeNumbersAsDoubles) {
  EXPECT_EQ(Of(9007199254740992, "9007199254740992\n9007199254740994\n"), "x__b: 0 1");
}

TEST_F(Binarizer, ScoresTheSameFromASavedModel) {
  const StageOptions stage = {"binarizer", {{"id", "b"}, {"inputs", {"x"}}, {"threshold", 2}}};
  EXPECT_EQ(SavedAndLoaded({stage}, "x\n1\n", "x\n2\n3\n"), "x: 2 3; x__b: 0 1");
  EXPECT_THAT(FaultOfDamage("[1]", {stage}, "x\n1\n"), testing::HasSubstr("learns nothing"));
}

}  // namespace
}  // namespace protium
