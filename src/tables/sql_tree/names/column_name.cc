// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/names/column_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "sql_tree/names/name_writer.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

// Functions that are called without parentheses.
constexpr std::string_view kBare[] = {
    "current_catalog", "current_database", "current_date", "current_timestamp",
    "current_user",    "localtimestamp",   "session_user", "user"};

// A comparison as DuckDB's parser names it. `sign` is Spark's, which has none for negated
// comparisons; `opposite` is that of the comparison before negation.
struct Compared {
  std::string_view type, sign, opposite;
  bool negated = false;
  bool equality = false;
};
constexpr Compared kCompared[] = {{"COMPARE_EQUAL", "=", "=", false, true},
                                  {"COMPARE_NOTEQUAL", "=", "=", true, true},
                                  {"COMPARE_LESSTHAN", "<", ">="},
                                  {"COMPARE_GREATERTHAN", ">", "<="},
                                  {"COMPARE_LESSTHANOREQUALTO", "<=", ">"},
                                  {"COMPARE_GREATERTHANOREQUALTO", ">=", "<"},
                                  {"COMPARE_NOT_DISTINCT_FROM", "<=>", "<=>", false, true},
                                  {"COMPARE_DISTINCT_FROM", "<=>", "<=>", true, true}};

// The column that Spark names a cast after: CAST(t.a AS INT) is a.
const Json* CastColumn(const Json& column) {
  const Json* node = &column;
  if (tree::FindKind(*node) == tree::Kind::kCast) node = &(*node)["child"];
  return tree::FindKind(*node) == tree::Kind::kColumn ? node : nullptr;
}

}  // namespace

