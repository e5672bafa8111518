// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rank_signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds kDeadline{300};

class Signs : public testing::Test {
 protected:
  SeenSigns::Options Of(int32_t rank, int64_t task) const {
    return {
        .folder = folder_.path(), .rank = rank, .world = 2, .task = task, .deadline = kDeadline};
  }
  std::unique_ptr<RankSigns> Make(int32_t rank, int64_t task, std::stop_token stop = {}) {
    return std::make_unique<RankSigns>(Of(rank, task), std::move(stop), milliseconds(20));
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFile(folder_.path() / name, text).ok());
  }
  static Deadline Soon() { return Clock::now() + std::chrono::seconds(10); }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const Deadline begin_ = Clock::now();
};

TEST_F(Signs, ARankWhoseSignStaysAsItIsForTheDeadlineIsSilent) {
  SeenSigns seen(Of(0, 7));
  EXPECT_EQ(seen.FindSilent(begin_), std::nullopt);
  Write("sign-1-8", "1");
  const Deadline first = begin_ + std::chrono::hours(1);  // It may start as slowly as it likes.
  EXPECT_EQ(seen.FindSilent(first), std::nullopt);
  EXPECT_EQ(seen.FindSilent(first + kDeadline - milliseconds(1)), std::nullopt);
  Write("sign-1-8", "2");
  EXPECT_EQ(seen.FindSilent(first + kDeadline), std::nullopt);
  EXPECT_EQ(seen.FindSilent(first + 2 * kDeadline), 1);
}

// Files of earlier tries stay in the folder.
TEST_F(Signs, RanksOfAnEarlierTryAreNoneOfThese) {
  for (const char* name : {"sign-1-6", "here-1-6", "sign-9-8", "here-x-8", "here--8", "sign-"})
    Write(name, "1");
  SeenSigns seen(Of(0, 8));
  for (const int hours : {0, 1, 2})
    EXPECT_EQ(seen.FindSilent(begin_ + std::chrono::hours(hours)), std::nullopt);
  EXPECT_EQ(seen.CountReady(), 0);
  Write("here-1-7", "");
  EXPECT_EQ(seen.CountReady(), 1);
}

TEST_F(Signs, RanksThatAreReadyMeet) {
  const auto one = Make(0, 7), other = Make(1, 8);
  std::jthread late([&] { EXPECT_TRUE(other->AwaitReady(Soon())); });
  EXPECT_TRUE(one->AwaitReady(Soon()));
  EXPECT_TRUE(one->silence().ok());
}

TEST_F(Signs, ARankGoesOnChangingItsOwn) {
  const auto other = Make(1, 8);
  const auto changed = [&] {
    return std::atoi(ReadFile(folder_.path() / "sign-1-8").ValueOr("").c_str()) >= 3;
  };
  for (const Deadline latest = Soon(); !changed() && Clock::now() < latest;)
    std::this_thread::yield();
  EXPECT_TRUE(changed());
}

TEST_F(Signs, ARankThatFellSilentIsNamed) {
  Write("sign-1-8", "1");
  const auto one = Make(0, 7);
  EXPECT_FALSE(one->AwaitReady(Soon()));
  const Fault fault = FaultOf(one->silence());
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 has given no sign of life for 0.3 s"));
}

TEST_F(Signs, AStopEndsTheWait) {
  std::stop_source stop;
  const auto one = Make(0, 7, stop.get_token());
  stop.request_stop();
  EXPECT_FALSE(one->AwaitReady(Soon()));
  EXPECT_TRUE(one->silence().ok());
}

}  // namespace
}  // namespace protium
