// SPDX-License-Identifier: Apache-2.0
#include "sql/rewrite_nested.h"

#include <string>
#include <utility>

#include "base/fault.h"
#include "sql/tree.h"

namespace protium {
namespace {

using tree::BooleanConstant;
using tree::Call;
using tree::ConstantText;
using tree::Operator;
using tree::Replace;
using tree::Text;
using tree::WholeConstant;

// collect_list and its kin leave out nulls and are empty where nothing is left.
bool RewriteCollected(Json& node, const std::string& name) {
  Json list = node;
  list["function_name"] = "list";
  list["alias"] = "";
  if (name == "collect_set") list["distinct"] = true;
  const Json there =
      Operator("OPERATOR", "OPERATOR_IS_NOT_NULL", Json::array({node["children"][0]}));
  const bool filtered = node.contains("filter") && !node["filter"].is_null();
  list["filter"] =
      filtered ? Operator("CONJUNCTION", "CONJUNCTION_AND", Json::array({node["filter"], there}))
               : there;
  Replace(node, Call("pt_or_empty", Json::array({list}), node));
  return true;
}

// Conditions that are not true do not count, also where there is no other.
bool RewriteCountIf(Json& node) {
  Json& children = node["children"];
  if (children.size() != 1) return false;
  node["function_name"] = "count";
  children = Json::array(
      {Call("nullif", Json::array({children[0], BooleanConstant(false)}), Json::object())});
  return true;
}

// named_struct('a', 1): DuckDB takes the names of the fields from those of the arguments.
Result<bool> RewriteNamedStruct(Json& node) {
  const Json& children = node["children"];
  Json fields = Json::array();
  for (size_t i = 0; i + 1 < children.size(); i += 2) {
    const std::string* const name = ConstantText(children[i]);
    if (name == nullptr) {
      return Fail({.exit = Exit::kUsage,
                   .what = "a name in named_struct is not written out",
                   .why = "the type of a column has to be known before the query runs",
                   .fix = "write the names as texts"});
    }
    fields.push_back(children[i + 1]);
    fields.back()["alias"] = *name;
  }
  Replace(node, Call("struct_pack", std::move(fields), node));
  return true;
}

// struct(a, 1) has the fields a and col2.
bool RewriteStruct(Json& node) {
  Json fields = node["children"];
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!Text(fields[i], "alias").empty()) continue;
    const bool column = Text(fields[i], "class") == "COLUMN_REF";
    fields[i]["alias"] = column ? fields[i]["column_names"].back().get<std::string>()
                                : "col" + std::to_string(i + 1);
  }
  Replace(node, Call("struct_pack", std::move(fields), node));
  return true;
}

// Takes one from every use of the name `parameter`, but within functions with such a one
// themselves.
void CountFromZero(Json& node, const Json& parameter) {
  if (Text(node, "class") == "COLUMN_REF" && node["column_names"] == parameter) {
    Replace(node, Call("-", Json::array({node, WholeConstant(1)}), node));
    node["is_operator"] = true;
    return;
  }
  if (Text(node, "class") == "LAMBDA" &&
      Dump(node["lhs"]).find(Dump(parameter)) != std::string::npos) {
    return;
  }
  if (!node.is_structured()) return;
  for (Json& child : node) CountFromZero(child, parameter);
}

// exists(list, x -> ...) and forall: what the conditions give, taken together.
bool RewriteOverList(Json& node, const std::string& name) {
  const Json truths = Call("list_transform", node["children"], Json::object());
  Replace(node,
          Call(name == "exists" ? "pt_any_true" : "pt_all_true", Json::array({truths}), node));
  return true;
}

// aggregate(list, start, (sum, x) -> ..., sum -> ...).
bool RewriteReduce(Json& node) {
  const Json children = node["children"];
  if (children.size() != 3 && children.size() != 4) return false;
  const Json reduced =
      Call("list_reduce", Json::array({children[0], children[2], children[1]}), node);
  if (children.size() == 3) {
    Replace(node, reduced);
    return true;
  }
  const Json one = Call("list_value", Json::array({reduced}), Json::object());
  const Json done = Call("list_transform", Json::array({one, children[3]}), Json::object());
  Replace(node, Call("list_first", Json::array({done}), node));
  return true;
}

}  // namespace

void RewritePlaces(Json& node) {
  Json& children = node["children"];
  if (children.size() != 2 || Text(children[1], "class") != "LAMBDA") return;
  Json& lambda = children[1];
  if (!lambda["lhs"].contains("children") || lambda["lhs"]["children"].size() != 2) return;
  CountFromZero(lambda["expr"], lambda["lhs"]["children"][1]["column_names"]);
}

Result<bool> RewriteNested(Json& node, const std::string& name) {
  if (name == "collect_list" || name == "collect_set" || name == "array_agg") {
    return RewriteCollected(node, name);
  }
  if (name == "count_if") return RewriteCountIf(node);
  if (name == "named_struct") return RewriteNamedStruct(node);
  if (name == "struct") return RewriteStruct(node);
  if (name == "exists" || name == "forall") return RewriteOverList(node, name);
  if (name == "aggregate" || name == "reduce") return RewriteReduce(node);
  return false;
}

}  // namespace protium
