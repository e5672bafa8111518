// SPDX-License-Identifier: Apache-2.0
#include "sources/catalog.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Catalog, QuestionsAreAtTheAddressesOfTheSpecification) {
  EXPECT_EQ(ConfigAddress("https://c.example/iceberg/"), "https://c.example/iceberg/v1/config");
  EXPECT_EQ(ConfigAddress("rest://c.example?warehouse=s3%3A%2F%2Fw"),
            "https://c.example/v1/config?warehouse=s3%3A%2F%2Fw");
  EXPECT_EQ(TableAddress("http://127.0.0.1:1/i?warehouse=w", "main", "sales.eu.price list"),
            "http://127.0.0.1:1/i/v1/main/namespaces/sales%1Feu/tables/price%20list");
  EXPECT_EQ(TableAddress("https://c", "", "a.b"), "https://c/v1/namespaces/a/tables/b");
}

TEST(Catalog, UrlsWithSecretsOrOtherOptionsAreRefused) {
  EXPECT_TRUE(CheckCatalogUrl("https://c.example/iceberg?warehouse=w").ok());
  EXPECT_TRUE(CheckCatalogUrl("http://127.0.0.1:19120/a@b").ok());
  for (const char* url : {"postgresql://h/d", "https://me:canary@c/", "https://c?token=canary",
                          "https://c?warehouse=w&token=canary"}) {
    const Fault fault = FaultOf(CheckCatalogUrl(url));
    EXPECT_EQ(fault.exit, Exit::kUsage) << url;
    EXPECT_EQ((fault.what + fault.where + fault.why + fault.fix).find("canary"), std::string::npos);
  }
}

TEST(Catalog, OnlyIcebergTablesWithoutAPlaceAreOfOne) {
  Source source{.kind = SourceKind::kIceberg, .connection = {.url = "https://c"}, .table = "a.b"};
  EXPECT_TRUE(IsOfCatalog(source));
  source.file = "s3://lake/a/b/metadata/1.metadata.json";
  EXPECT_FALSE(IsOfCatalog(source));
}

}  // namespace
}  // namespace protium
