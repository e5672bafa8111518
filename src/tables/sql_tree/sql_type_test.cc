// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/sql_type.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

SqlType Type(const char* duck) { return SqlType::FromDuck(duck); }

std::string Common(const char* a, const char* b) {
  const auto common = CommonType(Type(a), Type(b));
  return common ? common->SparkName() : "none";
}

std::string ResultType(char operation, const char* a, const char* b) {
  return DecimalResult(operation, Type(a), Type(b)).SparkName();
}

TEST(SqlTypes, HaveNamesOfBothEngines) {
  EXPECT_EQ("decimal(10,2)", Type("DECIMAL(10,2)").SparkName());
  EXPECT_EQ("DECIMAL(10,2)", Type("DECIMAL(10,2)").DuckName());
  EXPECT_EQ("array<int>", Type("INTEGER[]").SparkName());
  EXPECT_EQ("array<decimal(4,1)>", SqlType::ListOf(Type("DECIMAL(4,1)")).SparkName());
  EXPECT_EQ("map<string,map<int,date>>", Type("MAP(VARCHAR, MAP(INTEGER, DATE))").SparkName());
  EXPECT_EQ("array<map<int,date>>", Type("MAP(INTEGER, DATE)[]").SparkName());
  EXPECT_EQ("smallint", Type("UTINYINT").SparkName());
  EXPECT_EQ(SqlType::kUnknown, Type("").kind);
}

TEST(SqlTypes, AreTakenApartAtAnyDepth) {
  const SqlType type = Type("MAP(DECIMAL(3,1), STRUCT(a INTEGER[], \"b, \"\"x\"\" \" VARCHAR))[]");
  EXPECT_EQ("array<map<decimal(3,1),struct<a:array<int>,b, \"x\" :string>>>", type.SparkName());
  EXPECT_EQ("decimal(3,1)", type.Element().Key().SparkName());
  const std::vector<SqlColumn> fields = type.Element().Value().Fields();
  ASSERT_EQ(2u, fields.size());
  EXPECT_EQ("b, \"x\" ", fields[1].name);
  EXPECT_EQ("int", fields[0].type.Element().SparkName());
  EXPECT_EQ(type, Type(type.DuckName().c_str()));
  EXPECT_EQ("array<void>", SqlType::ListOf({SqlType::kNull}).SparkName());
  EXPECT_EQ(SqlType::kUnknown, Type("STRUCT(INTEGER, INTEGER)").kind);
}

TEST(SqlTypes, OfStructsMeetByNamesAndAreComparedByPlaces) {
  EXPECT_EQ("struct<a:bigint>", Common("STRUCT(a INTEGER)", "STRUCT(A BIGINT)"));
  EXPECT_EQ("none", Common("STRUCT(a INTEGER)", "STRUCT(b INTEGER)"));
  EXPECT_EQ("none", Common("STRUCT(a INTEGER)", "INTEGER[]"));
  EXPECT_EQ("map<bigint,double>", Common("MAP(INTEGER, FLOAT)", "MAP(BIGINT, INTEGER)"));
  EXPECT_EQ("array<struct<b:int>>",
            NamedLike(Type("STRUCT(a INTEGER)[]"), Type("STRUCT(b DATE)[]")).SparkName());
}

TEST(SqlTypes, OfElementsMeetWhereNoDigitIsLost) {
  const auto tight = [](const char* a, const char* b) {
    const auto common = TightType(Type(a), Type(b));
    return common ? common->SparkName() : "none";
  };
  EXPECT_EQ("float", tight("FLOAT", "BIGINT"));
  EXPECT_EQ("bigint", tight("TINYINT", "BIGINT"));
  EXPECT_EQ("none", tight("DECIMAL(2,1)", "INTEGER"));
  EXPECT_EQ("none", tight("VARCHAR", "INTEGER"));
  EXPECT_EQ("array<timestamp_ntz>", tight("DATE[]", "TIMESTAMP[]"));
}

TEST(SqlTypes, OfDecimalsComeOfTheirOperands) {
  EXPECT_EQ("decimal(14,6)", ResultType('/', "DECIMAL(10,2)", "DECIMAL(1,0)"));
  EXPECT_EQ("decimal(38,6)", ResultType('/', "DECIMAL(38,10)", "DECIMAL(38,10)"));
  EXPECT_EQ("decimal(23,2)", ResultType('+', "DECIMAL(10,2)", "DECIMAL(20,0)"));
  EXPECT_EQ("decimal(12,2)", ResultType('*', "DECIMAL(10,2)", "DECIMAL(1,0)"));
  EXPECT_EQ("decimal(3,2)", ResultType('%', "DECIMAL(10,2)", "DECIMAL(1,0)"));
  EXPECT_EQ("decimal(38,6)", ResultType('*', "DECIMAL(38,18)", "DECIMAL(38,18)"));
}

TEST(SqlTypes, MeetAsInSpark) {
  EXPECT_EQ("double", Common("FLOAT", "INTEGER"));
  EXPECT_EQ("double", Common("FLOAT", "DECIMAL(2,1)"));
  EXPECT_EQ("float", Common("FLOAT", "FLOAT"));
  EXPECT_EQ("decimal(21,1)", Common("DECIMAL(2,1)", "BIGINT"));
  EXPECT_EQ("bigint", Common("VARCHAR", "TINYINT"));
  EXPECT_EQ("double", Common("DECIMAL(2,1)", "VARCHAR"));
  EXPECT_EQ("date", Common("DATE", "VARCHAR"));
  EXPECT_EQ("timestamp_ntz", Common("DATE", "TIMESTAMP"));
  EXPECT_EQ("int", Common("INTEGER", "\"NULL\""));
  EXPECT_EQ("array<bigint>", Common("INTEGER[]", "BIGINT[]"));
  EXPECT_EQ("none", Common("BOOLEAN", "INTEGER"));
  EXPECT_EQ("none", Common("DATE", "INTEGER"));
  EXPECT_FALSE(CommonType({SqlType::kMonths}, {SqlType::kInterval}).has_value());
  EXPECT_EQ(CommonType(SqlType::IntervalOf(1, 1), SqlType::IntervalOf(2, 3)),
            SqlType::IntervalOf(1, 3));
  EXPECT_EQ(SqlType::IntervalOf(0, 0).SparkName(), "interval day");
  EXPECT_EQ(SqlType{SqlType::kInterval}.SparkName(), "interval day to second");
  EXPECT_EQ(SqlType::MonthsOf(0, 1).SparkName(), "interval year to month");
  EXPECT_EQ(CommonType(SqlType::LocalTime(), SqlType::ZonedTime()), SqlType::ZonedTime());
}

TEST(SqlTypes, OfTextGiveWayWhereverTextStands) {
  const auto common = CommonType({Type("INTEGER"), Type("VARCHAR"), Type("DOUBLE")});
  ASSERT_TRUE(common.has_value());
  EXPECT_EQ("double", common->SparkName());
}

}  // namespace
}  // namespace protium
