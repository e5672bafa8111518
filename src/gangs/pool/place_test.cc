// SPDX-License-Identifier: Apache-2.0
#include "pool/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::HasSubstr;

class PoolPlace : public testing::Test {
 protected:
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path socket_ = folder_.path() / "own" / "pool.sock";
};

TEST_F(PoolPlace, HasOnePoolAtATime) {
  auto first = ListenAsPool(socket_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(IsPlaceFree(socket_));
  const Fault second = FaultOf(ListenAsPool(socket_).status());
  EXPECT_EQ(second.exit, Exit::kUsage);
  EXPECT_EQ(second.what, "a pool is already running");
  const auto driver = ConnectToPool(socket_, Clock::now());
  ASSERT_TRUE(driver.ok()) << driver.status();
  const UniqueFd accepted(::accept(first->socket.get(), nullptr, nullptr));
  EXPECT_EQ(PeerOf(accepted.get()).ValueOrDie(), ::getpid());
}

TEST_F(PoolPlace, IsTakenOverFromAPoolThatWasKilled) {
  {
    // Its descriptors close, its file stays.
    const auto killed = ListenAsPool(socket_).ValueOrDie();
  }
  EXPECT_TRUE(IsPlaceFree(socket_));
  EXPECT_EQ(FaultOf(ConnectToPool(socket_, Clock::now()).status()).exit, Exit::kInput);
  EXPECT_TRUE(ListenAsPool(socket_).ok());
}

TEST_F(PoolPlace, WithoutAPoolIsAnInputThatIsMissing) {
  const Fault fault = FaultOf(ConnectToPool(socket_, Clock::now()).status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.fix, "protium pool start");
}

TEST_F(PoolPlace, IsRefusedWhereOthersCouldReachIt) {
  const auto own = ListenAsPool(socket_).ValueOrDie();
  ASSERT_EQ(::chmod(socket_.parent_path().c_str(), 0755), 0);
  EXPECT_THAT(FaultOf(ListenAsPool(socket_).status()).what, HasSubstr("open to others"));
  EXPECT_THAT(FaultOf(ConnectToPool(socket_, Clock::now()).status()).what,
              HasSubstr("open to others"));
}

TEST_F(PoolPlace, OfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  const auto own = ListenAsPool(socket_).ValueOrDie();
  ASSERT_EQ(::chown(socket_.parent_path().c_str(), 12345, 12345), 0);
  EXPECT_THAT(FaultOf(ConnectToPool(socket_, Clock::now()).status()).what,
              HasSubstr("another user"));
}

TEST_F(PoolPlace, HasAPathThatFitsIntoAnAddress) {
  const auto fault = FaultOf(ListenAsPool(folder_.path() / std::string(120, 'x')).status());
  EXPECT_THAT(fault.what, HasSubstr("characters"));
}

TEST(PoolSocket, IsWhereTheEnvironmentSays) {
  ::setenv("PROTIUM_POOL", "/some/pool.sock", 1);
  EXPECT_EQ(PoolSocket(), "/some/pool.sock");
  ::setenv("PROTIUM_POOL", "off", 1);
  EXPECT_EQ(PoolSocket(), "");
}

TEST(PlaceOfProcess, DiffersByName) {
  const Json own = PlaceOfProcess();
  EXPECT_EQ(DifferenceOfPlaces(own, own), "");
  Json other = own;
  other["network namespace"] = "net:[1]";
  EXPECT_EQ(DifferenceOfPlaces(own, other), "its network namespace");
  EXPECT_EQ(DifferenceOfPlaces(own, Json::object()), "its process namespace");
}

}  // namespace
}  // namespace protium
