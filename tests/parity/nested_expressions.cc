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

constexpr int kDepth = 2;

}  // namespace

Expression NestedExpressions::Next() {
  switch (random_.Draw(9)) {
    case 0:
      return {Guarded(), false};
    case 1:
      return {Zoned(kDepth), false};
    case 2:
      return {Cast(kDepth), false};
    case 3:
      return {Json(kDepth), false};
    case 4:
      return {Truth(kDepth), false};
    case 5:
      return {Total(kDepth), true};
    case 6:
      return {Value(AnyKind(), kDepth), false};
    default:
      return {Nested(kDepth), false};
  }
}

NestedExpressions::Kind NestedExpressions::AnyKind() { return static_cast<Kind>(random_.Draw(4)); }

std::string NestedExpressions::Leaf(Kind kind) {
  switch (kind) {
    case Kind::kInt:
      return random_.OneOf({"n", "n", "1", "-3", "0", "2"});
    case Kind::kDouble:
      return random_.OneOf({"d", "d", "1.5D", "-0.0D", "CAST('NaN' AS DOUBLE)"});
    case Kind::kCents:
      return random_.OneOf({"c", "c", "1.5", "-0.05", "2.00"});
    default:
      return random_.OneOf({"w", "w", "amount", "'a'", "''", "'b c'"});
  }
}

std::string NestedExpressions::Value(Kind kind, int depth) {
  if (depth <= 0 || random_.Draw(4) == 0) return Leaf(kind);
  if (kind == Kind::kText && random_.Draw(2) == 0) return Text(depth);
  switch (random_.Draw(6)) {
    case 0:
      return fmt::format("coalesce({}, {})", Value(kind, depth - 1), Leaf(kind));
    case 1:
      return fmt::format("if({}, {}, {})", Truth(depth - 1), Value(kind, depth - 1), Leaf(kind));
    default:
      return Part(kind, depth);
  }
}

std::string NestedExpressions::Part(Kind kind, int depth) {
  const std::string list = List(kind, depth - 1);
  switch (random_.Draw(10)) {
    case 0:
      return fmt::format("get({}, {})", list, random_.OneOf({"0", "1", "-1", "n"}));
    case 1:
      return fmt::format("try_element_at({}, {})", list, random_.OneOf({"1", "-1", "5"}));
    case 2:
      return fmt::format("{}({})", random_.OneOf({"array_max", "array_min"}), list);
    case 3:
      if (kind == Kind::kInt) return fmt::format("size({})", OtherList(AnyKind(), depth - 1));
      return fmt::format("get({}, 0)", list);
    case 4:
      if (kind == Kind::kInt) return fmt::format("{}.a", Struct(depth - 1));
      if (kind == Kind::kDouble) return "try_element_at(md, 1)";
      return kind == Kind::kCents ? "lt[0].v" : fmt::format("{}.b", Struct(depth - 1));
    case 5:
      if (kind == Kind::kInt)
        return fmt::format("{}['{}']", Map(depth - 1), random_.OneOf({"a", "b"}));
      return kind == Kind::kDouble ? "md[2]" : fmt::format("get({}, 1)", list);
    case 6:
      if (kind == Kind::kText) return fmt::format("array_join({}, ',')", list);
      return fmt::format("aggregate({}, {}, (acc, x) -> {})", list,
                         kind == Kind::kInt      ? "0"
                         : kind == Kind::kDouble ? "0D"
                                                 : "CAST(0 AS DECIMAL(12,2))",
                         kind == Kind::kCents ? "CAST(acc + coalesce(x, 0) AS DECIMAL(12,2))"
                                              : "greatest(acc, x)");
    case 7:
      if (kind == Kind::kInt) return fmt::format("array_position({}, {})", list, Leaf(kind));
      return fmt::format("element_at(array({}, {}), 2)", Leaf(kind), Leaf(kind));
    default:
      return fmt::format("get({}, 0)", list);
  }
}

std::string NestedExpressions::List(Kind kind, int depth) {
  if (depth > 0 && random_.Draw(3) > 0) return ListCall(kind, depth);
  switch (kind) {
    case Kind::kInt:
      return random_.OneOf({"li", "li", "array(n, 1)", "ll[0]", "map_values(m)", "sequence(1, 3)"});
    case Kind::kDouble:
      return random_.OneOf({"ld", "ld", "array(d, 1.5D)", "map_values(md)"});
    case Kind::kCents:
      return random_.OneOf({"lc", "lc", "array(c, 1.5)", "lt.v"});
    default:
      return random_.OneOf(
          {"ls", "ls", "array(w, 'a')", "split(w, ' ')", "map_keys(m)", "array()"});
  }
}

