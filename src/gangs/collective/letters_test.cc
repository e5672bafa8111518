// SPDX-License-Identifier: Apache-2.0
#include "collective/letters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"

namespace protium {
namespace {

constexpr int64_t kMost = 100;

void SendNumber(Letters& letters, int32_t rank, int64_t number) {
  std::memcpy(letters.Box(rank).data(), &number, sizeof(number));
  letters.Send(rank, sizeof(number));
}

Result<int64_t> NumberFrom(Letters& letters, int32_t rank) {
  PT_LET(const std::span<const std::byte> letter, letters.Await(rank));
  int64_t number = 0;
  if (letter.size() != sizeof(number)) return Status::Invalid("a letter of ", letter.size());
  std::memcpy(&number, letter.data(), sizeof(number));
  return number;
}

// Ranks 0 and 1 ask, rank 2 answers each with twice its number.
TEST(Letters, AreAnsweredInAnyOrder) {
  constexpr int64_t kQuestions = 300;
  const auto statuses = RunThreadRanks(3, {}, [&](Communicator& ranks) -> Status {
    const bool answers = ranks.rank() == 2;
    const std::vector<int64_t> most =
        answers ? std::vector<int64_t>{kMost, kMost, 0} : std::vector<int64_t>{0, 0, kMost};
    PT_LET(const auto letters, Letters::Make({.most_bytes = most}, ranks));
    if (!answers) {
      for (int64_t i = 0; i < kQuestions; ++i) {
        SendNumber(*letters, 2, i + ranks.rank());
        PT_LET(const int64_t answer, NumberFrom(*letters, 2));
        if (answer != 2 * (i + ranks.rank())) return Status::Invalid("the answer ", answer);
      }
      return ranks.Barrier("done");
    }
    for (int64_t left = 2 * kQuestions; left > 0;) {
      for (const int32_t from : {0, 1}) {
        const auto letter = letters->Take(from);
        if (!letter) continue;
        int64_t number = 0;
        std::memcpy(&number, letter->data(), sizeof(number));
        SendNumber(*letters, from, 2 * number);
        --left;
      }
    }
    return ranks.Barrier("done");
  });
  for (const Status& each : statuses) EXPECT_TRUE(each.ok()) << each.ToString();
}

TEST(Letters, AreNotAwaitedFromARankThatLeft) {
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& ranks) -> Status {
    PT_LET(const auto letters, Letters::Make({.most_bytes = {kMost, kMost}}, ranks));
    if (ranks.rank() == 1) {
      SendNumber(*letters, 0, 7);
      letters->Leave();
      return ranks.Barrier("both");
    }
    PT_LET(const int64_t last, NumberFrom(*letters, 1));
    EXPECT_EQ(last, 7) << "a letter counts that was sent before";
    const Fault fault = FaultOf(letters->Await(1).status());
    EXPECT_EQ(fault.what, "rank 1 has left");
    return ranks.Barrier("both");
  });
  for (const Status& each : statuses) EXPECT_TRUE(each.ok()) << each.ToString();
}

TEST(Letters, AreAwaitedUntilTheDeadline) {
  const auto statuses = RunThreadRanks(2, {}, [&](Communicator& ranks) -> Status {
    PT_LET(const auto letters,
           Letters::Make({.most_bytes = {kMost, kMost}, .deadline = std::chrono::milliseconds(20)},
                         ranks));
    if (ranks.rank() == 0) {
      const Fault fault = FaultOf(letters->Await(1).status());
      EXPECT_EQ(fault.what, "rank 1 did not answer rank 0 within 0.02 s");
      EXPECT_EQ(fault.where, "gang.deadline");
    }
    return ranks.Barrier("both");
  });
  for (const Status& each : statuses) EXPECT_TRUE(each.ok()) << each.ToString();
}

}  // namespace
}  // namespace protium
