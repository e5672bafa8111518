// SPDX-License-Identifier: Apache-2.0
#include "sql_text/place.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "sql_text/spark_text.h"

namespace protium {
namespace {

const std::string kSql = "SELECT a = b AND c = d,\n  nosuch\nFROM t";

TEST(Places, AreDrawnAndFoundAgain) {
  const size_t offset = kSql.find("nosuch");
  EXPECT_EQ(PlaceIn(kSql, offset), "the SQL text, line 2, column 3");
  EXPECT_EQ(DrawnPlaceIn(kSql, offset), "the SQL text\nLINE 2:   nosuch\n          ^");
  EXPECT_EQ(ReadOffset(PlaceIn(kSql, offset), kSql), offset);
  EXPECT_EQ(ReadOffset(DrawnPlaceIn(kSql, offset), kSql), offset);
  EXPECT_EQ(ReadOffset("the SQL text", kSql), std::nullopt);
  EXPECT_EQ(ReadOffset("the SQL text, line 9, column 1", kSql), std::nullopt);
}

TEST(Places, CountCharactersAndNotBytes) {
  const std::string sql = "SELECT 'Z\u00fcrich \u4e2d' AS caf\u00e9, nosuch";
  const size_t offset = sql.find("nosuch");
  EXPECT_EQ(PlaceIn(sql, offset), "the SQL text, line 1, column 28");
  EXPECT_EQ(DrawnPlaceIn(sql, offset),
            "the SQL text\nLINE 1: " + sql + "\n" + std::string(8 + 27, ' ') + "^");
  EXPECT_EQ(ReadOffset(PlaceIn(sql, offset), sql), offset);
  EXPECT_EQ(ReadOffset(DrawnPlaceIn(sql, offset), sql), offset);

  std::string far = "SELECT ";
  for (int i = 0; i < 300; ++i) far += "\u00fc";
  far += ", nosuch";
  EXPECT_EQ(ReadOffset(DrawnPlaceIn(far, far.find("nosuch")), far), far.find("nosuch"));
}

TEST(Places, OfLongLinesShowWhatIsNearTheMark) {
  const std::string sql = "SELECT " + std::string(500, '1') + ", nosuch" + std::string(500, ' ');
  const std::string drawn = DrawnPlaceIn(sql, sql.find("nosuch"));
  EXPECT_LT(drawn.size(), 250u) << drawn;
  EXPECT_EQ(ReadOffset(drawn, sql), sql.find("nosuch"));
}

std::string FindPlace(const WrittenSql& sql, std::string_view word) {
  const std::string statement = "WITH t AS (\nSELECT 1 AS a) SELECT * FROM (\n" + sql.written.text;
  const Status status =
      Fail({.what = "x", .where = DrawnPlaceIn(statement, statement.rfind(word))});
  return FaultOf(PlaceInOriginal(status, statement, {sql})).where;
}

TEST(Places, InStatementsAreThoseInTheTextOfTheUser) {
  const std::string wanted = "the SQL text\nLINE 2:   nosuch\n          ^";
  EXPECT_EQ(FindPlace({kSql, FromSpark(kSql).ValueOrDie(), true}, "nosuch"), wanted);
  EXPECT_EQ(FindPlace({kSql, {"SELECT ((a = b) AND (c = d)), nosuch FROM t", {}}, false}, "nosuch"),
            wanted);
  EXPECT_EQ(FindPlace({kSql, {"SELECT ((a = b) AND (c = d)), nosuch FROM t", {}}, false}, "d"),
            "the SQL text\nLINE 1: SELECT a = b AND c = d,\n                             ^");
  EXPECT_EQ(FindPlace({kSql, {"SELECT pt_x(a)", {}}, false}, "pt_x"), "the SQL text");
}

}  // namespace
}  // namespace protium
