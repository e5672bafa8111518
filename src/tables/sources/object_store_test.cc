// SPDX-License-Identifier: Apache-2.0
#include "sources/object_store.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "sources/source.h"

namespace protium {
namespace {

// Sets a variable of the environment until the end of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

Source At(const std::string& place) { return {.kind = SourceKind::kParquet, .file = place}; }

TEST(ObjectStore, PlacesAreKnownByTheirScheme) {
  for (const char* place : {"s3://b/k", "gs://b/k", "az://c/k", "abfss://c@a.dfs.core/k"}) {
    EXPECT_TRUE(IsObjectPlace(place)) << place;
  }
  for (const char* place : {"", "s3", "s3/b", "/s3://b", "http://h/k", "lake/events"}) {
    EXPECT_FALSE(IsObjectPlace(place)) << place;
  }
}

TEST(ObjectStore, AUrlBeginsItsPlacesAtWholeNames) {
  EXPECT_TRUE(IsBelow("s3://lake/a", "s3://lake"));
  EXPECT_TRUE(IsBelow("s3://lake/a", "s3://lake/"));
  EXPECT_TRUE(IsBelow("s3://lake", "s3://lake/"));
  EXPECT_FALSE(IsBelow("s3://lakes/a", "s3://lake"));
}

TEST(ObjectStore, TheConnectionSaysWhoAsksBeforeTheEnvironmentDoes) {
  const Variable key("AWS_ACCESS_KEY_ID", "of-env"), secret("AWS_SECRET_ACCESS_KEY", "hidden");
  const Variable endpoint("AWS_ENDPOINT_URL", "http://127.0.0.1:9000/"), own("OWN_SECRET", "mine");
  const Variable other("AWS_ENDPOINT_URL_S3", nullptr);
  StoreAccess access = ReadStoreAccess(At("s3://lake/a/b.parquet")).ValueOrDie();
  EXPECT_EQ(access.key, "of-env");
  EXPECT_EQ(access.secret, "hidden");
  EXPECT_EQ(access.scope, "s3://lake/");
  EXPECT_EQ(access.endpoint, "127.0.0.1:9000");
  EXPECT_FALSE(access.encrypted);
  Source source = At("s3://lake/a/b.parquet");
  source.connection = {.url = "s3://lake/a",
                       .password = {.env = "OWN_SECRET"},
                       .key = "own",
                       .endpoint = "https://store.example:1"};
  access = ReadStoreAccess(source).ValueOrDie();
  EXPECT_EQ(access.key, "own");
  EXPECT_EQ(access.secret, "mine");
  EXPECT_EQ(access.scope, "s3://lake/a/");
  EXPECT_EQ(access.endpoint, "store.example:1");
  EXPECT_TRUE(access.encrypted);
  EXPECT_EQ(access.found.find("mine"), std::string::npos);
}

TEST(ObjectStore, AKeyNeedsItsSecretUnlessItIsAnonymous) {
  const Variable secret("AWS_SECRET_ACCESS_KEY", "hidden");
  Source source = At("s3://lake/a.parquet");
  source.connection = {.url = "s3://lake", .key = "own"};
  EXPECT_EQ(FaultOf(ReadStoreAccess(source).status()).exit, Exit::kUsage);
  source.connection.key = "anonymous";
  const StoreAccess access = ReadStoreAccess(source).ValueOrDie();
  EXPECT_TRUE(access.anonymous);
  EXPECT_EQ(access.secret, "");
}

TEST(ObjectStore, AKeyInAPlaceIsRefusedAndNotRepeated) {
  for (const char* place : {"s3://AK:canary@lake/t", "s3://lake/t?s3_secret_access_key=canary",
                            "abfss://c:canary@a.dfs/t", "az://c/t?sv=1&sig=canary"}) {
    const Fault fault = FaultOf(CheckNoKeyIn(place));
    EXPECT_EQ(fault.exit, Exit::kUsage) << place;
    EXPECT_EQ((fault.what + fault.where + fault.why + fault.fix).find("canary"), std::string::npos);
  }
  for (const char* place : {"s3://lake/a@b/t", "abfss://c@a.dfs.core.windows.net/t", "a:b@c"}) {
    EXPECT_TRUE(CheckNoKeyIn(place).ok()) << place;
  }
}

TEST(ObjectStore, ExtensionsFollowTheKindAndThePlace) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(ExtensionsOf(At("s3://b/k.parquet")).names, Names({"httpfs", "aws"}));
  EXPECT_EQ(ExtensionsOf(At("s3://b/k.parquet")).set_up, "s3");
  const Source iceberg{.kind = SourceKind::kIceberg, .file = "az://c/t"};
  EXPECT_EQ(ExtensionsOf(iceberg).names, Names({"azure", "avro", "iceberg"}));
  EXPECT_EQ(ExtensionsOf(iceberg).set_up, "iceberg,azure");
  EXPECT_EQ(ExtensionsOf({.kind = SourceKind::kDelta, .file = "lake"}).names, Names({"delta"}));
}

TEST(ObjectStore, WhatIsOpenedIsTheTableAndNothingBeside) {
  using Places = std::vector<std::string>;
  EXPECT_EQ(OpenedFor({.kind = SourceKind::kDelta, .file = "s3://lake/events/"}),
            Places({"s3://lake/events/"}));
  EXPECT_EQ(OpenedFor({.kind = SourceKind::kIceberg, .file = "wh/t/metadata/3.metadata.json"}),
            Places({"wh/t/"}));
  Source source = At("s3://lake/*.parquet");
  source.objects = {{.place = "s3://lake/a.parquet"}, {.place = "s3://lake/b.parquet"}};
  EXPECT_EQ(OpenedFor(source), Places({"s3://lake/a.parquet", "s3://lake/b.parquet"}));
}

}  // namespace
}  // namespace protium
