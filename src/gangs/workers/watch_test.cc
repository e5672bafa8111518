// SPDX-License-Identifier: Apache-2.0
#include "workers/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "workers/testing/fake_worker.h"
#include "workers/testing/test_tasks.h"
#include "workers/testing/virtual_time.h"

namespace protium {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Three members with a deadline of 20 s, in virtual time.
class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    for (int32_t rank = 0; rank < 3; ++rank) {
      MemberPlace place{.rank = rank, .seat = rank};
      members_.push_back(std::make_unique<Member>(spec_, place));
      all_.push_back(members_.back().get());
      watch_.Begin(*all_.back(), At(0));
    }
  }
  // A rank reports what it is doing at this second.
  void Says(int32_t rank, int second, const TaskSight& sight) {
    watch_.Heard(*all_[size_t(rank)], {.type = "beat", .head = {{"doing", FieldsToJson(sight)}}},
                 At(second));
  }
  void Speaks(int32_t rank, int second) {
    watch_.Heard(*all_[size_t(rank)], {.type = "taken"}, At(second));
  }
  std::vector<int32_t> Silent(int second) {
    std::vector<int32_t> ranks;
    for (const Member* each : watch_.Silent(all_, At(second))) ranks.push_back(each->rank());
    return ranks;
  }
  std::vector<std::string> Suspects(int second) {
    std::vector<std::string> texts;
    for (const RankFailure& each : watch_.Suspects(all_, all_, At(second))) {
      EXPECT_EQ(each.kind, RankFailure::Kind::kSilent);
      texts.push_back(std::to_string(each.rank) + " " + FaultOf(each.status).what);
    }
    return texts;
  }

  RunSpec spec_{.task = GangTask("facts", 3), .placement = Placement{}, .most = 3, .deadline = 20};
  std::vector<std::string> warnings_;
  const Call call_{.events = [this](const Json& event) {
    warnings_.push_back(event["message"].get<std::string>());
  }};
  Watch watch_{spec_, call_};
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<Member*> all_;
};

TEST_F(WatchTest, FindsThoseSilentForTheDeadline) {
  Speaks(1, 5);
  EXPECT_THAT(Silent(19), IsEmpty());
  EXPECT_THAT(Silent(20), ElementsAre(0, 2));
  EXPECT_THAT(Silent(25), ElementsAre(0, 1, 2));
  EXPECT_EQ(FaultOf(watch_.Silence(*all_[1], At(25)).status).what, "was silent for 20.0 seconds");
}

TEST_F(WatchTest, CountsTheSilenceOfANewProcessFromItsStart) {
  watch_.Begin(*all_[0], At(15));
  EXPECT_THAT(Silent(20), ElementsAre(1, 2));
}

TEST_F(WatchTest, CountsTheSilenceOfANewMemberFromWhenItIsFirstSeen) {
  Member late(spec_, {.rank = 3});
  all_.push_back(&late);
  EXPECT_THAT(Silent(30), ElementsAre(0, 1, 2));
  EXPECT_THAT(Silent(50), ElementsAre(0, 1, 2, 3));
}

// A wait that has gone on for a tenth of the deadline is reported once.
TEST_F(WatchTest, WarnsOfWhomTheOthersWaitForAndAsksItWhereItIs) {
  FakeWorker worker;
  const auto process = worker.Take();
  members_[1]->link = process->link;
  for (int second = 1; second <= 3; ++second) {
    for (const int32_t rank : {0, 2}) {
      Says(rank, second, {.call = "reduce", .calls = 7, .seconds = double(second)});
    }
    Says(1, second, {.phase = "forward", .seconds = double(second)});
    watch_.Warn(all_, At(second));
  }
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_EQ(warnings_[0],
            "rank 1 has kept ranks 0, 2 waiting for 2.0 s (2.0 s in forward); after 20 s "
            "(gang.deadline) it counts as dead");
  EXPECT_THAT(worker.Received(), ElementsAre("where"));
}

TEST_F(WatchTest, WarnsOfAQuietWorkerWhereThereIsNoGang) {
  spec_.placement.reset();
  Speaks(1, 3);
  Speaks(2, 3);
  watch_.Warn(all_, At(1));
  EXPECT_THAT(warnings_, IsEmpty());
  for (const int second : {3, 4}) watch_.Warn(all_, At(second));
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0], HasSubstr("worker 0 of task \"facts\" has given no sign of life for "
                                      "3.0 s (its process is stopped or gets no CPU time)"));
}

TEST_F(WatchTest, SuspectsWhoMissedItsBeats) {
  for (const int32_t rank : {0, 2}) Speaks(rank, 15);
  Says(1, 10, {.phase = "forward", .seconds = 10});
  EXPECT_THAT(Suspects(15), ElementsAre("1 was silent for 5.0 seconds"));
}

TEST_F(WatchTest, SuspectsWhoIsBusyWhereNobodyIsSilent) {
  for (const int32_t rank : {0, 2}) Says(rank, 15, {.call = "reduce", .seconds = 14});
  Says(1, 15, {.phase = "forward", .seconds = 14});
  EXPECT_THAT(Suspects(15),
              ElementsAre("1 kept the others waiting for 20 seconds (14.0 s in forward)"));
}

// A rank that has come to its call a moment ago, or is busy for less than half the deadline, is
// only slow.
TEST_F(WatchTest, SuspectsNobodyWithoutReason) {
  Says(0, 15, {.call = "reduce", .seconds = 14});
  Says(1, 15, {.phase = "forward", .seconds = 9});
  Says(2, 15, {.call = "reduce", .seconds = 0});
  EXPECT_THAT(Suspects(15), IsEmpty());
}

}  // namespace
}  // namespace protium
