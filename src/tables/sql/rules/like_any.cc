// SPDX-License-Identifier: Apache-2.0
// x LIKE ANY (a, b) and the like, which SparkReader turns into like_any('LIKE ANY', x, a, b):
// become a comparison with each of the patterns, joined by OR or AND.
#include <fmt/format.h>

#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {

Rule LikeAnyRule() {
  return {.name = "like_any",
          .matches =
              [](const tree::View& node) {
                return node.Calls("like_any") && node.num_arguments() > 2 &&
                       node.ArgumentText(0) != nullptr;
              },
          .apply =
              [](Json& node) {
                const std::string form = *tree::View(node).ArgumentText(0);
                const std::string sign = fmt::format("{}~~{}", form.starts_with("NOT") ? "!" : "",
                                                     form.find("ILIKE") < form.size() ? "*" : "");
                const Json& arguments = node["children"];
                Json all = Json::array();
                for (size_t i = 2; i < arguments.size(); ++i) {
                  all.push_back(tree::Call(sign, Json::array({arguments[1], arguments[i]}), node));
                }
                if (all.size() == 1) {
                  tree::Replace(node, Json(all[0]));
                  return Status::OK();
                }
                const char* const joined =
                    form.ends_with("ALL") ? "CONJUNCTION_AND" : "CONJUNCTION_OR";
                tree::Replace(node, tree::Operator("CONJUNCTION", joined, std::move(all)));
                return Status::OK();
              }};
}

}  // namespace protium
