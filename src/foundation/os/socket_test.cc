// SPDX-License-Identifier: Apache-2.0
#include "os/socket.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "base/fault.h"

namespace protium {
namespace {

Deadline In(int milliseconds) { return Clock::now() + std::chrono::milliseconds(milliseconds); }

TEST(Channel, CarriesMessagesLargerThanItsBuffers) {
  auto [left, right] = Channel::Pair().ValueOrDie();
  const std::string large(5 << 20, 'x');
  std::jthread sender([&, &left = left] {
    EXPECT_TRUE(left.Send("", {}, In(10000)).ok());
    EXPECT_TRUE(left.Send(large, {}, In(10000)).ok());
  });
  EXPECT_EQ(right.Receive(In(10000)).ValueOrDie()->bytes, "");
  EXPECT_EQ(right.Receive(In(10000)).ValueOrDie()->bytes, large);
}

TEST(Channel, CarriesDescriptorsWithTheirMessage) {
  auto [left, right] = Channel::Pair().ValueOrDie();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd read_end(ends[0]);
  ASSERT_TRUE(left.Send("first", {&ends[1], 1}, In(1000)).ok());
  ASSERT_TRUE(left.Send("second", {}, In(1000)).ok());
  ::close(ends[1]);
  const auto first = right.Receive(In(1000)).ValueOrDie();
  ASSERT_EQ(first->fds.size(), 1u);
  EXPECT_EQ(right.Receive(In(1000)).ValueOrDie()->bytes, "second");
  ASSERT_EQ(::write(first->fds[0].get(), "y", 1), 1);
  char got = 0;
  EXPECT_EQ(::read(read_end.get(), &got, 1), 1);
  EXPECT_EQ(got, 'y');
}

TEST(Channel, LosesNothingWhenADeadlinePasses) {
  auto [left, right] = Channel::Pair().ValueOrDie();
  EXPECT_EQ(FaultOf(right.Receive(In(1)).status()).exit, Exit::kStalled);
  const std::string half = std::string("\x04\0\0\0\0\0\0\0", 8) + "ab";
  ASSERT_EQ(::write(left.fd(), half.data(), half.size()), 10);
  EXPECT_EQ(FaultOf(right.Receive(In(1)).status()).exit, Exit::kStalled);
  ASSERT_EQ(::write(left.fd(), "cd", 2), 2);
  EXPECT_EQ(right.Receive(In(1000)).ValueOrDie()->bytes, "abcd");
}

TEST(Channel, TellsTheEndFromATornMessage) {
  auto [left, right] = Channel::Pair().ValueOrDie();
  ASSERT_TRUE(left.Send("whole", {}, In(1000)).ok());
  ASSERT_EQ(::write(left.fd(), "\x04\0\0", 3), 3);
  left.Take().reset();
  EXPECT_EQ(right.Receive(In(1000)).ValueOrDie()->bytes, "whole");
  EXPECT_TRUE(right.Receive(In(1000)).status().IsIOError());
  auto [other, closed] = Channel::Pair().ValueOrDie();
  other.Take().reset();
  EXPECT_FALSE(closed.Receive(In(1000)).ValueOrDie().has_value());
  EXPECT_TRUE(closed.Send("x", {}, In(1000)).IsIOError());
}

TEST(Channel, DoesNotBelieveAnAbsurdLength) {
  auto [left, right] = Channel::Pair().ValueOrDie();
  ASSERT_EQ(::write(left.fd(), "\xff\xff\xff\xff\0\0\0\0", 8), 8);
  EXPECT_EQ(FaultOf(right.Receive(In(1000)).status()).exit, Exit::kBug);
}

}  // namespace
}  // namespace protium
