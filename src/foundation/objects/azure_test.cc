// SPDX-License-Identifier: Apache-2.0
#include "objects/azure.h"

#include <gtest/gtest.h>

namespace protium {

namespace {

std::optional<AzureAccess> Read(const char* connection) {
  return ReadAzureAccess(*ObjectPlace::Parse("abfss://box@shop.dfs.core.windows.net/runs/a"),
                         connection);
}

}  // namespace

TEST(Azure, IsAskedWithTheKeyOfTheConnectionString) {
  const auto access = Read(
      "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=a+/b/w==;"
      "EndpointSuffix=core.windows.net");
  ASSERT_TRUE(access);
  EXPECT_EQ(access->account, "shop");
  EXPECT_EQ(access->key, "a+/b/w==");
  EXPECT_EQ(access->path, "box/runs/a");
  EXPECT_EQ(access->endpoint, "");
  EXPECT_TRUE(access->encrypted);
}

TEST(Azure, IsAskedAtTheEndpointOfTheConnectionString) {
  const auto here =
      Read("AccountKey=aaaa;AccountName=shop;BlobEndpoint=http://127.0.0.1:10000/shop;");
  ASSERT_TRUE(here);
  EXPECT_EQ(here->endpoint, "127.0.0.1:10000");
  EXPECT_FALSE(here->encrypted);
  const auto own =
      Read("AccountName=shop;AccountKey=aaaa;BlobEndpoint=https://shop.blob.core.windows.net/");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->endpoint, "");
}

TEST(Azure, IsAskedWithItsOwnCredentialsWithoutAKeyOfThatAccount) {
  for (const char* connection :
       {"", "AccountName=other;AccountKey=aaaa", "AccountName=sho;AccountKey=aaaa",
        "AccountName=shop;SharedAccessSignature=s",
        "AccountName=shop;AccountKey=", "AccountName=shop;AccountKey=no base64", "nonsense;;="}) {
    EXPECT_FALSE(Read(connection)) << connection;
  }
}

}  // namespace protium
