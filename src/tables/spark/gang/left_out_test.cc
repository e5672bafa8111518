// SPDX-License-Identifier: Apache-2.0
#include "spark/gang/left_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace protium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LeftOutTest : public testing::Test {
 protected:
  static SeenRank At(const std::string& host, int64_t executor) {
    return {.host = host, .executor = executor};
  }
  void Dies(const std::string& host, int64_t executor, int second) {
    const Call call{.events = [this](const Json& event) { told_.push_back(event["message"]); }};
    left_out_.Died(At(host, executor), Second(second), call);
  }
  bool Holds(const std::string& host, int64_t executor, int second) const {
    return left_out_.Holds(At(host, executor), Second(second));
  }
  Clock::time_point Second(int second) const { return start_ + std::chrono::seconds(second); }

  const Clock::time_point start_ = Clock::now();
  LeftOut left_out_{GangSpec{.quarantine = 2, .probation = 100}};
  std::vector<std::string> told_;
};

TEST_F(LeftOutTest, AnExecutorDoesNotCostTheOthersTheirHost) {
  for (int second = 0; second < 4; ++second) Dies("h", 7, second);
  EXPECT_TRUE(Holds("h", 7, 5));
  EXPECT_FALSE(Holds("h", 8, 5));
  EXPECT_FALSE(Holds("g", 7, 5)) << "another host's process has the same number";
  EXPECT_EQ(told_.front(),
            "executor 7 on h is left out for 100 s (gang.probation): 2 workers died there "
            "(gang.quarantine)");
}

TEST_F(LeftOutTest, AHostWhoseExecutorsDieIsLeftOut) {
  Dies("h", 7, 0);
  Dies("h", 8, 1);
  EXPECT_TRUE(Holds("h", 9, 2));
  EXPECT_THAT(told_, ElementsAre("host h is left out for 100 s (gang.probation): 2 workers died "
                                 "there (gang.quarantine)"));
}

// On probation, the first death leaves it out again.
TEST_F(LeftOutTest, ComesBackOnProbation) {
  Dies("h", 7, 0);
  Dies("h", 7, 1);
  EXPECT_FALSE(Holds("h", 7, 102));
  Dies("h", 7, 103);
  EXPECT_TRUE(Holds("h", 7, 104));
}

TEST_F(LeftOutTest, IsNobodyWhereItIsNotWanted) {
  LeftOut never{GangSpec{.quarantine = 0}};
  for (int second = 0; second < 9; ++second) never.Died(At("h", 7), Second(second), {});
  EXPECT_FALSE(never.Holds(At("h", 7), Second(9)));
  EXPECT_THAT(told_, IsEmpty());
}

}  // namespace
}  // namespace protium
