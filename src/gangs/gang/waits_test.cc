// SPDX-License-Identifier: Apache-2.0
#include "gang/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

// With a deadline of 20 s the user is notified after 2 s.
class Waits : public testing::Test {
 protected:
  Waits() {
    for (RankSight& each : sights_) each.Begin(start_);
  }
  // A rank reports what it is doing at this second.
  void Says(int32_t rank, int second, const TaskSight& sight) {
    sights_[size_t(rank)].OnBeat({{"doing", FieldsToJson(sight)}}, start_ + seconds(second));
  }
  std::vector<LateRank> Late(int second) {
    std::vector<WatchedRank> ranks;
    for (int32_t i = 0; i < 3; ++i) ranks.push_back({i, &sights_[size_t(i)]});
    return FindLate(ranks, terms_, start_ + seconds(second));
  }

  const Clock::time_point start_ = Clock::now();
  const WaitTerms terms_{.deadline = 20, .beat = seconds(1), .silent_after = seconds(4)};
  std::array<RankSight, 3> sights_;
};

TEST_F(Waits, NameTheRankThatTheOthersWaitForAndWhatItDoes) {
  for (int second = 1; second < 4; ++second) {
    for (const int32_t rank : {0, 2}) {
      Says(rank, second, {.call = "reduce", .calls = 7, .seconds = double(second)});
    }
    Says(1, second, {.phase = "forward", .calls = 6, .seconds = double(second)});
  }
  const auto late = Late(3);
  ASSERT_THAT(late, SizeIs(1));
  EXPECT_EQ(LateWarning(late[0], "rank 1", sights_[1].AtWhat(start_ + seconds(3)), terms_).message,
            "rank 1 has kept ranks 0, 2 waiting for 3.0 s (3.0 s in forward); after 20 s "
            "(gang.deadline) it counts as dead");
  EXPECT_THAT(Late(3), IsEmpty()) << "told once in a deadline";
}

TEST_F(Waits, NameARankThatFellSilentInACall) {
  Says(1, 1, {.call = "reduce", .seconds = 0.5});
  for (const int32_t rank : {0, 2}) Says(rank, 7, {.call = "reduce", .seconds = 6.5});
  const auto late = Late(8);
  ASSERT_THAT(late, SizeIs(1));
  EXPECT_EQ(late[0].late.rank, 1);
  EXPECT_EQ(late[0].waiting, "ranks 0, 2");
}

TEST_F(Waits, AreNobodysWhereAllWorkOrTheDriverIsWaitedFor) {
  for (int32_t rank = 0; rank < 3; ++rank) Says(rank, 9, {.phase = "forward", .seconds = 9});
  EXPECT_THAT(Late(10), IsEmpty());
  for (int32_t rank = 0; rank < 3; ++rank) Says(rank, 19, {.call = kForInput, .seconds = 9});
  EXPECT_THAT(Late(20), IsEmpty());
}

TEST_F(Waits, AreOverWithTheNextPhase) {
  for (const int32_t rank : {0, 2}) Says(rank, 9, {.call = "reduce", .seconds = 9});
  Says(1, 9, {.phase = "forward", .seconds = 9});
  Says(1, 10, {.phase = "backward", .seconds = 0.1});
  EXPECT_THAT(Late(10), IsEmpty());
  EXPECT_EQ(sights_[1].AtWhat(start_ + milliseconds(10'500)), "0.6 s in backward");
}

}  // namespace
}  // namespace protium
