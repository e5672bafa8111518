// SPDX-License-Identifier: Apache-2.0
#include "inspect/leaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "inspect/first_source.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::Pair;

// 50 of 200 patients died. "cause" exists for them only, "ward" is theirs with one exception, "age"
// and "sex" reveal nothing; "pounds" is "kilos" in another unit.
class LeaksTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string text = "sex,ward,cause,age,died,kilos,pounds\n";
    for (int i = 0; i < 200; ++i) {
      const bool died = i % 4 == 0;
      text += i % 3 == 0 ? "f," : "m,";
      text += died || i == 1 ? "west," : "east,";
      text += died ? std::to_string(i) + " weeks," : std::string(",");
      text += std::to_string(20 + i * 7 % 60) + "," + (died ? "1," : "0,");
      text += std::to_string(50 + i) + "," + std::to_string(2 * (50 + i)) + ".5\n";
    }
    place_ = folder_.path() / "t.csv";
    ASSERT_TRUE(WriteFile(place_, text).ok());
  }
  Leaks Find(const std::string& label, bool classes) {
    const FirstLook look = LookAt(place_, {}, 0).ValueOrDie();
    const FirstSource source = FindSource({{"t", place_}, look}, {}, label).ValueOrDie();
    return FindLeaksIn(source, label, classes).ValueOrDie();
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path place_;
};

TEST_F(LeaksTest, TellClassesByTheirValuesOrByBeingThere) {
  EXPECT_THAT(
      Find("died", true),
      ElementsAre(
          Pair("cause", "gives died away in every row, by being there or not: target leakage?"),
          Pair("ward", "gives died away in all but 1 of 200 rows: target leakage?")));
}

TEST_F(LeaksTest, TellNumbersByALine) {
  EXPECT_THAT(Find("kilos", false),
              ElementsAre(Pair("pounds", "is kilos times a number, plus another")));
  EXPECT_THAT(Find("age", false), ElementsAre());
}

}  // namespace
}  // namespace protium
