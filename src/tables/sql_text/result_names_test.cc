// SPDX-License-Identifier: Apache-2.0
#include "sql_text/result_names.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

// The names, separated by commas; "?" if they are not known.
std::string NamesOf(const char* sql) {
  const TableNames tables = {{"t", {{"a", "b"}}}, {"u", {{"c", "Day"}}}, {"unread", std::nullopt}};
  const auto names = ResultNames(sql, tables);
  if (!names) return "?";
  std::string text;
  for (const std::string& name : *names) text += (text.empty() ? "" : ",") + name;
  return text;
}

TEST(ResultNames, AreThoseOfTheSelectList) {
  EXPECT_EQ(NamesOf("SELECT * FROM t"), "a,b");
  EXPECT_EQ(NamesOf("SELECT * FROM T AS x WHERE a > 1 ORDER BY b;"), "a,b");
  EXPECT_EQ(NamesOf("SELECT x.*, a + 1 AS more FROM t x"), "a,b,more");
  EXPECT_EQ(NamesOf("SELECT DISTINCT t.a, u.c FROM t JOIN u ON t.a = u.c"), "a,c");
  EXPECT_EQ(NamesOf("SELECT coalesce(a, b) AS `the first`, count(*) n FROM t GROUP BY 1"),
            "the first,n");
  EXPECT_EQ(NamesOf("SELECT CASE WHEN a = 1 THEN 'x, y' END AS kind /* FROM u */ FROM t"), "kind");
}

TEST(ResultNames, ComeThroughWith) {
  EXPECT_EQ(NamesOf("WITH w AS (SELECT *, a AS e FROM t WHERE b IN (1, 2)), "
                    "v AS (SELECT * FROM w) SELECT * FROM v"),
            "a,b,e");
  EXPECT_EQ(NamesOf("WITH w AS (SELECT *, 1 AS e FROM t JOIN u) SELECT e, a FROM w"), "e,a");
}

TEST(ResultNames, AreNotGuessed) {
  for (const char* const sql :
       {"SELECT * FROM t JOIN u ON a = c", "SELECT * FROM t, u", "SELECT a + 1 FROM t",
        "SELECT count(*) FROM t", "SELECT * FROM unread", "SELECT * FROM nowhere",
        "SELECT * EXCEPT (a) FROM t", "SELECT u.* FROM t", "SELECT day FROM u",
        "SELECT CASE WHEN a = 1 THEN 2 END FROM t", "SELECT a IS NULL FROM t", "SELECT",
        "FROM t SELECT a", "SELECT a b c FROM t", "SELECT * FROM (SELECT a FROM t)", "",
        "WITH w AS (SELECT a FROM t", "SELECT a, FROM t"}) {
    EXPECT_EQ(NamesOf(sql), "?") << sql;
  }
}

}  // namespace
}  // namespace protium
