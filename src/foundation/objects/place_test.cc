// SPDX-License-Identifier: Apache-2.0
#include "objects/place.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {

TEST(ObjectPlaces, AreKnownByTheirScheme) {
  EXPECT_TRUE(IsOnStore("s3://bucket"));
  EXPECT_TRUE(IsOnStore("gs://bucket/runs"));
  EXPECT_TRUE(IsOnStore("abfss://box@account.dfs.core.windows.net/runs"));
  EXPECT_FALSE(IsOnStore("runs"));
  EXPECT_FALSE(IsOnStore("/s3://bucket"));
  EXPECT_FALSE(IsOnStore("http://bucket"));
}

TEST(ObjectPlaces, OfHadoopAreRefusedByName) {
  for (const char* text : {"hdfs://name:8020/runs", "viewfs://c/runs", "webhdfs://name/runs"}) {
    EXPECT_TRUE(IsOnStore(text));
    const Fault fault = FaultOf(ObjectPlace::Parse(text).status());
    EXPECT_EQ(fault.exit, Exit::kUsage);
    EXPECT_NE(fault.what.find("runs are not kept at"), std::string::npos);
    EXPECT_NE(fault.fix.find("s3://"), std::string::npos);
  }
}

TEST(ObjectPlaces, HaveANameAndAParent) {
  const ObjectPlace runs = *ObjectPlace::Parse("s3://bucket/team/runs//");
  EXPECT_EQ(runs.text(), "s3://bucket/team/runs");
  EXPECT_EQ((runs / "a-1").name(), "a-1");
  EXPECT_EQ((runs / "a-1").parent().text(), runs.text());
  const ObjectPlace bucket = *ObjectPlace::Parse("gcs://bucket");
  EXPECT_EQ(bucket.name(), "");
  EXPECT_EQ(bucket.parent().text(), "gcs://bucket");
  EXPECT_EQ(bucket.kind(), "gs");
}

TEST(ObjectPlaces, WithSecretsAreRefusedWithoutRepeatingThem) {
  for (const char* text :
       {"s3://key:canary@bucket/runs", "s3://canary@bucket", "s3://bucket/runs?secret_key=canary",
        "abfss://box:canary@account.dfs.core.windows.net/runs"}) {
    const Status status = ObjectPlace::Parse(text).status();
    EXPECT_EQ(FaultOf(status).exit, Exit::kUsage) << text;
    EXPECT_EQ(Render(FaultOf(status)).find("canary"), std::string::npos) << text;
  }
}

TEST(ObjectPlaces, WithoutABucketOrWithOtherCharactersAreRefused) {
  for (const char* text : {"s3://", "s3:///runs", "s3://bucket/a b", "s3://bucket/../x",
                           "s3://bucket/a//b", "s3://bucket/a%20b", "s3://bucket/\n"}) {
    EXPECT_EQ(FaultOf(ObjectPlace::Parse(text).status()).exit, Exit::kUsage) << text;
  }
}

}  // namespace protium
