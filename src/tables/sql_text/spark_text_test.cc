// SPDX-License-Identifier: Apache-2.0
#include "sql_text/spark_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "sql_text/place.h"

namespace protium {
namespace {

std::string Duck(const std::string& sql) {
  const auto text = FromSpark(sql);
  return text.ok() ? text->text : FaultOf(text.status()).what;
}

TEST(FromSpark, LeavesSharedTextAsItIs) {
  for (const std::string sql :
       {"SELECT a, 1.5, .5, x.y, \"my \"\"col\"\"\" FROM t -- it's 1D\nWHERE a LIKE 'b''c%' /* "
        "2L */",
        "SELECT CAST(a AS DOUBLE), if(a, 1, 2), left(s, 2), a1D FROM t LEFT JOIN u USING (k)",
        "SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS rows FROM t",
        "SELECT *, t.*, count(*) FROM t GROUP BY ALL ORDER BY a DESC NULLS LAST LIMIT 3;"}) {
    EXPECT_EQ(Duck(sql), sql);
  }
}

TEST(FromSpark, GivesOperatorsTheOperandsThatTheyHaveInSpark) {
  EXPECT_EQ(Duck("1 | 2 & 4, ~ 1 + 1, ! 2 = 3, - 2 ^ 2, -a ^ 2"),
            "1 | (2 & 4), \"~\" (1) + 1, NOT (2 = 3), (- 2) ^ 2, \"-\"(a) ^ 2");
  EXPECT_EQ(Duck("a BETWEEN 1 + 1 AND 2 AND b OR NOT c IS NULL"),
            "((a BETWEEN (1 + 1) AND 2) AND b) OR (NOT (c IS NULL))");
  EXPECT_EQ(Duck("a = b = c, a - b - c, a AND b AND c, a << 1 >> 2"),
            "(a = b) = c, a - b - c, a AND b AND c, shiftright(shiftleft(a , 1) , 2)");
  EXPECT_EQ(Duck("a<-1, a=~b, -2::string, -(2)::string, a !> b, a == b, a >>> b"),
            "a<(-1), a=\"~\"(b), (-2)::string, \"-\"((2)::string), a <= b, a = b, "
            "shiftrightunsigned(a , b)");
  EXPECT_EQ(
      Duck("CASE WHEN a = 1 OR b THEN -a * 2 END + 1, (SELECT max(a + b * 2) FROM t) * 2"),
      "CASE WHEN (a = 1) OR b THEN \"-\"(a) * 2 END + 1, (SELECT max(a + (b * 2)) FROM t) * 2");
}

TEST(FromSpark, RefusesWhatOnlyDuckDbReads) {
  const auto fix = [](const std::string& sql) {
    const auto text = FromSpark(sql);
    return text.ok() ? text->text : FaultOf(text.status()).fix;
  };
  for (const char* sql : {"SELECT a, FROM t", "SELECT a FROM t GROUP BY a,", "a IN (1, 2,)"}) {
    EXPECT_EQ(fix(sql), "leave it out") << sql;
  }
  EXPECT_EQ(fix("SELECT t.* EXCLUDE (a) FROM t"), "use * EXCEPT (a, b)");
  EXPECT_EQ(fix("SELECT 1 EXCEPT BY NAME SELECT 2"), "list the columns of both in the same order");
  EXPECT_EQ(fix("SELECT a FROM t LIMIT 10%"), "give a number of rows");
  EXPECT_EQ(fix("SELECT a FROM t LIMIT 1, 2"), "use LIMIT rows OFFSET rows");
  EXPECT_EQ(fix("SELECT [1, 2]"), "use array(1, 2)");
  EXPECT_EQ(fix("SELECT a[1:2]"), "use slice(list, start, length), which counts from 1");
  EXPECT_EQ(fix("SELECT x: a + 1"), "use expression AS name");
  EXPECT_EQ(fix("SELECT a FROM t ASOF JOIN u ON a > b"),
            "join ON the order of the two, and keep the nearest by row_number()");
  EXPECT_EQ(fix("SELECT round(x => 1)"), "give the arguments in their order");
  EXPECT_EQ(fix("SELECT {'a': 1}"), "use named_struct('a', 1), or map('a', 1)");
}

// Words that only some positions in those forms make foreign.
TEST(FromSpark, TakesNamesThatOnlyLookForeign) {
  for (const std::string sql :
       {"SELECT exclude, a * exclude, t.replace FROM t", "SELECT try, count, at FROM t",
        "SELECT sum(a) OVER (PARTITION BY b ORDER BY c) FROM t",
        "SELECT a qualify FROM (SELECT b FROM t ORDER BY b) u",
        "SELECT count(*) FILTER (WHERE a > 1), max(b) FROM t WHERE a IN (SELECT b FROM u ORDER BY "
        "b)"}) {
    EXPECT_TRUE(FromSpark(sql).ok()) << sql << "\n" << FromSpark(sql).status().ToString();
  }
}

TEST(FromSpark, RefusesWhatSparkCannotRead) {
  EXPECT_EQ(Duck("a IS NULL = b"), "Spark does not accept \"=\" after a predicate");
  EXPECT_EQ(Duck("a = NOT b"), "Spark does not accept \"NOT\" after an operator");
  EXPECT_EQ(Duck("a ! IN (1)"), "Spark does not accept \"!\" after an operand");
  EXPECT_EQ(Duck("(a + 1"), "a parenthesis is never closed");
  EXPECT_EQ(Duck("a + , b"), "Spark expects an operand at \",\"");
  EXPECT_EQ(Duck("CASE WHEN a THEN b"), "CASE has no END");
  EXPECT_EQ(Duck("CAST(a AS HUGEINT)"), "Spark has no type \"HUGEINT\"");
  EXPECT_EQ(Duck("[1, 2]"), "Spark expects an operand at \"[\"");
  EXPECT_EQ(Duck("e'a'"), "Spark has no literal e'...'");
}

TEST(FromSpark, WritesLiteralsOut) {
  EXPECT_EQ(Duck("1.5D + 7L * -0.5BD * 1e3F"),
            "CAST('1.5' AS DOUBLE) + (CAST(CAST('7' AS HUGEINT) AS BIGINT) * (-.5) * CAST('1e3' AS "
            "FLOAT))");
  EXPECT_EQ(
      Duck("-9223372036854775808L, -2147483648, 9223372036854775808, 0.50, 1.5e-3BD"),
      "CAST(CAST('-9223372036854775808' AS HUGEINT) AS BIGINT), CAST('-2147483648' AS INTEGER), "
      "CAST(9223372036854775808 AS DECIMAL(19, 0)), .50, .0015");
  EXPECT_EQ(Duck("1e3, -1.5E-3"), "CAST('1e3' AS DOUBLE), CAST('-1.5E-3' AS DOUBLE)");
  EXPECT_EQ(Duck("5. + -12BD"), "CAST(5 AS DECIMAL(1, 0)) + CAST(-12 AS DECIMAL(2, 0))");
  EXPECT_EQ(Duck("'a\\tb' || 'it\\'s' || '\\\\d' || r'\\d' || '\\%' || '\\u0041\\q'"),
            "'a\tb' || 'it''s' || '\\d' || '\\d' || '\\%' || 'Aq'");
  EXPECT_EQ(Duck("'\\101\\08', '\\377', '\\U0001F600', '\\uD83D\\uDE00', '\\uD83D', '\\u00g1'"),
            "('A' || chr(0) || '8'), '377', '😀', '😀', '?', 'u00g1'");
  EXPECT_EQ(Duck("'a' 'b', R\"it's\", X'1F', DATE'2020-01-01'"),
            "'ab', 'it''s', binary_literal('1F'), DATE'2020-01-01'");
  EXPECT_EQ(Duck("INTERVAL 1 DAY 2 HOURS, INTERVAL -1 DAY"),
            "(INTERVAL 1 DAY + INTERVAL 2 HOURS), INTERVAL '-1' DAY");
  EXPECT_EQ(Duck("INTERVAL 1 QUARTER"), "an interval in quarters is not supported");
  EXPECT_EQ(Duck("INTERVAL '1 02:03' DAY TO MINUTE, INTERVAL -'1-2' YEAR TO MONTH"),
            "CAST('1 DAY 2 HOUR 3 MINUTE' AS INTERVAL), CAST('-1 YEAR -2 MONTH' AS INTERVAL)");
  EXPECT_EQ(Duck("INTERVAL '2:03.5' MINUTE TO SECOND"),
            "CAST('2 MINUTE 3 SECOND 500000 MICROSECOND' AS INTERVAL)");
  EXPECT_EQ(Duck("INTERVAL '1 24' DAY TO HOUR"), "Spark reads no interval from '1 24'");
  EXPECT_EQ(Duck("INTERVAL '1-2' YEAR TO DAY"), "Spark reads no interval from '1-2'");
  EXPECT_EQ(Duck("123456789012345678901234567890123456789"),
            "the number 123456789012345678901234567890123456789. has 39 digits");
}

TEST(FromSpark, ReadsCommentsAsSparkDoes) {
  EXPECT_EQ(Duck("1 /* a /* b */ c */ + 2 -- d \\\n e\n+ 3"), "1   + 2 \n\n+ 3");
  EXPECT_EQ(Duck("SELECT 1 /* open"), "a comment is never closed");
}

TEST(FromSpark, TranslatesOperatorsAndJoins) {
  EXPECT_EQ(Duck("a<=>b"), "a IS NOT DISTINCT FROM b");
  EXPECT_EQ(Duck("a RLIKE 'x' AND b NOT RLIKE 'y' || 'z' AND rlike(c, 'z')"),
            "(a ~ 'x') AND (b !~ ('y' || 'z')) AND rlike(c, 'z')");
  EXPECT_EQ(Duck("a div 2, -7 DIV b"), "a // 2, (-7) // b");
  EXPECT_EQ(Duck("t LEFT SEMI JOIN u ON a LEFT ANTI JOIN v USING (b)"),
            "t SEMI JOIN u ON a ANTI JOIN v USING (b)");
  EXPECT_EQ(Duck("FROM t JOIN u JOIN v AS w LEFT JOIN (SELECT 1) x (y) CROSS JOIN z JOIN f(1) g "
                 "USING (a)"),
            "FROM t JOIN u ON true JOIN v AS w ON true LEFT JOIN (SELECT 1) x (y) ON true "
            "CROSS JOIN z JOIN f(1) g USING (a)");
  EXPECT_EQ(Duck("SELECT * EXCEPT (a) FROM t MINUS SELECT 1"),
            "SELECT * EXCLUDE (a) FROM t EXCEPT SELECT 1");
  EXPECT_EQ(Duck("f(xs, x -> x + 1 = 2), f(xs, 0, (a, `b`) -> a)"),
            "f(xs, lambda x: (x + 1) = 2), f(xs, 0, lambda a, \"b\": a)");
  EXPECT_EQ(Duck("first_value(a) IGNORE NULLS OVER w, last_value(a) RESPECT NULLS OVER w"),
            "first_value(a IGNORE NULLS)  OVER w, last_value(a)  OVER w");
}

TEST(FromSpark, WritesWhatSparkTakesAsTables) {
  EXPECT_EQ(Duck("SELECT * FROM VALUES 1, (2) AS t(a) JOIN VALUES (1, 'x') u"),
            "SELECT * FROM (VALUES (1), (2)) AS t(a) JOIN (VALUES (1, 'x')) u ON true");
  EXPECT_EQ(Duck("SELECT * FROM (VALUES 1) t(a), (u), (v JOIN w) AS x"),
            "SELECT * FROM (VALUES (1)) t(a),  u , (SELECT * FROM v JOIN w ON true) AS x");
  EXPECT_EQ(Duck("VALUES 1 + 1, 2 AS t(a)"), "SELECT * FROM (VALUES (1 + 1), (2)) AS t(a)");
  for (const char* const row : {"VALUES (struct(1, 2))", "VALUES ((1, 2))", "VALUES struct(1)"}) {
    EXPECT_EQ(Duck(row), "a row of VALUES is a structure") << row;
  }
  EXPECT_EQ(Duck("VALUES ((1), (2, 3)), ((4 + 5) * 6)"), "VALUES ((1), (2, 3)), ((4 + 5) * 6)");
  EXPECT_EQ(Duck("TABLE t"), "FROM t");
  EXPECT_EQ(Duck("SELECT * FROM t, u RIGHT JOIN v ON a = b"),
            "SELECT * FROM t CROSS JOIN  u RIGHT JOIN v ON a = b");
  EXPECT_EQ(Duck("SELECT b FROM t LATERAL VIEW OUTER explode(a) e AS b, c WHERE b > 1"),
            "SELECT b FROM t CROSS JOIN LATERAL (SELECT EXPLODE_outer(a) ) AS \"e\"(\"b\", \"c\") "
            "WHERE b > 1");
  EXPECT_EQ(Duck("SELECT * FROM t, LATERAL explode(a) AS e(b)"),
            "SELECT * FROM t, LATERAL (SELECT explode(a)) AS e(b)");
  EXPECT_EQ(Duck("SELECT * FROM t, LATERAL (SELECT a) AS d"),
            "SELECT * FROM t, LATERAL (SELECT * FROM (SELECT a) AS pt_lateral) AS d");
}

TEST(FromSpark, WritesGroupsBehindTheirKind) {
  EXPECT_EQ(Duck("GROUP BY a, b WITH ROLLUP HAVING c"), "GROUP BY ROLLUP (a, b)  HAVING c");
  EXPECT_EQ(Duck("GROUP BY a, b GROUPING SETS ((a), ())"), "GROUP BY  GROUPING SETS ((a), ())");
  EXPECT_EQ(Duck("GROUP BY (a, b)"), "GROUP BY has several columns in parentheses");
  EXPECT_EQ(Duck("GROUP BY (a), (f(b, c))"), "GROUP BY (a), (f(b, c))");
  EXPECT_EQ(Duck("grouping_id(), grouping_id(a), grouping_id(a, b), grouping(a)"),
            "grouping_id(pt_all_groups), grouping_id(a, pt_all_groups), grouping_id(a, b), "
            "grouping(a)");
  EXPECT_EQ(Duck("GROUP BY ()"), "GROUP BY has parentheses with nothing in them");
}

TEST(FromSpark, LooksAtFramesAsSparkDoes) {
  for (const char* const frame :
       {"rank() OVER (ORDER BY a ROWS 1 PRECEDING)", "lag(a) OVER (ORDER BY a ROWS 1 PRECEDING)",
        "rank() OVER (ORDER BY a RANGE UNBOUNDED PRECEDING)",
        "median(a) OVER (ROWS UNBOUNDED PRECEDING)"}) {
    EXPECT_THAT(Duck(frame), testing::HasSubstr("is given a frame")) << frame;
  }
  EXPECT_THAT(Duck("sum(a) OVER (ORDER BY a ROWS b PRECEDING)"), testing::HasSubstr("the bound"));
  EXPECT_THAT(Duck("sum(a) OVER (ORDER BY a ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING)"),
              testing::HasSubstr("ends before it begins"));
  EXPECT_TRUE(FromSpark("rank() OVER (ORDER BY a ROWS UNBOUNDED PRECEDING)").ok());
}

TEST(FromSpark, WritesCallsWithCommas) {
  EXPECT_EQ(Duck("position(a || b IN c), position(a, b, 2), substring(a FROM 1 + 1 FOR 2)"),
            "locate(a || b , c), locate(a, b, 2), substring(a , 1 + 1 , 2)");
  EXPECT_EQ(Duck("overlay(a PLACING b FROM 2), overlay(a, b, 2), trim(BOTH 'x' FROM a)"),
            "\"overlay\"(a , b , 2), \"overlay\"(a, b, 2), trim(BOTH 'x' FROM a)");
  EXPECT_EQ(Duck("struct(1 + 2 AS a, b, c AS `d e`)"),
            "\"struct\"(\"a\" := 1 + 2 , b, \"d e\" := c )");
}

TEST(FromSpark, WritesTypesAsDuckDbDoes) {
  EXPECT_EQ(Duck("CAST(a AS DECIMAL), b::decimal(3), CAST(c AS LONG), CAST(d AS CHAR(2))"),
            "CAST(a AS DECIMAL(10, 0)), b::DECIMAL(3, 0), CAST(c AS BIGINT), CAST(d AS VARCHAR)");
  EXPECT_EQ(Duck("CAST(a AS ARRAY<ARRAY<INT>>) >> 1, CAST(b AS MAP<STRING, STRUCT<c: INT>>)"),
            "shiftright(CAST(a AS INT[][]) , 1), CAST(b AS MAP(STRING, STRUCT(\"c\" INT)))");
  EXPECT_EQ(Duck("CAST(a AS TIMESTAMP_NTZ), TIMESTAMP_NTZ '2020-01-01'"),
            "CAST(a AS TIMESTAMP_S), TIMESTAMP_S '2020-01-01'");
}

TEST(FromSpark, QuotesNamesThatOnlyDuckDbReserves) {
  EXPECT_EQ(Duck("SELECT `a\"b`, at, max(at) AS show, double(x), CAST(y AS INT) AS int"),
            "SELECT \"a\"\"b\", \"at\", max(\"at\") AS show, \"double\"(x), CAST(y AS INT) AS int");
  EXPECT_EQ(Duck("SELECT array(1, 2)[0], any(x), a isnull, 1_000 FROM t"),
            "SELECT \"array\"(1, 2)[0], \"any\"(x), a \"isnull\", \"1_000\" FROM t");
  EXPECT_EQ(Duck("EXISTS (SELECT 1), exists(xs, x -> x)"),
            "EXISTS (SELECT 1), \"exists\"(xs, lambda x: x)");
}

TEST(FromSpark, RefusesWhatOnlyDuckDbHas) {
  EXPECT_EQ(Duck("a // b"), "\"//\" is not the same on every engine");
  EXPECT_EQ(Duck("!~a < b"), "NOT(\"~\"(a) < b)");
  EXPECT_EQ(Duck("a !~ 'x'"), "Spark does not accept \"!\" after an operand");
  EXPECT_EQ(Duck("a ~ 'x'"), "Spark does not accept \"~\" after an operand");
  EXPECT_EQ(Duck("SELECT ~6"), "SELECT \"~\"(6)");
  EXPECT_EQ(Duck("SELECT $$a$$"), "\"$\" is not the same on every engine");
  EXPECT_EQ(Duck("SELECT 'open"), "a text in quotes is never closed");
}

TEST(FromSpark, WritesFormsOfSparksGrammarAsCalls) {
  EXPECT_EQ(Duck("a LIKE ANY ('a', 'b')"), "like_any('LIKE ANY', a ,'a', 'b')");
  EXPECT_EQ(Duck("a + 1 NOT ILIKE ALL ('a')"), "like_any('NOT ILIKE ALL', (a + 1) ,'a')");
  EXPECT_EQ(Duck("listagg(a, ',') WITHIN GROUP (ORDER BY b)"), "listagg(a, ',' ORDER BY b)");
  EXPECT_EQ(Duck("from_json(a, 'b INT')"),
            "from_json(a, CAST(NULL AS STRUCT(\"b\" INT)), '\"STRUCT(\\\"b\\\" INT)\"')");
}

TEST(FromSpark, RefusesByNameWhatDuckDbCannotParse) {
  EXPECT_EQ(Duck("a LIKE ANY ()"), "LIKE ANY has no list of patterns in parentheses");
  EXPECT_EQ(Duck("f(1 AS a)"), "a name with AS inside a call");
  EXPECT_EQ(Duck("SELECT a FROM t LATERAL VIEW abs(b) v AS c"),
            "LATERAL VIEW is given a function that makes no rows");
  EXPECT_EQ(Duck("DROP TABLE t"), "the SQL text is not a SELECT");
  EXPECT_EQ(Duck("SELECT a FROM t TABLESAMPLE 10%"), "a sample depends on the engine");
  EXPECT_EQ(Duck("SELECT a FROM t SORT BY a"), "SORT BY is not supported by the embedded engine");
}

TEST(FromSpark, TakesTypesThatAreWideRatherThanDeep) {
  std::string fields = "f0: INT";
  for (int i = 1; i < 1100; ++i) fields += ", f" + std::to_string(i) + ": INT";
  EXPECT_THAT(Duck("SELECT CAST(a AS STRUCT<" + fields + ">)"),
              testing::HasSubstr("\"f1099\" INT"));
}

TEST(FromSpark, RefusesTextThatWouldOutgrowItsStack) {
  const auto many = [](const std::string& part) {
    std::string text = "SELECT ";
    for (int i = 0; i < 20000; ++i) text += part;
    return text + "1";
  };
  for (const char* part : {"(", "NOT ", "- ", "CASE WHEN ", "f(", "a[", "CAST(", "x -> ",
                           "(SELECT ", "WINDOW w AS (", "JOIN (", "EXISTS (", "a IN ("}) {
    EXPECT_EQ(Duck(many(part)), "the SQL text is nested too deep") << part;
  }
  EXPECT_EQ(Duck("SELECT CAST(a AS " + many("ARRAY<").substr(7)), "a type is nested too deep");
  EXPECT_EQ(Duck("SELECT " + std::string(400, '(') + "1" + std::string(400, ')')),
            "SELECT " + std::string(400, '(') + "1" + std::string(400, ')'));
}

TEST(DuckText, KnowsWhereItCameFrom) {
  const std::string sql = "SELECT 1D + 2 * 3,\n 2L = a & b, bad";
  const DuckText text = FromSpark(sql).ValueOrDie();
  EXPECT_EQ(PlaceIn(sql, text.Origin(text.text.find("bad"))), "the SQL text, line 2, column 14");
}

}  // namespace
}  // namespace protium
