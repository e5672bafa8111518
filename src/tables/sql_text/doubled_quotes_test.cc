// SPDX-License-Identifier: Apache-2.0
#include "sql_text/doubled_quotes.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(WithoutDoubledQuotes, SpellsThemForSpark40) {
  EXPECT_EQ(WithoutDoubledQuotes("SELECT 'it''s' AS a, '''', ''''''"),
            "SELECT 'it\\'s' AS a, '\\'', '\\'\\''");
  EXPECT_EQ(WithoutDoubledQuotes("SELECT a AS \"quote\"\"d\", b AS \"`\"\"\""),
            "SELECT a AS `quote\"d`, b AS ```\"`");
}

TEST(WithoutDoubledQuotes, LeavesAllElse) {
  for (const std::string sql :
       {"SELECT '', 'it\\'s', 'a\\\\', '' FROM t", "SELECT \"a b\", \"\" FROM `x``y'`",
        "-- it''s\nSELECT 1 /* \"\"x\"\"\" */", "SELECT r'a\\', R\"b\\\" AS for'x'",
        "SELECT 'open''", "SELECT \"open", "/*", "'\\"}) {
    EXPECT_EQ(WithoutDoubledQuotes(sql), sql);
  }
}

}  // namespace
}  // namespace protium
