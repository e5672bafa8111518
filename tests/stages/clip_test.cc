// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions ClipTo(Json more) {
  Json options = {{"id", "c"}, {"inputs", {"x"}}};
  options.update(more);
  return {"clip", options};
}

class Clip : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({ClipTo(options)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)),
                {"x"});
  }
};

TEST_F(Clip, KeepsNumbersBetweenItsEnds) {
  EXPECT_EQ(Of({{"low", 0}, {"high", 1}}, "-0.5\n0.25\n1.0\n1.5\n"), "x__c: 0 0.25 1 1");
  EXPECT_EQ(Of({{"low", 0}}, "-5\n7\n"), "x__c: 0 7");
  EXPECT_EQ(Of({{"high", 0}}, "-5\n7\n"), "x__c: -5 0");
}

TEST_F(Clip, LeavesNanNullAndTheSignOfZero) {
  EXPECT_EQ(Of({{"low", 0}, {"high", 1}}, "NaN\n-\n-0.0\nInf\n-Inf\n"), "x__c: nan null -0 1 0");
}

TEST_F(Clip, ScoresTheSameFromASavedModel) {
  const StageOptions stage = ClipTo({{"low", 0.5}});
  EXPECT_EQ(SavedAndLoaded({stage}, "x\n1\n", "x\n0\n3\n"), "x: 0 3; x__c: 0.5 3");
}

TEST_F(Clip, WantsAnEnd) {
  EXPECT_EQ(FaultOfFitting({ClipTo(Json::object())}, "x\n1\n").what, "neither low nor high is set");
  EXPECT_EQ(FaultOfFitting({ClipTo({{"low", 2}, {"high", 1}})}, "x\n1\n").what,
            "low = 2 is above high = 1");
  EXPECT_THAT(FaultOfFitting({ClipTo({{"low", 2}})}, "x\na\n").what, HasSubstr("not numbers"));
}

}  // namespace
}  // namespace protium
