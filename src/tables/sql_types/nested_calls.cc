// SPDX-License-Identifier: Apache-2.0
// Functions of lists and maps: what they take and return, by the types of elements, keys and
// values. Spark casts an element to that of the list only if no digit is lost, and refuses other
// pairs. If an argument's type is unknown, DuckDB is asked.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_types/nested_values.h"

namespace protium {
namespace {

// What is done with elements or keys besides moving them; Spark neither compares nor orders maps,
// and its sets do not distinguish the two zeros.
enum class Use { kMoved, kCompared, kInSets, kOrdered };

// Letters of arguments; the last one is for all that follow:
//   L a list      E an element of it       W the same, but decimals meet all other numbers
//   M a map       K a key of it            w the same as W for keys
//   A any list    S a list of lists        C a list or a map
//   P a list of structs of two fields      X a list of what can be cast to text
//   i a whole number up to 32 bits         I of just 32 bits or NULL
//   c what can be cast to one              * anything
//   t text        o a constant that is true or false
// Letters of the result: L the list, E an element, B true or false, N an INT, J a BIGINT, T text,
//   R a list of the first argument, F a list of the elements within a list of lists, M the map,
//   k and v lists of keys and of values, e a list of entries, Z a map of the entries in P, Y one of
//   two lists, z pairs of elements of two lists, y of values of two maps.
struct NestedCall {
  std::string_view name, arguments;
  char result;
  Use use = Use::kMoved;
};

// Sorted by name.
constexpr NestedCall kCalls[] = {
    {"array_append", "LE", 'L'},
    {"array_compact", "L", 'L'},
    {"array_contains", "LW", 'B', Use::kCompared},
    {"array_distinct", "L", 'L', Use::kInSets},
    {"array_except", "LL", 'L', Use::kInSets},
    {"array_insert", "LiE", 'L'},
    {"array_intersect", "LL", 'L', Use::kInSets},
    {"array_join", "Xtt", 'T'},
    {"array_max", "L", 'E', Use::kOrdered},
    {"array_min", "L", 'E', Use::kOrdered},
    {"array_position", "LE", 'J', Use::kCompared},
    {"array_prepend", "LE", 'L'},
    {"array_remove", "LE", 'L', Use::kCompared},
    {"array_repeat", "*I", 'R'},
    {"array_size", "A", 'N'},
    {"array_sort", "L", 'L', Use::kOrdered},
    {"array_union", "LL", 'L', Use::kInSets},
    {"arrays_overlap", "LL", 'B', Use::kCompared},
    {"cardinality", "C", 'N'},
    {"flatten", "S", 'F'},
    {"get", "Lc", 'E'},
    {"map_concat", "M", 'M'},
    {"map_contains_key", "Mw", 'B', Use::kCompared},
    {"map_entries", "M", 'e'},
    {"map_from_arrays", "AA", 'Y'},
    {"map_from_entries", "P", 'Z'},
    {"map_keys", "M", 'k'},
    {"map_values", "M", 'v'},
    {"pt_zip", "AA", 'z'},
    {"pt_zip_maps", "M", 'y'},
    {"size", "C", 'N'},
    {"slice", "Lcc", 'L'},
    {"sort_array", "Lo", 'L', Use::kOrdered},
};

const NestedCall* FindNestedCall(std::string_view name) {
  const auto* const found = std::ranges::find(kCalls, name, &NestedCall::name);
  return found == std::end(kCalls) ? nullptr : found;
}

char LetterOf(const NestedCall& row, size_t i) {
  return row.arguments[std::min(i, row.arguments.size() - 1)];
}

bool IsPairs(const SqlType& type) { return type.Element().Fields().size() == 2; }

// Whether an argument matches its letter; elements and keys are checked together later.
bool Fits(char letter, const SqlType& type) {
  const bool null = type == SqlType::kNull;
  switch (letter) {
    case 'L':
    case 'A':
      return type.IsList();
    case 'M':
      return type.IsMap();
    case 'S':
      return type.Element().IsList();
    case 'P':
      return type.IsList() && IsPairs(type);
    case 'C':
      return type.IsList() || type.IsMap() || null;
    case 'X':
      return null || (type.IsList() && !type.Element().IsNested());
    case 'i':
      return type.IsWhole() && type != SqlType::kBigint;
    case 'I':
      return type == SqlType::kInt || null;
    case 'c':
      return type.IsNumber() || type == SqlType::kText || null;
    case 't':
      return type == SqlType::kText || null;
    case 'o':
      return type == SqlType::kBoolean || null;
    default:
      return true;
  }
}

const char* Wanted(char letter) {
  switch (letter) {
    case 'L':
    case 'A':
      return "a list";
    case 'M':
      return "a map";
    case 'S':
      return "a list of lists";
    case 'P':
      return "a list of structs of two fields";
    case 'C':
      return "a list or a map";
    case 'X':
      return "a list of texts";
    case 'i':
    case 'I':
      return "an INT";
    case 'c':
      return "a number";
    case 'o':
      return "a constant that is true or false";
    case 't':
      return "a text";
    default:
      return "another type";
  }
}

Status CheckArguments(TypedCall& call, const NestedCall& row) {
  for (size_t i = 0; i < call.types.size(); ++i) {
    const char letter = LetterOf(row, i);
    const bool varies = letter == 'o' && tree::FindKind(call.argument(i)) == tree::Kind::kColumn;
    if (Fits(letter, call.types[i]) && !varies) continue;
    return call.Refuse(fmt::format("{}() is given {} as its argument {}", call.name,
                                   call.types[i].SparkName(), i + 1),
                       fmt::format("Spark takes {} there", Wanted(letter)),
                       "cast it, or call another function");
  }
  return Status::OK();
}

// The common type of the elements, or keys, of all arguments; their lists and maps are cast to it.
Result<SqlType> MeetParts(TypedCall& call, const NestedCall& row) {
  std::optional<SqlType> common = SqlType{SqlType::kNull};
  const auto part = [&](size_t i) -> std::optional<SqlType> {
    const char letter = LetterOf(row, i);
    if (letter == 'L') return call.types[i].Element();
    if (letter == 'M') return call.types[i].Key();
    const bool single = letter == 'E' || letter == 'W' || letter == 'K' || letter == 'w';
    return single ? std::optional(call.types[i]) : std::nullopt;
  };
  for (size_t i = 0; i < call.types.size(); ++i) {
    const auto type = part(i);
    if (!type) continue;
    const bool wide = LetterOf(row, i) == 'W' || LetterOf(row, i) == 'w';
    if (wide && *type == SqlType::kNull) return RefuseParts(call, call.types[0], *type);
    const bool numbers = wide && common->IsNumber() && type->IsNumber();
    const auto both = numbers ? CommonType(*common, *type) : TightType(*common, *type);
    if (!both) return RefuseParts(call, *common, *type);
    common = both;
  }
  for (size_t i = 0; i < call.types.size(); ++i) {
    const char letter = LetterOf(row, i);
    if (letter == 'L') call.CoerceTo(i, SqlType::ListOf(*common));
    if (letter == 'M') call.CoerceTo(i, SqlType::MapOf(*common, call.types[i].Value()));
    if (part(i) && letter != 'L' && letter != 'M') call.CoerceTo(i, *common);
  }
  return *common;
}

void CastArguments(TypedCall& call, const NestedCall& row) {
  for (size_t i = 0; i < call.types.size(); ++i) {
    const char letter = LetterOf(row, i);
    if (row.use == Use::kInSets) {
      call.argument(i) = WithPlainZeros(tree::Take(call.argument(i)), call.types[i]);
    }
    if (letter == 'i' || letter == 'I' || letter == 'c') call.CoerceTo(i, {SqlType::kInt});
    if (letter == 't') call.CoerceTo(i, {SqlType::kText});
    if (letter == 'o') call.CoerceTo(i, {SqlType::kBoolean});
    if (letter == 'X') call.CoerceTo(i, SqlType::ListOf({SqlType::kText}));
    if (letter == 'C' && call.types[i] == SqlType::kNull) {
      call.CoerceTo(i, SqlType::ListOf({SqlType::kInt}));
    }
  }
}

SqlType EntriesOf(const SqlType& map) {
  return SqlType::ListOf(SqlType::StructOf({{"key", map.Key()}, {"value", map.Value()}}));
}

SqlType PairsOf(const SqlType& a, const SqlType& b) {
  return SqlType::ListOf(SqlType::StructOf({{"pt_first", a}, {"pt_second", b}}));
}

SqlType MapOfPairs(const SqlType& list) {
  const std::vector<SqlColumn> fields = list.Element().Fields();
  return SqlType::MapOf(fields[0].type, fields[1].type);
}

SqlType ResultOf(const TypedCall& call, char letter, const SqlType& part) {
  const SqlType& first = call.types[0];
  switch (letter) {
    case 'L':
    case 'M':
      return first;
    case 'E':
      return part;
    case 'B':
      return {SqlType::kBoolean};
    case 'N':
      return {SqlType::kInt};
    case 'J':
      return {SqlType::kBigint};
    case 'T':
      return {SqlType::kText};
    case 'R':
      return SqlType::ListOf(first);
    case 'F':
      return first.Element();
    case 'k':
      return SqlType::ListOf(first.Key());
    case 'v':
      return SqlType::ListOf(first.Value());
    case 'e':
      return EntriesOf(first);
    case 'Z':
      return MapOfPairs(first);
    case 'z':
      return PairsOf(first.Element(), call.types.back().Element());
    case 'y':
      return SqlType::ListOf(SqlType::StructOf({{"key", first.Key()},
                                                {"pt_first", first.Value()},
                                                {"pt_second", call.types.back().Value()}}));
    default:
      return SqlType::MapOf(first.Element(), call.types.back().Element());
  }
}

// sort_array(), array_sort(), array_max() and array_min() of nested elements, in which DuckDB would
// order nulls last.
void OrderByKey(TypedCall& call, const SqlType& element) {
  const auto sorted = [&](ListOrder order) {
    return SortedList(tree::Take(call.argument(0)), element, order);
  };
  if (call.name == "array_max" || call.name == "array_min") {
    Json list = tree::Take(call.argument(0));
    return tree::Replace(call.node, Extreme(std::move(list), element, call.name == "array_max"));
  }
  if (call.name == "array_sort") return tree::Replace(call.node, sorted(ListOrder::kNullsLast));
  if (call.types.size() == 1) return tree::Replace(call.node, sorted(ListOrder::kAscending));
  Json made = tree::Case(tree::Take(call.argument(1)), sorted(ListOrder::kAscending),
                         sorted(ListOrder::kDescending));
  tree::Replace(call.node, std::move(made));
}

Status CheckUse(const TypedCall& call, const NestedCall& row, const SqlType& part) {
  if (row.use == Use::kMoved || !HoldsMap(part)) return Status::OK();
  return call.Refuse(fmt::format("{}() is given {}", call.name, call.types[0].SparkName()),
                     "Spark neither compares nor orders maps", "use map_entries(m)");
}

// Writes map_concat(a, b, c) as map_concat(map_concat(a, b), c): the macro takes two.
void JoinInPairs(TypedCall& call) {
  Json joined = tree::Take(call.argument(0));
  for (size_t i = 1; i < call.types.size(); ++i) {
    joined =
        tree::Call("map_concat", Json::array({std::move(joined), call.argument(i)}), call.node);
  }
  tree::Replace(call.node, std::move(joined));
}

}  // namespace

Status RefuseParts(const TypedCall& call, const SqlType& part, const SqlType& other) {
  return call.Refuse(
      fmt::format("{}() is given {} and {}", call.name, part.SparkName(), other.SparkName()),
      "Spark has no common type for them here", "cast one of them");
}

Result<SqlType> TypeNested(TypedCall& call) {
  const NestedCall& row = *FindNestedCall(call.name);
  if (call.types.empty() || call.AnyUnknown()) return call.typer.AskType(call.name, call.types);
  if (call.name == "array_sort" && call.types.size() == 2) {
    return call.Refuse("array_sort() with a comparison is not supported by every engine",
                       "the embedded engine orders only by values",
                       "use sort_array(transform(list, x -> struct(key, x))) and its fields");
  }
  // For functions that return a part of a list, NULL alone is a list of nothing.
  if (call.types.size() == 1 && call.types[0] == SqlType::kNull && row.arguments == "L") {
    const SqlType list = SqlType::ListOf(call.types[0]);
    tree::Replace(call.node,
                  tree::Cast(tree::NullConstant(), row.result == 'E' ? call.types[0] : list));
    return row.result == 'E' ? SqlType{SqlType::kNull} : list;
  }
  PT_TRY(CheckArguments(call, row));
  if (call.name == "map_concat") {
    std::vector<Json*> maps;
    for (size_t i = 0; i < call.types.size(); ++i) maps.push_back(&call.argument(i));
    PT_LET(const SqlType map, call.typer.Unify("map_concat()", call.node, maps, call.types));
    JoinInPairs(call);
    return map;
  }
  PT_LET(const SqlType part, MeetParts(call, row));
  PT_TRY(CheckUse(call, row, part == SqlType::kNull ? SqlType{} : part));
  CastArguments(call, row);
  const SqlType result = ResultOf(call, row.result, part);
  if (HoldsMap(result.Key())) {
    return call.Refuse("a key of a map is " + result.Key().SparkName(),
                       "Spark takes no map for a key", "use map_entries(m)");
  }
  const bool gone = call.AnyNullConstant();
  if (row.use == Use::kOrdered && part.IsNested()) OrderByKey(call, part);
  if (gone) call.CastResult(result);
  return result;
}

}  // namespace protium
