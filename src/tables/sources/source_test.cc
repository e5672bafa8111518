// SPDX-License-Identifier: Apache-2.0
#include "sources/source.h"

#include <gtest/gtest.h>

#include "sources/source_name.h"

namespace protium {
namespace {

constexpr auto kSqlite = SourceKind::kSqlite, kPostgres = SourceKind::kPostgres;

TEST(Source, IsCheckedBeforeItIsOpened) {
  EXPECT_TRUE(CheckSource({.kind = kSqlite, .file = "a.db", .table = "t"}).ok());
  EXPECT_FALSE(CheckSource({.kind = kSqlite, .table = "t"}).ok());
  EXPECT_FALSE(CheckSource({.kind = kSqlite, .file = "a.db"}).ok());
  EXPECT_FALSE(CheckSource({.kind = kSqlite, .file = "a.db", .query = "SELECT 1"}).ok());
  EXPECT_FALSE(CheckSource({.kind = kSqlite, .file = "a.db", .table = "t", .version = 3}).ok());
  EXPECT_TRUE(CheckSource({.kind = SourceKind::kExcel, .file = "a.xlsx"}).ok());
  EXPECT_TRUE(CheckSource({.kind = SourceKind::kDelta, .file = "a", .version = 0}).ok());
  Source server{.kind = kPostgres, .connection = {.url = "postgresql://h/d"}, .query = "SELECT 1"};
  EXPECT_TRUE(CheckSource(server).ok());
  server.table = "t";
  EXPECT_FALSE(CheckSource(server).ok());
  server.query.clear();
  server.connection.url = "mysql://h/d";
  EXPECT_NE(FaultOf(CheckSource(server)).fix.find("postgresql://"), std::string::npos);
}

TEST(Source, IsDescribedWithItsPlace) {
  EXPECT_EQ(DescribeSource({.kind = kSqlite, .file = "a.db", .table = "t"}),
            "SQLite table t of a.db");
  EXPECT_EQ(
      DescribeSource(
          {.kind = kPostgres, .connection = {.url = "postgresql://me@h:1/d"}, .table = "s.t"}),
      "PostgreSQL table s.t of postgresql://me@h:1/d");
  EXPECT_EQ(DescribeSource({.kind = SourceKind::kDelta, .file = "lake", .version = 12}),
            "Delta table lake, version 12");
}

TEST(Source, HasAKeyOfItsOwn) {
  const Source one{.kind = kSqlite, .file = "a.db", .table = "t"};
  Source other = one;
  EXPECT_EQ(SourceKey(one), SourceKey(other));
  other.table = "u";
  EXPECT_NE(SourceKey(one), SourceKey(other));
}

TEST(NameParts, SplitsAtDotsOutsideQuotes) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(NameParts("orders"), Parts({"orders"}));
  EXPECT_EQ(NameParts("shop.orders"), Parts({"shop", "orders"}));
  EXPECT_EQ(NameParts("shop.\"a.\"\"b\""), Parts({"shop", "a.\"b"}));
}

TEST(QuotedName, HoldsEveryPartAsItIs) {
  EXPECT_EQ(QuotedName("shop.orders", '"'), R"("shop"."orders")");
  EXPECT_EQ(QuotedName(R"(shop."a.""b")", '"'), R"("shop"."a.""b")");
  EXPECT_EQ(QuotedName("t`; DROP TABLE t", '`'), "`t``; DROP TABLE t`");
}

}  // namespace
}  // namespace protium
