// SPDX-License-Identifier: Apache-2.0
#include "tcp/card.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tcp/candidate.h"
#include "tcp/testing/thread_ranks.h"

namespace protium {
namespace {

TEST(TcpCards, AreShortAndReadBack) {
  TcpOptions options = LoopbackOptions();
  options.shared_memory = true;
  const auto candidate = TcpCandidate::Make(options, 3, 7).ValueOrDie();
  EXPECT_LT(candidate.card().size(), 2048u);
  EXPECT_TRUE(std::all_of(candidate.card().begin(), candidate.card().end(),
                          [](char c) { return c >= ' ' && c <= '~'; }));
  const Card card = ReadCard(candidate.card()).ValueOrDie();
  EXPECT_EQ(WriteCard(card, options.key), candidate.card());
  EXPECT_EQ(card.rank, 3);
  EXPECT_EQ(card.world, 7);
  EXPECT_EQ(candidate.card().find(options.key), std::string::npos);
}

// Like machines resumed from one snapshot: the same kernel by all identifiers, but other addresses.
TEST(TcpCards, OfMachinesWithOtherAddressesAreOfOtherHosts) {
  const std::string here = MachineIdentity({"127.0.0.1", "10.0.0.1"});
  EXPECT_EQ(here.size(), 32u);
  EXPECT_EQ(here, MachineIdentity({"10.0.0.1", "127.0.0.1"}));
  EXPECT_NE(here, MachineIdentity({"127.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(MachineIdentity(), MachineIdentity());
}

TEST(TcpCards, SayWhoTalksTls) {
  const Card plain{.machine = "a", .plaintext = true};
  const Card elsewhere{.machine = "b", .plaintext = true};
  const Card careful{.machine = "b"};
  EXPECT_FALSE(Encrypted(plain, plain));
  EXPECT_FALSE(Encrypted(plain, elsewhere));
  EXPECT_TRUE(Encrypted(plain, careful));
  EXPECT_FALSE(Encrypted(careful, careful));
  EXPECT_TRUE(Encrypted(plain, {.machine = "a", .always_encrypt = true}));
  EXPECT_TRUE(Encrypted({}, {})) << "an unknown host is another one";
}

}  // namespace
}  // namespace protium
