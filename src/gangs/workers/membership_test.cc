// SPDX-License-Identifier: Apache-2.0
// Elastic gangs whose workers have no processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/fault.h"
#include "os/temporary_folder.h"
#include "workers/run_membership.h"
#include "workers/testing/fake_worker.h"
#include "workers/testing/test_tasks.h"
#include "workers/testing/virtual_time.h"

namespace protium {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Two members on seats "a" and "b", each with a GPU; one is enough.
class RunMembershipTest : public testing::Test {
 protected:
  RunMembershipTest() {
    spec_.task.gang->workers = {1, 2};
    for (int32_t rank = 0; rank < 2; ++rank) {
      (void)Hire({.rank = rank, .seat = rank, .at = spec_.placement->seats[size_t(rank)]});
    }
    membership_.emplace(RunMembership::Run{spec_, call_, members_, watch_, ending_},
                        [this](MemberPlace place) { return Hire(std::move(place)); });
  }
  Result<Member*> Hire(MemberPlace place) {
    return members_.Add([&] { return StartMember(spec_, place, workers_[place.rank].Take(), {}); });
  }
  static Seat SeatOf(const std::string& gpu) { return {.host = "here", .gpus = {{"gpu", gpu}}}; }
  void Says(int32_t rank, const std::string& type, Json head = Json::object()) {
    membership_->Heard(*members_.Find(rank), {.type = type, .head = std::move(head)});
  }
  // All rows are shared: from now on the gang is elastic.
  void Share() {
    for (const int32_t rank : {0, 1}) Says(rank, "share");
  }
  void Die(int32_t rank) {
    Member& member = *members_.Find(rank);
    member.done = true;
    membership_->Lost(member.Failure(RankFailure::Kind::kEnded,
                                     Fail({.exit = Exit::kFailed, .what = "was killed"}), At(0)));
  }
  std::vector<std::string> Received(int32_t rank) { return workers_[rank].Received(); }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::vector<std::string> free_;  // GPUs that are available.
  std::vector<std::string> back_;  // GPUs that were given back.
  bool quarantined_ = false;
  RunSpec spec_{
      .task = GangTask("bend", 2),
      .placement = Placement{.seats = {SeatOf("a"), SeatOf("b")}},
      .take_seat = [this]() -> Result<std::optional<Seat>> {
        if (free_.empty()) return std::nullopt;
        const Seat seat = SeatOf(free_.back());
        free_.pop_back();
        return seat;
      },
      .give_back_seat = [this](const Seat& seat) { back_.push_back(seat.gpus[0].address); },
      .died = [this](const Seat&) { return quarantined_; },
      .most = 2,
      .bends = RosterLimits{.min = 1, .max = 2, .patience = seconds(100)},
      .wish = folder_.path() / "wanted",
      .input = NumberSchema()};
  std::vector<Json> events_;
  const Call call_{.events = [this](const Json& event) { events_.push_back(event); }};
  std::map<int32_t, FakeWorker> workers_;
  Members members_;
  Watch watch_{spec_, call_};
  Ending ending_{spec_, call_};
  std::optional<RunMembership> membership_;
};

TEST_F(RunMembershipTest, SendsThePartsOnceAllHaveSharedThem) {
  Says(0, "share");
  EXPECT_THAT(Received(0), ElementsAre("task"));
  Says(1, "share");
  EXPECT_THAT(Received(0), ElementsAre("parts"));
  EXPECT_THAT(Received(1), ElementsAre("task", "parts"));
}

TEST_F(RunMembershipTest, FailsWithADeathBeforeAllHaveShared) {
  Die(1);
  ASSERT_THAT(ending_.failures(), SizeIs(1));
  EXPECT_EQ(members_.count(), 2);
}

TEST_F(RunMembershipTest, StartsANewcomerOnTheSeatOfTheDead) {
  Share();
  Die(1);
  EXPECT_THAT(ending_.failures(), IsEmpty());
  const Member* const newcomer = members_.Find(2);
  ASSERT_NE(newcomer, nullptr);
  EXPECT_TRUE(newcomer->place.newcomer);
  EXPECT_EQ(newcomer->place.seat, 1);
  EXPECT_THAT(Received(2), ElementsAre("task", "end", "parts"));
  EXPECT_THAT(Received(0), ElementsAre("task", "parts", "call"));
  EXPECT_FALSE(membership_->IsIn(*newcomer)) << "nobody waits for it yet";
  EXPECT_FALSE(membership_->HasEntered(*newcomer));
  Says(0, "entered", {{"generation", 1}, {"step", 10}});
  Says(2, "prepared");
  EXPECT_THAT(Received(2), ElementsAre("call"));
  EXPECT_TRUE(membership_->IsIn(*newcomer));
}

TEST_F(RunMembershipTest, GivesBackASeatInQuarantineAndTakesAnother) {
  quarantined_ = true;
  free_ = {"c"};
  Share();
  Die(1);
  EXPECT_THAT(back_, ElementsAre("b"));
  EXPECT_EQ(members_.Find(2)->place.at->gpus[0].address, "c");
}

TEST_F(RunMembershipTest, StartsANewcomerOnceThereIsASeatForIt) {
  quarantined_ = true;
  Share();
  Die(1);
  EXPECT_THAT(back_, ElementsAre("b"));
  membership_->Look(At(0));
  EXPECT_EQ(members_.Find(2), nullptr);
  free_ = {"c"};
  membership_->Look(At(0));
  EXPECT_EQ(members_.Find(2), nullptr) << "it asks now and then only";
  membership_->Look(At(1));
  ASSERT_NE(members_.Find(2), nullptr);
  EXPECT_EQ(members_.Find(2)->place.at->gpus[0].address, "c");
}

TEST_F(RunMembershipTest, KeepsTheSeatInQuarantineThatItCannotDoWithout) {
  spec_.bends->min = 2;
  membership_.emplace(RunMembership::Run{spec_, call_, members_, watch_, ending_},
                      [this](MemberPlace place) { return Hire(std::move(place)); });
  quarantined_ = true;
  Share();
  Die(1);
  EXPECT_THAT(back_, IsEmpty());
  EXPECT_EQ(members_.Find(2)->place.seat, 1);
}

TEST_F(RunMembershipTest, GivesBackTheSeatOfAMemberThatIsNotWanted) {
  Share();
  std::ofstream(spec_.wish) << "1";
  membership_->Look(At(0));
  EXPECT_THAT(Received(1), ElementsAre("task", "parts", "call"));
  EXPECT_THAT(back_, IsEmpty()) << "it is still at work";
  members_.Find(1)->done = true;  // It has left; the gang of one goes on.
  Says(0, "entered", {{"generation", 1}, {"step", 10}});
  membership_->Look(At(1));
  EXPECT_THAT(back_, ElementsAre("b"));
  EXPECT_EQ(members_.Find(1)->worker, nullptr);
}

TEST_F(RunMembershipTest, EndsWhoIsNotNeededOnceAMemberIsDone) {
  Share();
  Die(1);
  members_.Find(0)->done = true;
  membership_->Finished(*members_.Find(0));
  EXPECT_TRUE(members_.AllDone()) << "the newcomer has never come in";
  EXPECT_THAT(ending_.failures(), IsEmpty());
}

TEST_F(RunMembershipTest, GivesUpWhenNobodyIsLeft) {
  Share();
  Die(1);
  Die(0);
  EXPECT_THAT(ending_.failures(), SizeIs(2));
  EXPECT_LE(ending_.due(), Clock::now());
}

}  // namespace
}  // namespace protium
