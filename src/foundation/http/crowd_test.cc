// SPDX-License-Identifier: Apache-2.0
#include "http/crowd.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

using Stage = Crowd::Stage;

Crowd::Time At(int second) { return Crowd::Time(std::chrono::seconds(second)); }

TEST(WhoMakesRoom, TheStrangerWhoWaitsForLongest) {
  Crowd crowd;
  const auto known = crowd.Enter("a", At(0)), first = crowd.Enter("a", At(1));
  const auto second = crowd.Enter("a", At(2));
  crowd.Move(known, Stage::kIdle, At(0));
  EXPECT_EQ(crowd.Last(), first);
  crowd.Leave(first);
  EXPECT_EQ(crowd.Last(), second);
  crowd.Leave(second);
  EXPECT_EQ(crowd.Last(), known);
}

TEST(WhoMakesRoom, TheAddressWithMostConnectionsBeforeOthers) {
  Crowd crowd;
  crowd.Enter("alone", At(0));
  const auto older = crowd.Enter("many", At(1));
  crowd.Enter("many", At(2));
  EXPECT_EQ(crowd.Last(), older);
}

TEST(WhoMakesRoom, NobodyWhoseRequestIsComputed) {
  Crowd crowd;
  const auto id = crowd.Enter("a", At(0));
  crowd.Move(id, Stage::kComputing, At(1));
  EXPECT_EQ(crowd.Last(), std::nullopt);
  crowd.Move(id, Stage::kReading, At(2));
  EXPECT_EQ(crowd.Last(), id);
}

TEST(WhoMakesRoom, ForMemoryOnlyWhoHoldsSome) {
  Crowd crowd;
  crowd.Enter("a", At(0));
  const auto holder = crowd.Enter("a", At(1));
  EXPECT_EQ(crowd.LastOfHolders(), std::nullopt);
  crowd.Move(holder, Stage::kSending, At(1));
  crowd.Hold(holder, 100);
  EXPECT_EQ(crowd.LastOfHolders(), holder);
  EXPECT_EQ(crowd.held_bytes(), 100u);
  crowd.Hold(holder, 40);
  EXPECT_EQ(crowd.held_bytes(), 40u);
  crowd.Leave(holder);
  EXPECT_EQ(crowd.held_bytes(), 0u);
  crowd.Hold(holder, 7);  // It has left.
  EXPECT_EQ(crowd.held_bytes(), 0u);
  EXPECT_EQ(crowd.size(), 1u);
}

}  // namespace
}  // namespace protium
