// SPDX-License-Identifier: Apache-2.0
#include "os/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kBoth = {"0", "1"};

class LeasesTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_TRUE(!std::filesystem::exists(folder_) || std::filesystem::is_empty(folder_));
  }

  Result<std::vector<Lease>> Take(std::vector<std::string> wanted, const std::string& who,
                                  int32_t priority = 0) {
    return TakeLeases(folder_, "gpu", kBoth, {.who = who, .priority = priority},
                      [&](const std::vector<HeldDevice>& held) {
                        held_.clear();
                        for (const HeldDevice& each : held)
                          held_.push_back(each.who + " holds " + each.address);
                        return Result<std::vector<std::string>>(wanted);
                      });
  }
  std::vector<std::string> Held() {
    EXPECT_TRUE(Take({}, "nobody").ok());
    return held_;
  }
  static std::string Self(const std::string& who) {
    return who + " of pid " + std::to_string(::getpid());
  }

  TemporaryFolder temporary_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path folder_ = temporary_.path() / "leases";
  std::vector<std::string> held_;
};

TEST_F(LeasesTest, AreHeldUntilTheyEnd) {
  {
    const auto leases = Take({"1"}, "gang train").ValueOrDie();
    EXPECT_EQ(leases[0].address(), "1");
    EXPECT_THAT(Held(), ElementsAre(Self("gang train") + " holds 1"));
    const auto more = Take({"0"}, "gang score").ValueOrDie();
    EXPECT_THAT(Held(),
                ElementsAre(Self("gang score") + " holds 0", Self("gang train") + " holds 1"));
  }
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(LeasesTest, AreNotTakenTwice) {
  const auto leases = Take({"0"}, "gang train").ValueOrDie();
  EXPECT_THAT(Take({"1", "0"}, "gang score").status().message(), HasSubstr("gpu-0"));
  EXPECT_THAT(Held(), ElementsAre(Self("gang train") + " holds 0"));
}

TEST_F(LeasesTest, AreWishedForByThoseOfAHigherPriority) {
  auto leases = Take(kBoth, "gang train", 1).ValueOrDie();
  const std::vector<const Lease*> own = {&leases[0], &leases[1]};
  EXPECT_FALSE(FindWish(own, 1));
  auto low = WishForLeases(folder_, "gpu", kBoth, {.who = "gang low", .priority = 1}).ValueOrDie();
  EXPECT_FALSE(FindWish(own, 1)) << "not higher";
  auto high = WishForLeases(folder_, "gpu", {"1"}, {.who = "gang urgent", .priority = 2});
  const auto wish = FindWish(own, 1);
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->who, Self("gang urgent"));
  EXPECT_EQ(wish->address, "1");
  leases.clear();
  EXPECT_TRUE(Take({}, "gang train", 1).ok());
  EXPECT_THAT(held_, ElementsAre("the wish of " + Self("gang urgent") + " holds 1"));
  EXPECT_TRUE(Take({}, "gang urgent", 2).ok());
  EXPECT_THAT(held_, IsEmpty());
  high->clear();
  low.clear();
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(LeasesTest, OfAKilledProcessAreFreeAgain) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto leases = Take(kBoth, "gang train").ValueOrDie();
    (void)!::write(ends[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  const std::string holder = "gang train of pid " + std::to_string(child);
  EXPECT_THAT(Held(), ElementsAre(holder + " holds 0", holder + " holds 1"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(LeasesTest, AreFreeAtOnceWhenGivenBack) {
  UniqueFd heir;  // A worker that is about to end.
  {
    const auto leases = Take({"0"}, "gang train").ValueOrDie();
    heir = UniqueFd(::dup(leases[0].fd()));
    EXPECT_EQ(Held().size(), 1u);
  }
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(LeasesTest, OfJobsWithTheirOwnTemporaryFoldersAreInOnePlace) {
  const std::filesystem::path usual = LeaseFolder();
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", temporary_.path().c_str(), 1);
  EXPECT_EQ(LeaseFolder(), usual);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(LeasesTest, AreRefusedInAFolderThatOthersMayWriteTo) {
  std::filesystem::create_directory(folder_);
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  const Fault fault = FaultOf(Take({"0"}, "gang train").status());
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_EQ(fault.where, folder_.string());
}

}  // namespace
}  // namespace protium
