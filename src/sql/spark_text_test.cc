// SPDX-License-Identifier: Apache-2.0
#include "sql/spark_text.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

std::string Duck(const std::string& sql) {
  const auto text = FromSpark(sql);
  return text.ok() ? text->text : FaultOf(text.status()).what;
}

TEST(FromSpark, LeavesSharedTextAsItIs) {
  for (const std::string sql :
       {"SELECT a, 1.5e-3, .5, x.y, \"my \"\"col\"\"\" FROM t -- it's 1D\nWHERE a LIKE 'b''c%' /* "
        "2L */",
        "SELECT CAST(a AS DOUBLE), if(a, 1, 2), left(s, 2), a1D FROM t LEFT JOIN u USING (k)"}) {
    EXPECT_EQ(Duck(sql), sql);
  }
}

TEST(FromSpark, WritesLiteralsOut) {
  EXPECT_EQ(Duck("1.5D + 7L - -0.5BD * 1e3F"),
            "CAST('1.5' AS DOUBLE) + CAST('7' AS BIGINT) - -0.5 * CAST('1e3' AS FLOAT)");
  EXPECT_EQ(Duck("'a\\tb' || 'it\\'s' || '\\\\d' || r'\\d' || '\\%' || '\\u0041\\q'"),
            "'a\tb' || 'it''s' || '\\d' || '\\d' || '\\%' || 'Aq'");
}

TEST(FromSpark, TranslatesOperatorsAndJoins) {
  EXPECT_EQ(Duck("a <=> b"), "a  IS NOT DISTINCT FROM  b");
  EXPECT_EQ(Duck("a RLIKE 'x' AND b NOT RLIKE 'y' AND c REGEXP 'z'"),
            "a ~ 'x' AND b !~ 'y' AND c ~ 'z'");
  EXPECT_EQ(Duck("a div 2, -7 DIV b"), "a // 2, -7 // b");
  EXPECT_EQ(Duck("t LEFT SEMI JOIN u LEFT ANTI JOIN v"), "t SEMI JOIN u ANTI JOIN v");
}

TEST(FromSpark, QuotesNamesThatOnlyDuckDbReserves) {
  EXPECT_EQ(
      Duck("SELECT `a\"b`, at, max(at) AS show, double(x), CAST(y AS INT) AS int"),
      "SELECT \"a\"\"b\", \"at\", max(\"at\") AS \"show\", \"double\"(x), CAST(y AS INT) AS int");
}

TEST(FromSpark, RefusesWhatOnlyDuckDbHas) {
  EXPECT_EQ(Duck("a // b"), "\"//\" is not the same on every engine");
  EXPECT_EQ(Duck("a ~ 'x'"), "\"~\" is not the same on every engine");
  EXPECT_EQ(Duck("SELECT ~6"), "SELECT ~6");
  EXPECT_EQ(Duck("SELECT 'open"), "a text in quotes is never closed");
}

TEST(DuckText, KnowsWhereItCameFrom) {
  const std::string sql = "SELECT 1D,\n 2L, bad";
  const DuckText text = FromSpark(sql).ValueOrDie();
  EXPECT_EQ(PlaceIn(sql, text.Origin(text.text.find("bad"))), "the SQL text, line 2, column 6");
}

}  // namespace
}  // namespace protium
