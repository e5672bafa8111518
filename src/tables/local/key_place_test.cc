// SPDX-License-Identifier: Apache-2.0
#include "local/key_place.h"

#include <gtest/gtest.h>

#include "duckdb/query.h"
#include "local/database.h"
#include "sql/writer.h"

namespace protium {
namespace {

using Keys = std::vector<std::string>;

class KeyPlace : public testing::Test {
 protected:
  // The number of rows of `table` whose position differs from the one that a join with the keys
  // finds, as in Spark.
  std::string Different(const std::string& table, const std::string& column, const Keys& keys) {
    SqlContext context{.dialect = &DuckDbDialect()};
    context.describe = [&](const std::string& select) {
      return DescribeSchema(connection_, select);
    };
    const Plan rows = MakePlan(Sql{});
    context.tables[rows.get()] = {.table = table};
    Lookup lookup{.column = column, .output = "fast", .unseen = unseen_, .missing = missing_};
    lookup.keys = std::make_shared<const Keys>(keys);
    const std::string one = WriteSql(MakePlan(lookup, {rows}), context).ValueOrDie().text;
    EXPECT_NE(one.find("pt_place"), one.npos);
    Dialect joins = DuckDbDialect();
    joins.key_place = "";
    context.dialect = &joins;
    context.tables[rows.get()] = {.table = "(" + one + ")"};
    lookup.output = "slow";
    const std::string two = WriteSql(MakePlan(lookup, {rows}), context).ValueOrDie().text;
    EXPECT_NE(two.find("JOIN"), two.npos);
    return duck::AskText(connection_,
                         "SELECT CAST(count(*) FILTER (WHERE fast IS DISTINCT FROM slow) AS "
                         "VARCHAR) || ' of ' || CAST(count(*) AS VARCHAR) FROM (" +
                             two + ")")
        .ValueOrDie();
  }

  Database database_{DatabaseOptions{}};
  duck::Connection connection_ = database_.Connect().ValueOrDie();
  std::optional<int64_t> unseen_ = 1000, missing_ = 1001;
};

TEST_F(KeyPlace, IsTheOneThatAJoinFinds) {
  ASSERT_TRUE(duck::Do(connection_,
                       "CREATE TABLE t AS SELECT CASE WHEN i % 11 <> 0 THEN i - 100 END AS n, "
                       "CAST(i % 100 AS TINYINT) AS tiny, CAST(i - 50 AS INTEGER) AS whole, "
                       "CAST(i AS UBIGINT) AS large, i % 3 = 0 AS flag, "
                       "DATE '2013-01-01' + CAST(i % 40 AS INTEGER) AS day, "
                       "CAST(i AS DECIMAL(9, 2)) / 4 AS dec, "
                       "CASE WHEN i % 7 <> 0 THEN repeat('é', CAST(i % 9 AS BIGINT)) || i % 50 END "
                       "AS name FROM range(20000) r(i)")
                  .ok());
  Keys numbers = {"007", "+1", "-0", "", "1.0", "true", "2013-01-03", "12.25"}, names;
  for (int i = -40; i < 60; ++i) {
    numbers.push_back(std::to_string(i));
    std::string name;
    for (int k = 0; k < (i + 40) % 9; ++k) name += "é";
    names.push_back(name + std::to_string((i + 40) / 2));
  }
  for (const char* column : {"n", "tiny", "whole", "large", "flag", "day", "dec", "name"}) {
    EXPECT_EQ(Different("t", column, numbers), "0 of 20000") << column;
    EXPECT_EQ(Different("t", column, names), "0 of 20000") << column;
  }
  unseen_ = missing_ = std::nullopt;
  EXPECT_EQ(Different("t", "name", names), "0 of 20000");
  EXPECT_EQ(Different("t", "n", numbers), "0 of 20000");
}

// Texts around the 12 bytes that DuckDB stores inside its strings, equal at both ends, with a zero
// byte, and numbers at the ends of their range.
TEST_F(KeyPlace, HoldsAtTheEdges) {
  const Keys keys = {"",
                     "a",
                     "abcdefghijk",
                     "abcdefghijkl",
                     "abcdefghijklm",
                     "abcdefghXijklmnop",
                     "abcdefghYijklmnop",
                     "-9223372036854775808",
                     "9223372036854775807",
                     "9223372036854775808"};
  ASSERT_TRUE(duck::Do(connection_,
                       "CREATE TABLE e AS SELECT * FROM (VALUES ('', 1), ('a', 0), "
                       "('a' || chr(0), -1), ('abcdefghijk', 9223372036854775807), "
                       "('abcdefghijkl', CAST('-9223372036854775808' AS BIGINT)), "
                       "('abcdefghijklm', NULL), ('abcdefghijklM', 1), ('abcdefghXijklmnop', 2), "
                       "('abcdefghYijklmnop', 3), ('abcdefghZijklmnop', 4), (NULL, 5)) v(s, n)")
                  .ok());
  EXPECT_EQ(Different("e", "s", keys), "0 of 11");
  EXPECT_EQ(Different("e", "n", keys), "0 of 11");
}

}  // namespace
}  // namespace protium
