// SPDX-License-Identifier: Apache-2.0
#include "expressions.h"

#include <fmt/format.h>

namespace protium {
namespace {

constexpr int kDepth = 3;

}  // namespace

Expression Expressions::Next() {
  const bool total = Draw(6) == 0;
  return {total ? Total(2) : Any(kDepth), total};
}

std::string Expressions::Any(int depth) {
  switch (Draw(8)) {
    case 0:
      return Truth(depth);
    case 1:
      return Date(depth);
    case 2:
      return Moment(depth);
    case 3:
    case 4:
      return Text(depth);
    default:
      return Number(depth);
  }
}

std::string Expressions::NumberLeaf() {
  static const std::vector<const char*> kColumns = {"tiny",  "short", "whole",  "long", "price",
                                                    "share", "wide",  "single", "real", "digits"};
  static const std::vector<const char*> kNumbers = {"1",    "2",      "-3",    "10",  "0.5",
                                                    "1.25", "-0.001", "100.0", "1e2", "3000000000"};
  return Draw(3) > 0 ? OneOf(kColumns) : OneOf(kNumbers);
}

std::string Expressions::Number(int depth) {
  if (depth <= 0 || Draw(6) == 0) return NumberLeaf();
  if (Draw(2) == 0) return NumberCall(depth);
  const std::string a = Number(depth - 1);
  return fmt::format("({} {} {})", a, OneOf({"+", "-", "*", "/", "%", "+", "-", "*", "/", "div"}),
                     Number(depth - 1));
}

std::string Expressions::NumberCall(int depth) {
  const std::string a = Number(depth - 1);
  switch (Draw(14)) {
    case 0:
      return fmt::format("CAST({} AS {})", a,
                         OneOf({"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE",
                                "DECIMAL(10,2)", "DECIMAL(38,6)", "DECIMAL(20,0)"}));
    case 1:
      return fmt::format("coalesce({}, {})", a, Number(depth - 1));
    case 2:
      return fmt::format("{}({}, {})", OneOf({"greatest", "least", "nullif", "nvl", "pmod", "mod"}),
                         a, Number(depth - 1));
    case 3:
      return Case(a, Number(depth - 1), depth);
    case 4:
      return fmt::format("(- {})", a);
    case 5:
      return fmt::format("{}({})", OneOf({"abs", "floor", "ceil", "round", "sign"}), a);
    case 6:
      return fmt::format("{}({}, {})", OneOf({"round", "bround"}), a, OneOf({"0", "1", "3", "-1"}));
    case 7:
      return fmt::format("{}({})", OneOf({"length", "char_length", "ascii"}), Any(depth - 1));
    case 8:
      return fmt::format("{}({})", OneOf({"year", "month", "day", "dayofweek", "quarter"}),
                         Date(depth - 1));
    case 9:
      return fmt::format("datediff({}, {})", Date(depth - 1), Date(depth - 1));
    case 10:
      return fmt::format("({} {} {})", OneOf({"tiny", "short", "whole", "long"}), OneOf({"&", "|"}),
                         OneOf({"tiny", "short", "whole", "long", "5"}));
    case 11:
      return fmt::format("if({}, {}, {})", Truth(depth - 1), a, Number(depth - 1));
    case 12:
      return fmt::format("try_divide({}, {})", a, Number(depth - 1));
    default:
      return fmt::format("instr({}, '0')", Any(depth - 1));
  }
}

std::string Expressions::Case(const std::string& a, const std::string& b, int depth) {
  return fmt::format("CASE WHEN {} THEN {} ELSE {} END", Truth(depth - 1), a, b);
}

std::string Expressions::Text(int depth) {
  if (depth <= 0) return OneOf({"word", "digits", "'a'", "'1'", "'x y'", "''"});
  const std::string a = Any(depth - 1);
  switch (Draw(10)) {
    case 0:
      return fmt::format("({} || {})", a, Any(depth - 1));
    case 1:
      return fmt::format("concat({}, '-', {})", a, Any(depth - 1));
    case 2:
      return fmt::format("concat_ws('/', {}, {})", a, Any(depth - 1));
    case 3:
      return fmt::format("CAST({} AS STRING)", a);
    case 4:
      return fmt::format("{}({})", OneOf({"upper", "lower", "trim", "reverse", "initcap"}), a);
    case 5:
      return fmt::format("substring({}, {}, 3)", a, OneOf({"1", "2", "-2"}));
    case 6:
      return fmt::format("{}({}, 5, '0')", OneOf({"lpad", "rpad"}), a);
    case 7:
      return fmt::format("replace({}, '0', 'o')", a);
    case 8:
      return Case(Text(depth - 1), Text(depth - 1), depth);
    default:
      return fmt::format("coalesce({}, {})", Text(depth - 1), Text(depth - 1));
  }
}

std::string Expressions::Date(int depth) {
  if (depth <= 0) return OneOf({"day", "day", "DATE '2013-01-31'", "CAST(moment AS DATE)"});
  switch (Draw(6)) {
    case 0:
      return fmt::format("({} {} INTERVAL {} {})", Date(depth - 1), OneOf({"+", "-"}),
                         OneOf({"1", "30"}), OneOf({"DAY", "MONTH", "YEAR"}));
    case 1:
      return fmt::format("{}({}, {})", OneOf({"date_add", "date_sub", "add_months"}),
                         Date(depth - 1), OneOf({"1", "-3", "tiny", "100"}));
    case 2:
      return fmt::format("({} + {})", Date(depth - 1), OneOf({"1", "tiny", "short"}));
    case 3:
      return fmt::format("last_day({})", Date(depth - 1));
    case 4:
      return fmt::format("coalesce({}, {})", Date(depth - 1), Date(depth - 1));
    default:
      return Case(Date(depth - 1), Date(depth - 1), depth);
  }
}

std::string Expressions::Moment(int depth) {
  if (depth <= 0) return OneOf({"moment", "CAST(day AS TIMESTAMP_NTZ)"});
  switch (Draw(4)) {
    case 0:
      return fmt::format("({} + INTERVAL {} {})", Moment(depth - 1), OneOf({"1", "25"}),
                         OneOf({"HOUR", "MINUTE", "DAY", "MONTH"}));
    case 1:
      return fmt::format("coalesce({}, {})", Moment(depth - 1), Date(depth - 1));
    case 2:
      return Case(Moment(depth - 1), Date(depth - 1), depth);
    default:
      return Moment(depth - 1);
  }
}

std::string Expressions::Comparison(int depth) {
  const char* const sign = OneOf({"=", "<", ">", "<=", ">=", "<>", "<=>"});
  const auto pair = [&](const std::string& a, const std::string& b) {
    return fmt::format("({} {} {})", a, sign, b);
  };
  switch (Draw(6)) {
    case 0:
      return pair(Text(depth - 1), Text(depth - 1));
    case 1:
      return pair(Date(depth - 1), Draw(2) == 0 ? Date(depth - 1) : Moment(depth - 1));
    case 2:
      return pair("day", "'2013-01-31'");
    case 3:
      return pair(Any(depth - 1), Any(depth - 1));
    default:
      return pair(Number(depth - 1), Number(depth - 1));
  }
}

std::string Expressions::Truth(int depth) {
  if (depth <= 0) return OneOf({"flag", "(whole > 0)", "(price <= 1.5)", "(word = 'abc')"});
  switch (Draw(8)) {
    case 0:
      return fmt::format("({} {} {})", Truth(depth - 1), OneOf({"AND", "OR"}), Truth(depth - 1));
    case 1:
      return fmt::format("(NOT {})", Truth(depth - 1));
    case 2:
      return fmt::format("({} IS NULL)", Any(depth - 1));
    case 3:
      return fmt::format("({} BETWEEN {} AND {})", Number(depth - 1), Number(depth - 1),
                         Number(depth - 1));
    case 4:
      return fmt::format("({} IN ({}, {}))", Number(depth - 1), Number(depth - 1),
                         Number(depth - 1));
    case 5:
      return fmt::format("({} LIKE '%1%')", Any(depth - 1));
    default:
      return Comparison(depth);
  }
}

std::string Expressions::Total(int depth) {
  static const std::vector<const char*> kExact = {"tiny",  "short", "whole", "long",
                                                  "price", "share", "wide"};
  if (depth > 0 && Draw(2) == 0) {
    return fmt::format("({} {} {})", Total(depth - 1), OneOf({"+", "-", "*", "/"}),
                       Draw(3) == 0 ? NumberLeaf().find_first_of("0123456789") == 0 ? "3" : "2.5"
                                    : Total(depth - 1));
  }
  switch (Draw(5)) {
    case 0:
      return OneOf({"count(*)", "count(price)", "count(DISTINCT tiny)"});
    case 1:
      return fmt::format("avg({})", OneOf({"tiny", "short", "price", "share", "wide"}));
    case 2:
      return fmt::format("{}({})", OneOf({"min", "max"}),
                         OneOf({"tiny", "long", "price", "share", "wide", "single", "real"}));
    case 3:
      return fmt::format("sum({} * {})", OneOf(kExact), OneOf({"2", "0.5", "tiny", "price"}));
    default:
      return fmt::format("sum({})", OneOf(kExact));
  }
}

}  // namespace protium