std::string NestedExpressions::ListCall(Kind kind, int depth) {
  const std::string list = List(kind, depth - 1);
  switch (random_.Draw(14)) {
    case 0:
      return fmt::format("filter({}, x -> x {} {})", list,
                         random_.OneOf({">", "<>", "IS NOT DISTINCT FROM"}), Leaf(kind));
    case 1:
      return fmt::format("transform({}, (x, i) -> {})", list,
                         kind == Kind::kText  ? "x || i"
                         : kind == Kind::kInt ? "x + i"
                                              : "x");
    case 2:
      return fmt::format("slice({}, {}, 2)", list, random_.OneOf({"1", "2", "-1"}));
    case 3:
      return fmt::format(
          "{}({})", random_.OneOf({"array_distinct", "reverse", "array_compact", "array_sort"}),
          list);
    case 4:
      return fmt::format(
          "{}({}, {})", random_.OneOf({"array_union", "array_intersect", "array_except", "concat"}),
          list, List(kind, depth - 1));
    case 5:
      return fmt::format("sort_array({}, {})", list, random_.OneOf({"true", "false"}));
    case 6:
      return fmt::format("{}({}, {})",
                         random_.OneOf({"array_append", "array_prepend", "array_remove"}), list,
                         Leaf(kind));
    case 7:
      return fmt::format("array_repeat({}, {})", Value(kind, depth - 1), random_.OneOf({"0", "2"}));
    case 8:
      return fmt::format("flatten(array({}, {}))", list, List(kind, depth - 1));
    case 9:
      return fmt::format("if({}, {}, {})", Truth(depth - 1), list, List(kind, depth - 1));
    case 10:
      return fmt::format("coalesce({}, {})", list, List(kind, depth - 1));
    case 11:
      return fmt::format("zip_with({}, {}, (x, y) -> coalesce(x, y))", list, List(kind, depth - 1));
    case 12:
      return fmt::format("array({}, {})", Value(kind, depth - 1), Leaf(kind));
    default:
      return fmt::format("array_insert({}, {}, {})", list, random_.OneOf({"1", "2", "-1"}),
                         Leaf(kind));
  }
}

// Of lists, structures or other kinds, too.
std::string NestedExpressions::OtherList(Kind kind, int depth) {
  switch (random_.Draw(6)) {
    case 0:
      return random_.OneOf({"ll", "lt", "map_entries(m)", "array(st)", "array(li, array(n))"});
    case 1:
      return fmt::format("arrays_zip({}, {})", List(kind, depth - 1), List(Kind::kInt, depth - 1));
    case 2:
      return fmt::format("transform({}, x -> named_struct('x', x))", List(kind, depth - 1));
    default:
      return List(kind, depth);
  }
}

std::string NestedExpressions::Map(int depth) {
  if (depth <= 0) return "m";
  switch (random_.Draw(6)) {
    case 0:
      return "map_filter(m, (k, v) -> k <> 'b')";
    case 1:
      return "transform_values(m, (k, v) -> v + 1)";
    case 2:
      return "transform_keys(m, (k, v) -> upper(k))";
    case 3:
      return "map_concat(m, map('z', 1))";
    case 4:
      return "map_from_arrays(array('a', 'b'), array(n, 2))";
    default:
      return "m";
  }
}

std::string NestedExpressions::Struct(int depth) {
  if (depth <= 0) return "st";
  switch (random_.Draw(4)) {
    case 0:
      return fmt::format("named_struct('a', {}, 'b', {})", Value(Kind::kInt, depth - 1),
                         Value(Kind::kText, depth - 1));
    case 1:
      return fmt::format("if({}, st, named_struct('a', 1, 'b', 'x'))", Truth(depth - 1));
    default:
      return "st";
  }
}

std::string NestedExpressions::Nested(int depth) {
  switch (random_.Draw(8)) {
    case 0:
      return Map(depth);
    case 1:
      return Struct(depth);
    case 2:
    case 3:
      return OtherList(AnyKind(), depth);
    default:
      return List(AnyKind(), depth);
  }
}

std::string NestedExpressions::Text(int depth) {
  switch (random_.Draw(6)) {
    case 0:
      return fmt::format("CAST({} AS STRING)", Nested(depth - 1));
    case 1:
      return fmt::format("concat_ws('-', {}, {})", List(Kind::kText, depth - 1), Leaf(Kind::kText));
    case 2:
      return fmt::format("array_join({}, '+', 'none')", List(Kind::kText, depth - 1));
    case 3:
      return fmt::format("to_json({})", random_.Draw(2) == 0 ? Struct(depth - 1) : Map(depth - 1));
    case 4:
      return Json(depth);
    default:
      return fmt::format("typeof({})", Nested(depth - 1));
  }
}

