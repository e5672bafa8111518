// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/task_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "os/file.h"
#include "os/socket.h"

namespace protium {
namespace {

using namespace std::chrono_literals;

class TaskWatchTest : public testing::Test {
 protected:
  TaskWatchTest() {
    auto [worker, executor] = SocketPair().ValueOrDie();
    worker_ = std::move(worker);
    executor_ = std::move(executor);
  }
  WatchOptions Options() {
    return {.socket = worker_.get(), .on_stop = [this] {
              ++stops_;
              stopped_.release();
            }};
  }
  bool Stops() { return stopped_.try_acquire_for(20s); }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  UniqueFd worker_, executor_;
  std::atomic<int> stops_ = 0;
  std::counting_semaphore<> stopped_{0};
};

TEST_F(TaskWatchTest, StopsOnceForTheDriversFile) {
  WatchOptions options = Options();
  options.stop_file = folder_.path() / "stop";
  std::stop_source signals;
  options.signals = signals.get_token();
  const auto watch = TaskWatch::Start(std::move(options)).ValueOrDie();
  EXPECT_EQ(stops_, 0);
  ASSERT_TRUE(WriteFile(folder_.path() / "stop", "").ok());
  EXPECT_TRUE(Stops());
  signals.request_stop();
  executor_.reset();
  EXPECT_FALSE(stopped_.try_acquire_for(300ms));
}

TEST_F(TaskWatchTest, StopsWhenTheExecutorIsGone) {
  const auto watch = TaskWatch::Start(Options()).ValueOrDie();
  executor_.reset();
  EXPECT_TRUE(Stops());
}

TEST_F(TaskWatchTest, StopsForADriverWithoutASignOfLife) {
  const auto sign = folder_.path() / "driver";
  ASSERT_TRUE(WriteFile(sign, "1").ok());
  WatchOptions options = Options();
  options.driver_file = sign;
  options.driver_time = 100ms;
  const auto watch = TaskWatch::Start(std::move(options)).ValueOrDie();
  EXPECT_TRUE(Stops());
}

TEST_F(TaskWatchTest, DoesNotMissADriverThatNeverGaveASign) {
  WatchOptions options = Options();
  options.driver_file = folder_.path() / "driver";
  options.driver_time = 1ms;
  const auto watch = TaskWatch::Start(std::move(options)).ValueOrDie();
  EXPECT_FALSE(stopped_.try_acquire_for(300ms));
}

// A task that does not look at its stop token.
void GoOnForNobody() {
  auto pair = SocketPair().ValueOrDie();
  WatchOptions options{.socket = pair.first.get(), .on_stop = [] {}};
  options.gone_time = 50ms;
  const auto watch = TaskWatch::Start(std::move(options)).ValueOrDie();
  pair.second.reset();
  std::binary_semaphore never(0);
  (void)never.try_acquire_for(60s);
}

TEST(TaskWatchDeathTest, EndsAProcessWhoseTaskGoesOnForNobody) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(GoOnForNobody(), testing::ExitedWithCode(1), "the task does not end");
}

}  // namespace
}  // namespace protium
