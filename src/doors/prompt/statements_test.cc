// SPDX-License-Identifier: Apache-2.0
#include "prompt/statements.h"

#include <gtest/gtest.h>

namespace protium {

TEST(Statements, EndAtSemicolonsOutsideOfTextsNamesAndComments) {
  std::string text =
      "SELECT ';' AS \"a;b\" -- not; here\n/* nor; here */ FROM t;\n\n;  SELECT `x;`\n; SELECT 2";
  const std::vector<Statement> taken = TakeStatements(text);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].text, "SELECT ';' AS \"a;b\" -- not; here\n/* nor; here */ FROM t");
  EXPECT_EQ(taken[0].line, 1u);
  EXPECT_EQ(taken[1].text, "SELECT `x;`\n");
  EXPECT_EQ(taken[1].line, 4u);
  EXPECT_EQ(text, " SELECT 2");
  EXPECT_TRUE(HasWords(text));
}

TEST(Statements, DefineViews) {
  const auto view = ReadView("create or replace temporary view `a b` as SELECT 1 AS x");
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->name, "a b");
  EXPECT_EQ(view->query, " SELECT 1 AS x");
  EXPECT_TRUE(view->replaces);
  EXPECT_FALSE(ReadView("CREATE VIEW v AS SELECT 1")->replaces);
  for (const char* other : {"SELECT 1", "CREATE TABLE t AS SELECT 1", "CREATE VIEW",
                            "CREATE VIEW AS", "CREATE VIEW v", ""}) {
    EXPECT_FALSE(ReadView(other).has_value()) << other;
  }
}

TEST(Statements, StayWhereAQuoteOrACommentIsOpen) {
  for (const char* open : {"SELECT 'a;", "SELECT /* a;", "SELECT \"a;"}) {
    std::string text = open;
    EXPECT_TRUE(TakeStatements(text).empty()) << open;
    EXPECT_EQ(text, open);
    EXPECT_TRUE(IsOpen(text)) << open;
  }
  EXPECT_FALSE(IsOpen("SELECT 'a' -- it's"));
  EXPECT_FALSE(HasWords(" -- a\n/* b */ "));
}

}  // namespace protium
