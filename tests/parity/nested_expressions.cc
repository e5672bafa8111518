// SPDX-License-Identifier: Apache-2.0
#include "nested_expressions.h"

#include <fmt/format.h>

namespace protium {

const char* const kNestedRows =
    "(SELECT *, named_struct('a', n, 'b', w) AS st, "
    "map('a', n, 'b', 2, coalesce(w, 'n') || '!', -1) AS m, map(1, d, 2, CAST(n AS DOUBLE)) AS md, "
    "array(named_struct('k', n, 'v', c), named_struct('k', 2, 'v', CAST(NULL AS DECIMAL(6,2)))) AS "
    "lt "
    "FROM nested)";

namespace {

constexpr int kNestedDepth = 2;

}  // namespace

Expression NestedExpressions::Next() {
  switch (random_.Draw(9)) {
    case 0:
      return {Guarded(), false};
    case 1:
      return {Zoned(kNestedDepth), false};
    case 2:
      return {Cast(kNestedDepth), false};
    case 3:
      return {values_.Json(kNestedDepth), false};
    case 4:
      return {values_.Truth(kNestedDepth), false};
    case 5:
      return {Total(kNestedDepth), true};
    case 6:
      return {values_.Value(values_.AnyKind(), kNestedDepth), false};
    default:
      return {values_.Nested(kNestedDepth), false};
  }
}

std::string NestedExpressions::Cast(int depth) {
  const char* const cast = random_.OneOf({"CAST", "try_cast"});
  switch (random_.Draw(5)) {
    case 0:
      return fmt::format("{}({} AS STRUCT<x: {}, y: STRING>)", cast, values_.Struct(depth - 1),
                         random_.OneOf({"STRING", "BIGINT", "DOUBLE"}));
    case 1:
      return fmt::format("{}({} AS MAP<STRING, {}>)", cast, values_.Map(depth - 1),
                         random_.OneOf({"STRING", "BIGINT", "DOUBLE"}));
    case 2:
      return fmt::format("{}({} AS STRING)", cast, values_.Nested(depth));
    default:
      return fmt::format(
          "{}({} AS ARRAY<{}>)", cast, values_.List(values_.AnyKind(), depth - 1),
          random_.OneOf({"STRING", "INT", "BIGINT", "DOUBLE", "DECIMAL(8,1)", "BOOLEAN"}));
  }
}

std::string NestedExpressions::Guarded() {
  const char* const guard = random_.OneOf({"amount NOT IN ('N/A', '')", "amount RLIKE '^[0-9. ]+$'",
                                           "try_cast(amount AS DOUBLE) IS NOT NULL"});
  const char* const type = random_.OneOf({"DOUBLE", "FLOAT", "DECIMAL(10,2)"});
  const std::string cast = fmt::format("CAST(amount AS {})", type);
  switch (random_.Draw(7)) {
    case 0:
      return fmt::format("CASE WHEN {} THEN {} END", guard, cast);
    case 1:
      return fmt::format("if({}, {}, -1)", guard, cast);
    case 2:
      return fmt::format("({} AND {} > 7)", guard, cast);
    case 3:
      return fmt::format("(SELECT sum(CAST({} AS DECIMAL(12,2))) FROM nested WHERE {})", cast,
                         guard);
    case 4:
      return "CASE WHEN n <> 0 THEN 12 div n ELSE n END";
    case 5:
      return "CASE WHEN stamp LIKE '2%' THEN CAST(stamp AS TIMESTAMP_NTZ) ELSE moment END";
    default:
      return "coalesce(try_cast(amount AS INT), try_cast(amount AS DOUBLE), -1)";
  }
}

std::string NestedExpressions::Zoned(int depth) {
  const char* const zone =
      random_.OneOf({"'America/New_York'", "'Europe/Berlin'", "'+05:30'", "'UTC'"});
  const char* const time = random_.OneOf({"moment", "TIMESTAMP_NTZ'2013-07-01 12:00:00'",
                                          "CAST(try_cast(stamp AS TIMESTAMP) AS TIMESTAMP_NTZ)"});
  switch (random_.Draw(8)) {
    case 0:
      return fmt::format("{}({}, {})", random_.OneOf({"from_utc_timestamp", "to_utc_timestamp"}),
                         time, zone);
    case 1:
      return fmt::format("try_cast({} AS {})",
                         random_.OneOf({"stamp", "stamp || 'Z'", "stamp || ' +02:00'"}),
                         random_.OneOf({"TIMESTAMP", "TIMESTAMP_NTZ", "DATE"}));
    case 2:
      return fmt::format("date_trunc('{}', {})", random_.OneOf({"HOUR", "WEEK", "MONTH", "DAY"}),
                         time);
    case 3:
      return fmt::format("convert_timezone('UTC', {}, {})", zone, time);
    case 4:
      return fmt::format("({} = TIMESTAMP'2013-02-28 10:11:12{}')", time,
                         random_.OneOf({"", "-05:00", "Z"}));
    case 5:
      return fmt::format("unix_timestamp(CAST({} AS TIMESTAMP))", time);
    case 6:
      return fmt::format("extract({} FROM {})", random_.OneOf({"HOUR", "DAY", "WEEK", "SECOND"}),
                         time);
    default:
      return fmt::format("array({}, {})", time, depth > 1 ? "moment" : "day");
  }
}

std::string NestedExpressions::ExtremeBy() {
  const std::string nested = values_.Nested(1);
  return fmt::format("{}({}, n)", random_.OneOf({"max_by", "min_by"}), nested);
}

std::string NestedExpressions::Total(int depth) {
  const NestedKind kind = values_.AnyKind();
  switch (random_.Draw(8)) {
    case 0:
      return fmt::format("sort_array(collect_list({}))", values_.Value(kind, depth - 1));
    case 1:
      return fmt::format(
          "sort_array(collect_set({}))",
          values_.Value(kind == NestedKind::kDouble ? NestedKind::kInt : kind, depth - 1));
    case 2:
      return fmt::format("{}({})", random_.OneOf({"max", "min"}),
                         random_.Draw(2) == 0 ? values_.Struct(1) : values_.List(kind, 1));
    case 3:
      return fmt::format("count(DISTINCT {})",
                         random_.Draw(2) == 0 ? values_.Struct(1) : values_.List(kind, 1));
    case 4:
      return fmt::format(
          "sum(try_cast(amount AS DECIMAL(10,2))) FILTER (WHERE {})",
          random_.OneOf({"amount NOT IN ('N/A', '')", "try_cast(amount AS DOUBLE) IS NOT NULL"}));
    case 5:
      return fmt::format("sum({})", random_.OneOf({"size(li)", "li[0]", "get(lc, 0)",
                                                   "element_at(m, 'b')", "st.a"}));
    case 6:
      return ExtremeBy();
    default:
      return fmt::format("avg({})", random_.OneOf({"get(lc, 0)", "get(li, 0)", "st.a", "m['a']"}));
  }
}

}  // namespace protium
