// SPDX-License-Identifier: Apache-2.0
#include "pool/warm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;

TEST(WarmTargets, GiveTheCoresToWhatIsAskedForMost) {
  const Clock::time_point now{};
  WorkerDemand often, seldom, never;
  for (int i = 0; i < 3; ++i) often.Add(i + 1, now);
  seldom.Add(4, now);
  EXPECT_THAT(WarmTargets({&seldom, &often, &never}, 8), ElementsAre(4, 3, 0));
  EXPECT_THAT(WarmTargets({&seldom, &often, &never}, 4), ElementsAre(1, 3, 0));
  EXPECT_THAT(WarmTargets({&seldom, &often, &never}, 0), ElementsAre(0, 0, 0));
}

TEST(WarmTargets, ForgetWhatNobodyAskedForLately) {
  Clock::time_point now{};
  WorkerDemand demand;
  demand.Add(8, now);
  now += minutes(6);
  demand.Add(2, now);
  EXPECT_EQ(demand.most(), 8);
  now += minutes(5);
  demand.Look(now);
  EXPECT_EQ(demand.most(), 2);
  EXPECT_EQ(demand.requests(), 1);
  now += minutes(10);
  demand.Look(now);
  EXPECT_EQ(demand.most(), 0);
}

}  // namespace
}  // namespace protium
