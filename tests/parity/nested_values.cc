// SPDX-License-Identifier: Apache-2.0
#include "nested_values.h"

#include <fmt/format.h>

namespace protium {

NestedKind NestedValues::AnyKind() { return static_cast<NestedKind>(random_.Draw(4)); }

std::string NestedValues::Leaf(NestedKind kind) {
  switch (kind) {
    case NestedKind::kInt:
      return random_.OneOf({"n", "n", "1", "-3", "0", "2"});
    case NestedKind::kDouble:
      return random_.OneOf({"d", "d", "1.5D", "-0.0D", "CAST('NaN' AS DOUBLE)"});
    case NestedKind::kCents:
      return random_.OneOf({"c", "c", "1.5", "-0.05", "2.00"});
    default:
      return random_.OneOf({"w", "w", "amount", "'a'", "''", "'b c'"});
  }
}

std::string NestedValues::Value(NestedKind kind, int depth) {
  if (depth <= 0 || random_.Draw(4) == 0) return Leaf(kind);
  if (kind == NestedKind::kText && random_.Draw(2) == 0) return Text(depth);
  switch (random_.Draw(6)) {
    case 0:
      return fmt::format("coalesce({}, {})", Value(kind, depth - 1), Leaf(kind));
    case 1:
      return fmt::format("if({}, {}, {})", Truth(depth - 1), Value(kind, depth - 1), Leaf(kind));
    default:
      return Part(kind, depth);
  }
}

std::string NestedValues::Part(NestedKind kind, int depth) {
  const std::string list = List(kind, depth - 1);
  switch (random_.Draw(10)) {
    case 0:
      return fmt::format("get({}, {})", list, random_.OneOf({"0", "1", "-1", "n"}));
    case 1:
      return fmt::format("try_element_at({}, {})", list, random_.OneOf({"1", "-1", "5"}));
    case 2:
      return fmt::format("{}({})", random_.OneOf({"array_max", "array_min"}), list);
    case 3:
      if (kind == NestedKind::kInt) return fmt::format("size({})", OtherList(AnyKind(), depth - 1));
      return fmt::format("get({}, 0)", list);
    case 4:
      if (kind == NestedKind::kInt) return fmt::format("{}.a", Struct(depth - 1));
      if (kind == NestedKind::kDouble) return "try_element_at(md, 1)";
      return kind == NestedKind::kCents ? "lt[0].v" : fmt::format("{}.b", Struct(depth - 1));
    case 5:
      if (kind == NestedKind::kInt)
        return fmt::format("{}['{}']", Map(depth - 1), random_.OneOf({"a", "b"}));
      return kind == NestedKind::kDouble ? "md[2]" : fmt::format("get({}, 1)", list);
    case 6:
      if (kind == NestedKind::kText) return fmt::format("array_join({}, ',')", list);
      return fmt::format("aggregate({}, {}, (acc, x) -> {})", list,
                         kind == NestedKind::kInt      ? "0"
                         : kind == NestedKind::kDouble ? "0D"
                                                       : "CAST(0 AS DECIMAL(12,2))",
                         kind == NestedKind::kCents ? "CAST(acc + coalesce(x, 0) AS DECIMAL(12,2))"
                                                    : "greatest(acc, x)");
    case 7:
      if (kind == NestedKind::kInt) return fmt::format("array_position({}, {})", list, Leaf(kind));
      return fmt::format("element_at(array({}, {}), 2)", Leaf(kind), Leaf(kind));
    default:
      return fmt::format("get({}, 0)", list);
  }
}

std::string NestedValues::List(NestedKind kind, int depth) {
  if (depth > 0 && random_.Draw(3) > 0) return ListCall(kind, depth);
  switch (kind) {
    case NestedKind::kInt:
      return random_.OneOf({"li", "li", "array(n, 1)", "ll[0]", "map_values(m)", "sequence(1, 3)"});
    case NestedKind::kDouble:
      return random_.OneOf({"ld", "ld", "array(d, 1.5D)", "map_values(md)"});
    case NestedKind::kCents:
      return random_.OneOf({"lc", "lc", "array(c, 1.5)", "lt.v"});
    default:
      return random_.OneOf(
          {"ls", "ls", "array(w, 'a')", "split(w, ' ')", "map_keys(m)", "array()"});
  }
}

std::string NestedValues::ListCall(NestedKind kind, int depth) {
  const std::string list = List(kind, depth - 1);
  switch (random_.Draw(14)) {
    case 0:
      return fmt::format("filter({}, x -> x {} {})", list,
                         random_.OneOf({">", "<>", "IS NOT DISTINCT FROM"}), Leaf(kind));
    case 1:
      return fmt::format("transform({}, (x, i) -> {})", list,
                         kind == NestedKind::kText  ? "x || i"
                         : kind == NestedKind::kInt ? "x + i"
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

// Also of lists, structures or other kinds.
std::string NestedValues::OtherList(NestedKind kind, int depth) {
  switch (random_.Draw(6)) {
    case 0:
      return random_.OneOf({"ll", "lt", "map_entries(m)", "array(st)", "array(li, array(n))"});
    case 1:
      return fmt::format("arrays_zip({}, {})", List(kind, depth - 1),
                         List(NestedKind::kInt, depth - 1));
    case 2:
      return fmt::format("transform({}, x -> named_struct('x', x))", List(kind, depth - 1));
    default:
      return List(kind, depth);
  }
}

std::string NestedValues::Map(int depth) {
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

std::string NestedValues::Struct(int depth) {
  if (depth <= 0) return "st";
  switch (random_.Draw(4)) {
    case 0:
      return fmt::format("named_struct('a', {}, 'b', {})", Value(NestedKind::kInt, depth - 1),
                         Value(NestedKind::kText, depth - 1));
    case 1:
      return fmt::format("if({}, st, named_struct('a', 1, 'b', 'x'))", Truth(depth - 1));
    default:
      return "st";
  }
}

std::string NestedValues::Nested(int depth) {
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

std::string NestedValues::Text(int depth) {
  switch (random_.Draw(6)) {
    case 0:
      return fmt::format("CAST({} AS STRING)", Nested(depth - 1));
    case 1:
      return fmt::format("concat_ws('-', {}, {})", List(NestedKind::kText, depth - 1),
                         Leaf(NestedKind::kText));
    case 2:
      return fmt::format("array_join({}, '+', 'none')", List(NestedKind::kText, depth - 1));
    case 3:
      return fmt::format("to_json({})", random_.Draw(2) == 0 ? Struct(depth - 1) : Map(depth - 1));
    case 4:
      return Json(depth);
    default:
      return fmt::format("typeof({})", Nested(depth - 1));
  }
}

std::string NestedValues::Truth(int depth) {
  const NestedKind kind = AnyKind();
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

std::string NestedValues::Json(int depth) {
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

}  // namespace protium
