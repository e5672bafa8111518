// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/store_keys.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

TEST(StoreSettings, NameTheBucketTheKeyAndTheEndpointOfAConnection) {
  const StoreAccess access{.provider = "s3",
                           .scope = "s3://lake/events/",
                           .key = "own",
                           .secret = "hidden",
                           .endpoint = "127.0.0.1:9000",
                           .encrypted = false,
                           .region = "eu-central-1",
                           .connected = true,
                           .own_key = true};
  const auto settings = StoreSettings(access);
  const std::string begin = "fs.s3a.bucket.lake.";
  EXPECT_EQ(settings.at(begin + "access.key"), "own");
  EXPECT_EQ(settings.at(begin + "secret.key"), "hidden");
  EXPECT_EQ(settings.at(begin + "endpoint"), "http://127.0.0.1:9000");
  EXPECT_EQ(settings.at(begin + "endpoint.region"), "eu-central-1");
  EXPECT_EQ(settings.at(begin + "path.style.access"), "true");
}

TEST(StoreSettings, SendNothingThatTheEnvironmentOfTheCommandHas) {
  StoreAccess access{.provider = "s3", .scope = "s3://lake/", .key = "k", .secret = "hidden"};
  EXPECT_TRUE(StoreSettings(access).empty());
  access.connected = true;
  access.region = "eu-central-1";
  const SparkSession::Settings region = {{"fs.s3a.bucket.lake.endpoint.region", "eu-central-1"}};
  EXPECT_EQ(StoreSettings(access), region);
}

TEST(StoreSettings, AskAsNobodyForPublicPlaces) {
  const StoreAccess access{.scope = "s3://lake/", .anonymous = true, .connected = true};
  EXPECT_EQ(StoreSettings(access).at("fs.s3a.bucket.lake.aws.credentials.provider"),
            "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider");
}

TEST(StoreFault, NamesWhatTheServerLacksAndWhoRefuses) {
  const Source source{.kind = SourceKind::kDelta, .file = "s3://lake/events"};
  const auto said = [&](const char* why) {
    return FaultOf(StoreFault(source, Fail({.exit = Exit::kInput, .what = why})));
  };
  const Fault lacks =
      said("java.lang.ClassNotFoundException: org.apache.hadoop.fs.s3a.S3AFileSystem");
  EXPECT_EQ(lacks.exit, Exit::kEnvironment);
  EXPECT_NE(lacks.fix.find("hadoop-aws"), std::string::npos);
  EXPECT_EQ(said("AccessDenied (Status Code: 403)").exit, Exit::kRemote);
  EXPECT_EQ(said("something else").what, "something else");
}

}  // namespace
}  // namespace protium
