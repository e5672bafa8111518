// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rank_signs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <thread>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class Signs : public testing::Test {
 protected:
  std::unique_ptr<RankSigns> Make(int32_t rank, int64_t task, std::stop_token stop = {}) {
    return std::make_unique<RankSigns>(RankSigns::Options{.folder = folder_.path(),
                                                          .rank = rank,
                                                          .world = 2,
                                                          .task = task,
                                                          .deadline = milliseconds(300),
                                                          .period = milliseconds(20)},
                                       std::move(stop));
  }
  static Deadline Soon() { return Clock::now() + milliseconds(10'000); }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Signs, RanksThatAreReadyMeet) {
  const auto one = Make(0, 7), other = Make(1, 8);
  std::jthread late([&] { EXPECT_TRUE(other->AwaitReady(Soon())); });
  EXPECT_TRUE(one->AwaitReady(Soon()));
  EXPECT_TRUE(one->silence().ok());
}

// It may take longer than the deadline to load what it needs.
TEST_F(Signs, ARankThatStartsSlowlyIsWaitedFor) {
  const auto one = Make(0, 7), other = Make(1, 8);
  EXPECT_FALSE(one->AwaitReady(Clock::now() + milliseconds(700)));
  EXPECT_TRUE(one->silence().ok());
  EXPECT_FALSE(one->over().stop_requested());
}

TEST_F(Signs, ARankThatFellSilentIsNamed) {
  auto other = Make(1, 8);
  const auto one = Make(0, 7);
  std::this_thread::sleep_for(milliseconds(100));
  other.reset();
  EXPECT_FALSE(one->AwaitReady(Soon()));
  const Fault fault = FaultOf(one->silence());
  EXPECT_EQ(fault.exit, Exit::kStalled);
  EXPECT_THAT(fault.what, HasSubstr("rank 1 has given no sign of life for 0.3 s"));
}

// Their files stay in the folder.
TEST_F(Signs, RanksOfAnEarlierTryAreNoneOfThese) {
  for (const char* name : {"sign-1-6", "here-1-6", "sign-9-8", "here-x-8", "here--8", "sign-"})
    ASSERT_TRUE(WriteFile(folder_.path() / name, "1").ok());
  const auto one = Make(0, 8);
  EXPECT_FALSE(one->AwaitReady(Clock::now() + milliseconds(700)));
  EXPECT_TRUE(one->silence().ok()) << one->silence();
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
