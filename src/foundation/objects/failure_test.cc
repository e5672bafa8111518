// SPDX-License-Identifier: Apache-2.0
#include "objects/failure.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {

namespace {

std::string Told(const std::string& message) {
  const Status status =
      ObjectFault(Status::IOError(message), "write", *ObjectPlace::Parse("s3://bucket/runs"));
  EXPECT_EQ(FaultOf(status).exit, Exit::kRemote);
  return Render(FaultOf(status));
}

}  // namespace

TEST(ObjectFailures, SayWhatIsWrong) {
  EXPECT_NE(Told("AWS Error NO_SUCH_BUCKET during PutObject operation: it is not there")
                .find("there is no such bucket"),
            std::string::npos);
  EXPECT_NE(Told("AWS Error ACCESS_DENIED during PutObject operation: Access Denied")
                .find("access is denied"),
            std::string::npos);
  EXPECT_NE(Told("google::cloud::Status(UNAVAILABLE: Could not create a OAuth2 access token)")
                .find("there are no credentials"),
            std::string::npos);
  EXPECT_NE(Told("AWS Error NETWORK_CONNECTION during PutObject operation: curlCode: 7, Could not "
                 "connect to server")
                .find("does not answer"),
            std::string::npos);
  EXPECT_NE(Told("AWS Error SLOW_DOWN during PutObject operation: Please reduce your rate")
                .find("too busy, after several tries"),
            std::string::npos);
}

TEST(ObjectFailures, LeaveOutWhatFollowsTheStoresWords) {
  const std::string told =
      Told("When writing key 'a': AWS Error UNKNOWN during PutObject: no (Request ID: 123)");
  EXPECT_NE(told.find("AWS Error UNKNOWN during PutObject: no"), std::string::npos) << told;
  EXPECT_EQ(told.find("123"), std::string::npos) << told;
}

TEST(ObjectFailures, OfOursStayAsTheyAre) {
  const Status ours = Fail({.exit = Exit::kNoRoom, .what = "the disk is full"});
  const Status status = ObjectFault(ours, "write", *ObjectPlace::Parse("s3://bucket/runs"));
  EXPECT_EQ(FaultOf(status).what, "the disk is full");
  EXPECT_TRUE(ObjectFault(Status::OK(), "write", *ObjectPlace::Parse("s3://bucket")).ok());
}

}  // namespace protium
