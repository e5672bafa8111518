// SPDX-License-Identifier: Apache-2.0
#include "sources/row_sum.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(RowSum, OfPostgresHashesNumbersAsTheyAreAndAllElseAsText) {
  const arrow::Schema schema({arrow::field("id", arrow::int64()),
                              arrow::field("j\"s", arrow::utf8()),
                              arrow::field("tags", arrow::list(arrow::utf8()))});
  EXPECT_EQ(SumQuery({.kind = SourceKind::kPostgres, .table = "public.orders"}, schema),
            "SELECT CAST(coalesce(sum(hashint8extended(hash_record_extended(ROW(pt.\"id\", "
            "CAST(pt.\"j\"\"s\" AS text) COLLATE \"C\", "
            "CAST(pt.\"tags\" AS text) COLLATE \"C\"), 42), 42)), 0) AS text) AS summed FROM "
            "\"public\".\"orders\" AS pt");
}

TEST(RowSum, OfMysqlTellsNullFromEveryValueAndKeepsTheDigitsOfFloats) {
  const arrow::Schema schema(
      {arrow::field("a`b", arrow::utf8()), arrow::field("f", arrow::float32())});
  EXPECT_EQ(SumQuery({.kind = SourceKind::kMysql, .table = "t"}, schema),
            "SELECT CAST(coalesce(sum(CAST(conv(left(md5(concat_ws(',', coalesce(crc32(pt.`a``b`), "
            "'NULL'), "
            "coalesce(crc32(pt.`f` + 0e0), 'NULL'))), 15), 16, 10) AS UNSIGNED)), 0) AS CHAR) AS "
            "summed FROM `t` AS pt");
}

TEST(RowSum, OfAQueryStandsAroundItWhateverItEndsWith) {
  EXPECT_EQ(CountQuery({.kind = SourceKind::kPostgres, .query = "SELECT 1 -- one\n; "}),
            "SELECT count(*) AS counted FROM (SELECT 1 -- one\n) AS pt");
}

TEST(RowSum, ComparesOnlyWithSumsThatWereTakenTheSameWay) {
  EXPECT_TRUE(AreOfOneKind("hash_record -12", "hash_record 7"));
  EXPECT_TRUE(AreOfOneKind("12:7", "13:9"));
  EXPECT_FALSE(AreOfOneKind("12:7", "hash_record 12"));
  EXPECT_FALSE(AreOfOneKind("md5 12", "hash_record 12"));
  EXPECT_FALSE(AreOfOneKind("", ""));
}

}  // namespace
}  // namespace protium
