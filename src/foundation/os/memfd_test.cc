// SPDX-License-Identifier: Apache-2.0
#include "os/memfd.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/fault.h"
#include "os/futex.h"

namespace protium {
namespace {

TEST(Memfd, IsSeenThroughEveryMapping) {
  const Memfd memory = Memfd::Make("test", PageBytes()).ValueOrDie();
  const Mapping first = memory.Map().ValueOrDie();
  const Mapping second = memory.Map().ValueOrDie();
  first.data()[7] = std::byte{42};
  EXPECT_EQ(second.data()[7], std::byte{42});
}

TEST(Memfd, GrowsAndKeepsWhatWasWritten) {
  Memfd memory = Memfd::Make("test", 100).ValueOrDie();
  memory.Map().ValueOrDie().data()[99] = std::byte{1};
  ASSERT_TRUE(memory.Grow(10000).ok());
  const Mapping grown = memory.Map().ValueOrDie();
  EXPECT_EQ(grown.size(), 10000);
  EXPECT_EQ(grown.data()[99], std::byte{1});
  EXPECT_EQ(grown.data()[9999], std::byte{0});
}

TEST(Memfd, ReleasedPagesReadAsZero) {
  const Memfd memory = Memfd::Make("test", 3 * PageBytes()).ValueOrDie();
  Mapping map = memory.Map().ValueOrDie();
  for (std::byte& each : map.bytes()) each = std::byte{9};
  map.Release(1, 3 * PageBytes() - 1);
  EXPECT_EQ(map.data()[PageBytes() - 1], std::byte{9});
  EXPECT_EQ(map.data()[PageBytes()], std::byte{0});
  EXPECT_EQ(map.data()[3 * PageBytes() - 1], std::byte{0});
}

TEST(Memfd, RefusesMoreThanWasExpected) {
  const Memfd memory = Memfd::Make("test", 4096).ValueOrDie();
  UniqueFd copy(::dup(memory.fd()));
  EXPECT_FALSE(Memfd::Adopt(std::move(copy), 4095).ok());
}

TEST(Futex, EndsAtItsDeadlineOrWhenWoken) {
  std::atomic<uint32_t> word = 0;
  EXPECT_FALSE(FutexWait(word, 0, Clock::now() + std::chrono::milliseconds(5)));
  EXPECT_TRUE(FutexWait(word, 1, kNever));
  std::jthread waker([&] {
    word = 1;
    FutexWake(word);
  });
  while (word == 0) EXPECT_TRUE(FutexWait(word, 0, Clock::now() + std::chrono::seconds(10)));
}

}  // namespace
}  // namespace protium
