// SPDX-License-Identifier: Apache-2.0
#include "local/part_side.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "duckdb/query.h"
#include "local/database.h"
#include "sql/writer.h"

namespace protium {
namespace {

// The number of rows of `table` on a different side than the SQL text of the rule says, which is
// what Spark runs.
std::string Different(const duck::Connection& connection, const std::string& table,
                      const Columns& by, double part = 0.3) {
  SqlContext context{.dialect = &DuckDbDialect()};
  context.describe = [&](const std::string& select) { return DescribeSchema(connection, select); };
  const Plan rows = MakePlan(Sql{});
  context.tables[rows.get()] = {.table = table};
  const Plan fast = MakePlan(MarkSplit{by, part, 7, "fast"}, {rows});
  Dialect spelt = DuckDbDialect();
  spelt.part_side = "";
  const std::string one = WriteSql(fast, context).ValueOrDie().text;
  const Plan again = MakePlan(Sql{});
  context.tables[again.get()] = {.table = "(" + one + ")"};
  context.dialect = &spelt;
  const Columns columns =
      by.empty() ? DescribeSchema(connection, "SELECT * FROM " + table).ValueOrDie()->field_names()
                 : by;
  const Plan both = MakePlan(MarkSplit{columns, part, 7, "slow"}, {again});
  const std::string two = WriteSql(both, context).ValueOrDie().text;
  EXPECT_NE(one.find("pt_part_side"), one.npos);
  EXPECT_NE(two.find("md5"), two.npos);
  return duck::AskText(connection,
                       "SELECT CAST(count(*) FILTER (WHERE fast IS DISTINCT FROM slow) AS VARCHAR) "
                       "|| ' of ' || CAST(count(*) AS VARCHAR) FROM (" +
                           two + ")")
      .ValueOrDie();
}

class PartSide : public testing::Test {
 protected:
  Database database_{DatabaseOptions{}};
  duck::Connection connection_ = database_.Connect().ValueOrDie();
};

TEST_F(PartSide, IsTheOneThatTheRuleSpeltInSqlGives) {
  ASSERT_TRUE(duck::Do(connection_,
                       "CREATE TABLE t AS SELECT CASE WHEN i % 11 <> 0 THEN i END AS n, "
                       "CAST(i % 100 AS TINYINT) AS tiny, CAST(-i AS SMALLINT) AS small, "
                       "CAST(i AS INTEGER) AS whole, i % 3 = 0 AS flag, "
                       "DATE '2013-01-01' + CAST(i * 97 AS INTEGER) AS day, "
                       "CASE WHEN i % 7 <> 0 THEN repeat('é', CAST(i % 5 AS BIGINT)) || i END AS "
                       "name, i / 4.0 AS real, TIMESTAMP '2013-01-01' + to_seconds(i) AS at, "
                       "CAST(i AS DECIMAL(9, 2)) AS dec "
                       "FROM range(20000) r(i)")
                  .ok());
  for (const Columns& by : std::initializer_list<Columns>{{"n"},
                                                          {"tiny"},
                                                          {"small"},
                                                          {"whole"},
                                                          {"flag"},
                                                          {"day"},
                                                          {"name"},
                                                          {"real"},
                                                          {"at"},
                                                          {"dec"},
                                                          {"n", "name"},
                                                          {"tiny", "flag"},
                                                          {"name", "n", "day", "flag"},
                                                          {}}) {
    EXPECT_EQ(Different(connection_, "t", by), "0 of 20000") << (by.empty() ? "" : by.front());
  }
}

TEST_F(PartSide, HoldsAtTheEdges) {
  ASSERT_TRUE(duck::Do(connection_,
                       "CREATE TABLE e AS SELECT * FROM (VALUES "
                       "(DATE '0001-01-01', '', CAST('-9223372036854775808' AS BIGINT)), "
                       "(DATE '9999-12-31', 'a''b', 9223372036854775807), "
                       "(DATE '2000-02-29', '-', 0), (DATE '1900-02-28', '+1:x', NULL), "
                       "(DATE '1969-12-31', NULL, 1), (NULL, '日本語', -1)) v(day, name, n)")
                  .ok());
  for (const Columns& by : std::initializer_list<Columns>{{"day"}, {"name"}, {"n"}, {}}) {
    EXPECT_EQ(Different(connection_, "e", by, 0.7), "0 of 6");
  }
}

TEST_F(PartSide, Md5IsTheOneOfTheDocument) {
  EXPECT_EQ(Md5Hex("7+10:2013-01-01-").substr(0, 13), "ce1023e085cba");
  EXPECT_EQ(Md5Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
}

}  // namespace
}  // namespace protium
