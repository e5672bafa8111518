// SPDX-License-Identifier: Apache-2.0
// Calls with lambdas: the types of their parameters, and what the call returns. Rules have already
// given these functions DuckDB's names (sql/rules/lambda_places.cc, reduce.cc, list_conditions.cc).
#include <utility>

#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"

namespace protium {
namespace {

// The types of a lambda's parameters, derived from those of the other arguments (kUnknown for
// lambdas).
std::vector<SqlType> ParameterTypes(const std::string& function,
                                    const std::vector<SqlType>& types) {
  const SqlType element = types.empty() ? SqlType{} : types[0].Element();
  const SqlType place{SqlType::kBigint};
  // list_reduce(list, lambda, start).
  if (function == "list_reduce") return {types.size() > 2 ? types[2] : SqlType{}, element, place};
  return {element, place};
}

std::string SparkNameOf(const std::string& name) {
  if (name == "list_transform") return "transform";
  if (name == "list_filter") return "filter";
  return name == "list_reduce" ? "aggregate" : name;
}

Status RequireList(const TypedCall& call) {
  const SqlType& type = call.types[0];
  if (type.IsList() || type == SqlType::kUnknown) return Status::OK();
  return call.Refuse(SparkNameOf(call.name) + "() is given " + type.SparkName(),
                     "Spark takes a list there", "");
}

Status RequireCondition(const TypedCall& call, const SqlType& type) {
  if (type == SqlType::kBoolean || type == SqlType::kNull || type == SqlType::kUnknown) {
    return Status::OK();
  }
  return call.Refuse("a condition on elements is " + type.SparkName() + ", not true or false",
                     "Spark takes no other type for a condition", "compare it with a value");
}

Json Named(Json value, const char* name) {
  value["alias"] = name;
  return value;
}

Json StateOf(Json state, Json item, const Json& like) {
  return tree::Call("struct_pack",
                    Json::array({Named(std::move(state), "state"), Named(std::move(item), "item")}),
                    like);
}

// DuckDB's list_reduce() casts elements to the type of the start. If the two types differ, each
// element is wrapped with an empty state, and the state with an empty element.
void WrapStates(TypedCall& call) {
  const SqlType element = call.types[0].Element(), state = call.types[2];
  const Json no_state = tree::Cast(tree::NullConstant(), state);
  const Json no_item = tree::Cast(tree::NullConstant(), element);
  Json wrapped = tree::Lambda("pt_part", StateOf(no_state, tree::ColumnRef("pt_part"), call.node));
  Json list = tree::Call(
      "list_transform", Json::array({tree::Take(call.argument(0)), std::move(wrapped)}), call.node);
  Json lambda = call.argument(1);
  const std::vector<std::string> names = tree::LambdaParameters(lambda);
  Json& body = lambda["expr"];
  tree::ReplaceColumn(body, names[0], tree::Field(tree::ColumnRef("pt_" + names[0]), "state"));
  tree::ReplaceColumn(body, names[1], tree::Field(tree::ColumnRef("pt_" + names[1]), "item"));
  body = StateOf(tree::Take(body), no_item, call.node);
  for (size_t i = 0; i < 2; ++i) {
    lambda["lhs"]["children"][i]["column_names"] = Json::array({"pt_" + names[i]});
  }
  Json start = StateOf(tree::Take(call.argument(2)), no_item, call.node);
  Json made =
      tree::Call("list_reduce", Json::array({std::move(list), std::move(lambda), std::move(start)}),
                 call.node);
  tree::Replace(call.node, tree::Field(std::move(made), "state"));
}

// The name that Spark gives a field of arrays_zip(): that of a column or field, or its position.
std::string ZippedName(const Json& list, size_t i) {
  if (tree::FindKind(list) == tree::Kind::kColumn) return list["column_names"].back();
  const tree::View view(list);
  const std::string* const field = view.Calls("struct_extract") ? view.ArgumentText(1) : nullptr;
  return field == nullptr ? std::to_string(i) : *field;
}

}  // namespace

// A lambda's parameters have the types of the contents of the other arguments, so those are typed
// first.
Result<std::vector<SqlType>> Typer::Arguments(Json& node, const Scope& scope) {
  Json& children = node["children"];
  std::vector<SqlType> types(children.size());
  std::vector<size_t> lambdas;
  for (size_t i = 0; i < children.size(); ++i) {
    if (tree::FindKind(children[i]) == tree::Kind::kLambda) {
      lambdas.push_back(i);
    } else {
      PT_LET(types[i], Expression(children[i], scope));
    }
  }
  const std::vector<SqlType> parameters = ParameterTypes(tree::Text(node, "function_name"), types);
  for (const size_t i : lambdas) {
    Scope inner{.aliases_first = true, .outer = &scope};
    for (const std::string& name : tree::LambdaParameters(children[i])) {
      const size_t place = inner.aliases.size();
      inner.aliases.push_back({name, place < parameters.size() ? parameters[place] : SqlType{}});
    }
    PT_LET(types[i], Expression(children[i]["expr"], inner));
  }
  return types;
}

Result<SqlType> TypeTransformed(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  PT_TRY(RequireList(call));
  const SqlType list = SqlType::ListOf(call.types[1]);
  if (call.AnyNullConstant() && list != SqlType::kUnknown) call.CastResult(list);
  return list;
}

Result<SqlType> TypeFiltered(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  PT_TRY(RequireList(call));
  PT_TRY(RequireCondition(call, call.types[1]));
  const SqlType list = call.types[0];
  if (call.AnyNullConstant() && list != SqlType::kUnknown) call.CastResult(list);
  return list;
}

// exists() and forall(), which have become pt_any_true() and pt_all_true() of a list of conditions.
Result<SqlType> TypeListCondition(TypedCall& call) {
  if (call.types.size() == 1) PT_TRY(RequireCondition(call, call.types[0].Element()));
  return SqlType{SqlType::kBoolean};
}

// aggregate(): the state has the type of the start.
Result<SqlType> TypeReduced(TypedCall& call) {
  if (call.types.size() != 3) return SqlType{};
  PT_TRY(RequireList(call));
  const SqlType start = call.types[2], made = call.types[1];
  if (start == SqlType::kUnknown || made == SqlType::kUnknown) return SqlType{};
  if (start != made) {
    return call.Refuse("aggregate() starts with " + start.SparkName() + " and its lambda returns " +
                           made.SparkName(),
                       "Spark requires one type for both", "cast the start or the lambda's result");
  }
  const SqlType element = call.types[0].Element();
  const bool known = element != SqlType::kUnknown && element != SqlType::kNull;
  const bool two = tree::LambdaParameters(call.argument(1)).size() == 2;
  if (known && two && element != start && start != SqlType::kNull) WrapStates(call);
  return start;
}

// arrays_zip(a, b): a list of structs with an element of each, null where a list is shorter; NULL
// if any list is NULL.
Result<SqlType> TypeArraysZip(TypedCall& call) {
  Json there = Json::array(), lists = Json::array(), fields = Json::array();
  std::vector<SqlColumn> columns;
  for (size_t i = 0; i < call.types.size(); ++i) {
    if (!call.types[i].IsList()) {
      return call.Refuse("arrays_zip() is given " + call.types[i].SparkName(),
                         "Spark takes lists there", "");
    }
    const Json list = tree::Take(call.argument(i));
    columns.push_back({ZippedName(list, i), call.types[i].Element()});
    there.push_back(tree::Operator("OPERATOR", "OPERATOR_IS_NOT_NULL", Json::array({list})));
    lists.push_back(list);
    fields.push_back(tree::Call(
        "struct_extract_at",
        Json::array({tree::ColumnRef("pt_part"), tree::WholeConstant(static_cast<int>(i) + 1)}),
        call.node));
    fields.back()["alias"] = columns.back().name;
  }
  if (lists.empty())
    return call.Refuse("arrays_zip() is given something other than a list", "", "name one");
  Json zipped = tree::Call("list_zip", std::move(lists), call.node);
  Json made = tree::Call(
      "list_transform",
      Json::array(
          {std::move(zipped),
           tree::Lambda("pt_part", tree::Call("struct_pack", std::move(fields), call.node))}),
      call.node);
  Json all = there.size() == 1 ? there[0]
                               : tree::Operator("CONJUNCTION", "CONJUNCTION_AND", std::move(there));
  tree::Replace(call.node, tree::Case(std::move(all), std::move(made), tree::NullConstant()));
  return SqlType::ListOf(SqlType::StructOf(columns));
}

}  // namespace protium