std::string Listed(std::span<const std::string> texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ColumnName(const Json& column, const NameSource& source) {
  if (const Json* const cast = CastColumn(column)) {
    return (*cast)["column_names"].back().get<std::string>();
  }
  // For explode() of a list; of a map it makes two columns.
  const std::string& function = Text(column, "function_name");
  if (Lower(function).starts_with("explode")) return "col";
  return NameWriter(source).Expression(column);
}

std::string NameWriter::Expression(const Json& node) {
  switch (tree::FindKind(node)) {
    case tree::Kind::kConstant:
      return Constant(node);
    case tree::Kind::kColumn:
      return Column(node);
    case tree::Kind::kCast:
      return Cast(node);
    case tree::Kind::kCase:
      return Case(node);
    case tree::Kind::kComparison:
      return Comparison(node);
    case tree::Kind::kBetween:
      return fmt::format("between({}, {}, {})", Expression(node["input"]),
                         Expression(node["lower"]), Expression(node["upper"]));
    case tree::Kind::kConjunction:
      return Conjunction(Text(node, "type") == "CONJUNCTION_AND" ? "AND" : "OR",
                         Each(node["children"]));
    case tree::Kind::kOperator:
      return Operator(node);
    case tree::Kind::kSubquery:
      return Subquery(node);
    case tree::Kind::kFunction:
      return Call(node);
    case tree::Kind::kWindow:
      return Window(node);
    case tree::Kind::kLambda:
      return Lambda(node);
    case tree::Kind::kStar:
      return "*";
    default:
      return Lower(Text(node, "type"));
  }
}

NameWriter::Texts NameWriter::Each(const Json& nodes) {
  Texts texts;
  for (const Json& node : nodes) texts.push_back(Expression(node));
  return texts;
}

bool NameWriter::Begins(const Json& node, std::string_view word) const {
  const std::string_view text = source_.text(node);
  if (Upper(text.substr(0, word.size())) != word) return false;
  return text.size() == word.size() || !IsNameCharacter(text[word.size()]);
}

// t.a is a, and so is a field of a struct s.a.
std::string NameWriter::Column(const Json& node) {
  Texts names;
  for (const Json& name : node["column_names"]) names.push_back(name.get<std::string>());
  if (names.empty()) return "column";
  if (std::ranges::find(parameters_, Lower(names[0])) != parameters_.end()) {
    names[0] = "namedlambdavariable()";
  } else if (names.size() > 1 && source_.table(names[0])) {
    names.erase(names.begin());
  } else if (names.size() == 1 && std::ranges::find(kBare, Lower(names[0])) != std::end(kBare) &&
             source_.column(node["column_names"]) == SqlType::kUnknown) {
    return Lower(names[0]) + "()";
  }
  return fmt::format("{}", fmt::join(names, "."));
}

std::string NameWriter::Cast(const Json& node) {
  const std::string constant = TypedConstant(node);
  if (!constant.empty()) return constant;
  return fmt::format("{}({} AS {})", node.value("try_cast", false) ? "TRY_CAST" : "CAST",
                     Expression(node["child"]), CastTypeName(node["cast_type"]));
}

std::string NameWriter::Case(const Json& node) {
  const Json& checks = node["case_checks"];
  const Json& otherwise = node["else_expr"];
  // DuckDB's parser gives its translation of if() no position.
  if (!tree::View(node).place()) {
    return fmt::format("(IF({}, {}, {}))", Expression(checks[0]["when_expr"]),
                       Expression(checks[0]["then_expr"]), Expression(otherwise));
  }
  std::string text = "CASE";
  for (const Json& check : checks) {
    text += fmt::format(" WHEN {} THEN {}", Expression(check["when_expr"]),
                        Expression(check["then_expr"]));
  }
  // DuckDB's parser writes ELSE NULL if there is no ELSE.
  const bool null = tree::IsConstant(otherwise) && otherwise["value"].value("is_null", false);
  if (!otherwise.is_null() && !null) text += " ELSE " + Expression(otherwise);
  return text + " END";
}

// x IS TRUE arrives as CAST(x AS BOOLEAN) IS NOT DISTINCT FROM a constant that no text can write.
std::string NameWriter::Comparison(const Json& node) {
  const std::string type = Text(node, "type");
  const Json& right = node["right"];
  const bool truth = tree::IsConstant(right) && Text(right["value"]["type"], "id") == "BOOLEAN";
  const std::string a = Expression(truth ? node["left"]["child"] : node["left"]);
  const std::string b = Expression(right);
  const auto* const found = std::ranges::find(kCompared, type, &Compared::type);
  if (found == std::end(kCompared)) return fmt::format("({} = {})", a, b);
  // DuckDB's parser moves NOT into a comparison, which retains the position of the NOT.
  const std::string_view text = source_.text(node);
  const bool sign = text.size() > 1 && text[0] == '!' && text.find_first_of("=<>", 1) != 1;
  const bool denied = sign || Begins(node, "NOT");
  int nots = found->negated ? 1 : 0;
  if (denied) nots = found->equality && !found->negated ? 2 : 1;
  std::string name = fmt::format("({} {} {})", a, denied ? found->opposite : found->sign, b);
  for (; nots > 0; --nots) name = "(NOT " + name + ")";
  return name;
}

// Spark halves a long chain, so that its tree is not deep.
std::string NameWriter::Conjunction(std::string_view word,
                                    std::span<const std::string> sides) const {
  if (sides.size() == 1) return sides[0];
  const size_t left = (sides.size() - 1) / 2 + 1;
  return fmt::format("({} {} {})", Conjunction(word, sides.first(left)), word,
                     Conjunction(word, sides.subspan(left)));
}

std::string NameWriter::Operator(const Json& node) {
  const std::string type = Text(node, "type");
  const Texts operands = Each(node["children"]);
  const auto first = operands.empty() ? std::string() : operands[0];
  const std::string others = operands.empty() ? "" : Listed(std::span(operands).subspan(1));
  if (type == "OPERATOR_NOT") return fmt::format("(NOT {})", first);
  if (type == "OPERATOR_IS_NULL") return fmt::format("({} IS NULL)", first);
  if (type == "OPERATOR_IS_NOT_NULL") return fmt::format("({} IS NOT NULL)", first);
  if (type == "COMPARE_IN") return fmt::format("({} IN ({}))", first, others);
  if (type == "COMPARE_NOT_IN") return fmt::format("(NOT ({} IN ({})))", first, others);
  if (type == "ARRAY_EXTRACT") return fmt::format("{}[{}]", first, others);
  if (type == "STRUCT_EXTRACT") return fmt::format("{}.{}", first, others);
  if (type == "GROUPING_FUNCTION") {
    const bool marked = !operands.empty() && operands.back() == kAllGroups;
    const auto columns = std::span(operands).first(operands.size() - (marked ? 1 : 0));
    const bool all = marked || columns.size() > 1;
    return fmt::format("{}({})", all ? "grouping_id" : "grouping", Listed(columns));
  }
  const std::string name = type.starts_with("OPERATOR_") ? type.substr(9) : type;
  return fmt::format("{}({})", Lower(name), Listed(operands));
}

std::string NameWriter::Subquery(const Json& node) {
  const std::string type = Text(node, "subquery_type");
  if (type == "EXISTS") return "exists()";
  if (type == "ANY") return fmt::format("({} IN (listquery()))", Expression(node["child"]));
  return "scalarsubquery()";
}

// The body is read with the parameters known, which are written as (a, b) or a on the left.
std::string NameWriter::Lambda(const Json& node) {
  const Json& left = node["lhs"];
  const size_t outer = parameters_.size();
  if (left.contains("children")) {
    for (const Json& each : left["children"]) {
      parameters_.push_back(Lower(each["column_names"][0].get<std::string>()));
    }
  } else if (left.contains("column_names")) {
    parameters_.push_back(Lower(left["column_names"][0].get<std::string>()));
  }
  Texts parts = {Expression(node["expr"])};
  parts.resize(1 + parameters_.size() - outer, "namedlambdavariable()");
  parameters_.resize(outer);
  return fmt::format("lambdafunction({})", Listed(parts));
}

}  // namespace protium
