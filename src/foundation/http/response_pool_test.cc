// SPDX-License-Identifier: Apache-2.0
#include "http/response_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace protium {
namespace {

TEST(ResponsePool, RefusesMoreThanMayWait) {
  std::promise<void> go;
  std::atomic<int> done = 0;
  ResponsePool pool({.threads = 1, .waiting = 2, .bytes = 10});
  std::promise<void> begun;
  ASSERT_TRUE(pool.Add(0, [&] {
    begun.set_value();
    go.get_future().wait();
    done += 1;
  }));
  begun.get_future().wait();
  EXPECT_TRUE(pool.Add(0, [&] { done += 1; }));
  std::promise<void> last;
  EXPECT_TRUE(pool.Add(0, [&] { last.set_value(); }));
  EXPECT_FALSE(pool.Add(0, [&] { done += 100; }));
  go.set_value();
  last.get_future().wait();
  EXPECT_EQ(done, 2);
}

TEST(ResponsePool, SmallRequestsPassLargeOnesThatDoNotFitYet) {
  std::promise<void> go, begun, large, small;
  auto large_done = large.get_future(), small_done = small.get_future();
  ResponsePool pool({.threads = 3, .waiting = 9, .bytes = 10});
  ASSERT_TRUE(pool.Add(8, [&] {
    begun.set_value();
    go.get_future().wait();
  }));
  begun.get_future().wait();
  ASSERT_TRUE(pool.Add(100, [&] { large.set_value(); }));
  ASSERT_TRUE(pool.Add(2, [&] { small.set_value(); }));
  small_done.wait();
  EXPECT_EQ(large_done.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  go.set_value();
  large_done.wait();
}

TEST(ResponsePool, DropsWhatWaitsAtItsEnd) {
  std::promise<void> begun;
  std::atomic<int> done = 0;
  std::promise<void> go;
  std::jthread later;
  {
    ResponsePool pool({.threads = 1, .waiting = 2, .bytes = 10});
    ASSERT_TRUE(pool.Add(0, [&] {
      begun.set_value();
      go.get_future().wait();
      done += 1;
    }));
    begun.get_future().wait();
    ASSERT_TRUE(pool.Add(20, [&] { done += 100; }));
    later = std::jthread([&] { go.set_value(); });
  }
  EXPECT_EQ(done % 100, 1);
}

}  // namespace
}  // namespace protium