std::string NestedExpressions::Truth(int depth) {
  const Kind kind = AnyKind();
  const int below = depth - 1;
  switch (random_.Draw(depth <= 0 ? 2 : 9)) {
    case 0:
      return "flag";
    case 1:
      return "(n > 0)";
    case 2:
      return fmt::format("array_contains({}, {})", List(kind, below), Leaf(kind));
    case 3:
      return fmt::format("{}({}, x -> x > {})", random_.OneOf({"exists", "forall"}),
                         List(kind, below), Leaf(kind));
    case 4:
      return fmt::format("arrays_overlap({}, {})", List(kind, below), List(kind, below));
    case 5:
      return fmt::format("({} {} {})", List(kind, below), random_.OneOf({"=", "<", "<=>", ">="}),
                         List(kind, below));
    case 6:
      return fmt::format("({} {} {})", Struct(below), random_.OneOf({"=", "<", "<=>", ">="}),
                         Struct(below));
    case 7:
      return fmt::format("map_contains_key({}, '{}')", Map(below), random_.OneOf({"a", "q"}));
    default:
      return fmt::format("({} IS NULL)", Nested(below));
  }
}

std::string NestedExpressions::Json(int depth) {
  const char* const path =
      random_.OneOf({"$.a", "$.b", "$.l", "$.l[1]", "$.o.p", "$", "$.l[*]", "$[0]"});
  switch (random_.Draw(7)) {
    case 0:
      return fmt::format("from_json(doc, 'a {}, b STRING').{}",
                         random_.OneOf({"INT", "STRING", "DOUBLE"}), random_.OneOf({"a", "b"}));
    case 1:
      return "from_json(doc, 'a STRING, b STRING, l ARRAY<INT>')";
    case 2:
      return fmt::format("to_json({})",
                         depth > 0 && random_.Draw(2) == 0 ? Struct(depth - 1) : "lt");
    case 3:
      return fmt::format("json_array_length(get_json_object(doc, '{}'))", path);
    case 4:
      return fmt::format("try_cast(get_json_object(doc, '{}') AS {})", path,
                         random_.OneOf({"INT", "DOUBLE"}));
    default:
      return fmt::format("get_json_object(doc, '{}')", path);
  }
}

std::string NestedExpressions::Cast(int depth) {
  const char* const cast = random_.OneOf({"CAST", "try_cast"});
  switch (random_.Draw(5)) {
    case 0:
      return fmt::format("{}({} AS STRUCT<x: {}, y: STRING>)", cast, Struct(depth - 1),
                         random_.OneOf({"STRING", "BIGINT", "DOUBLE"}));
    case 1:
      return fmt::format("{}({} AS MAP<STRING, {}>)", cast, Map(depth - 1),
                         random_.OneOf({"STRING", "BIGINT", "DOUBLE"}));
    case 2:
      return fmt::format("{}({} AS STRING)", cast, Nested(depth));
    default:
      return fmt::format(
          "{}({} AS ARRAY<{}>)", cast, List(AnyKind(), depth - 1),
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

// DuckDB keeps lists of doubles as sort keys meanwhile, in which zero has no sign.
std::string NestedExpressions::ExtremeBy() {
  std::string nested = Nested(1);
  const char* const function = random_.OneOf({"max_by", "min_by"});
  for (const char* const doubles : {"md", "ld", "d", "-0.0D"}) {
    if (nested.find(doubles) != std::string::npos) nested = "li";
  }
  return fmt::format("{}({}, n)", function, nested);
}

std::string NestedExpressions::Total(int depth) {
  const Kind kind = AnyKind();
  switch (random_.Draw(8)) {
    case 0:
      return fmt::format("sort_array(collect_list({}))", Value(kind, depth - 1));
    case 1:
      return fmt::format("sort_array(collect_set({}))",
                         Value(kind == Kind::kDouble ? Kind::kInt : kind, depth - 1));
    case 2:
      return fmt::format("{}({})", random_.OneOf({"max", "min"}),
                         random_.Draw(2) == 0 ? Struct(1) : List(kind, 1));
    case 3:
      return fmt::format("count(DISTINCT {})", random_.Draw(2) == 0 ? Struct(1) : List(kind, 1));
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
