// SPDX-License-Identifier: Apache-2.0
// Functions whose lambdas take a key and a value, or an element of each of two lists: DuckDB has
// lambdas only over a single list. They become calls over a list of structs, and what their
// parameters name becomes a field of its element:
//   zip_with(a, b, (x, y) -> f)      list_transform(pt_zip(a, b), p -> f of p's fields)
//   map_filter(m, (k, v) -> f)       map_from_entries(list_filter(map_entries(m), p -> f))
//   transform_keys, transform_values, map_zip_with   likewise
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

struct Pairs {
  std::string_view spark;
  const char* list;                                // What makes the list of the arguments.
  std::vector<const char*> fields;                 // Of its elements, one for each parameter.
  enum { kElement, kFilter, kKey, kValue } makes;  // What the lambda's body is.
};

const std::array<Pairs, 5>& ListPairs() {
  static const std::array<Pairs, 5> kPairs = {{
      {"map_filter", "map_entries", {"key", "value"}, Pairs::kFilter},
      {"map_zip_with", "pt_zip_maps", {"key", "pt_first", "pt_second"}, Pairs::kValue},
      {"transform_keys", "map_entries", {"key", "value"}, Pairs::kKey},
      {"transform_values", "map_entries", {"key", "value"}, Pairs::kValue},
      {"zip_with", "pt_zip", {"pt_first", "pt_second"}, Pairs::kElement},
  }};
  return kPairs;
}

const Pairs* FindPairs(const tree::View& node) {
  if (!node.Is(tree::Kind::kFunction)) return nullptr;
  for (const Pairs& pairs : ListPairs()) {
    if (pairs.spark == node.function()) return &pairs;
  }
  return nullptr;
}

Json Entry(Json key, Json value, const Json& like) {
  key["alias"] = "key";
  value["alias"] = "value";
  return tree::Call("struct_pack", Json::array({std::move(key), std::move(value)}), like);
}

Status RefuseShape(const Pairs& pairs) {
  return Fail({.exit = Exit::kUsage,
               .what = std::string(pairs.spark) + "() has other arguments than Spark's",
               .why = "it takes " +
                      std::string(pairs.fields.size() == 3 || pairs.list[0] == 'p' ? "two of them"
                                                                                   : "a map") +
                      " and a lambda of " + std::to_string(pairs.fields.size()) + " parameters",
               .fix = "write " + std::string(pairs.spark) +
                      (pairs.spark == "zip_with"       ? "(a, b, (x, y) -> ...)"
                       : pairs.spark == "map_zip_with" ? "(a, b, (key, x, y) -> ...)"
                                                       : "(map, (key, value) -> ...)")});
}

Status ApplyPairs(Json& node) {
  const Pairs& pairs = *FindPairs(tree::View(node));
  Json arguments = node["children"];
  const size_t lists = pairs.list[0] == 'p' ? 2 : 1;
  if (arguments.size() != lists + 1 || tree::FindKind(arguments.back()) != tree::Kind::kLambda) {
    return RefuseShape(pairs);
  }
  const Json lambda = arguments.back();
  const std::vector<std::string> names = tree::LambdaParameters(lambda);
  if (names.size() != pairs.fields.size()) return RefuseShape(pairs);
  arguments.erase(arguments.size() - 1);
  // Named after its parts, so that a lambda within it has another name unless it hides them.
  std::string part = "pt";
  for (const std::string& name : names) part += "_" + name;
  Json body = tree::Take(lambda["expr"]);
  for (size_t i = 0; i < names.size(); ++i) {
    tree::ReplaceColumn(body, names[i], tree::Field(tree::ColumnRef(part), pairs.fields[i]));
  }
  if (pairs.makes == Pairs::kKey) {
    body = Entry(std::move(body), tree::Field(tree::ColumnRef(part), "value"), node);
  } else if (pairs.makes == Pairs::kValue) {
    body = Entry(tree::Field(tree::ColumnRef(part), "key"), std::move(body), node);
  }
  Json list = tree::Call(pairs.list, std::move(arguments), node);
  Json made = tree::Call(pairs.makes == Pairs::kFilter ? "list_filter" : "list_transform",
                         Json::array({std::move(list), tree::Lambda(part, std::move(body))}), node);
  if (pairs.makes != Pairs::kElement) {
    made = tree::Call("map_from_entries", Json::array({std::move(made)}), node);
  }
  tree::Replace(node, std::move(made));
  return Status::OK();
}

}  // namespace

Rule LambdaPairsRule() {
  return {.name = "lambda pairs",
          .matches = [](const tree::View& node) { return FindPairs(node) != nullptr; },
          .apply = ApplyPairs};
}

}  // namespace protium
