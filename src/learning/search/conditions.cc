// SPDX-License-Identifier: Apache-2.0
#include "search/conditions.h"

#include <algorithm>
#include <string_view>

#include "catalogue/catalogue.h"
#include "model/preview.h"
#include "search/space.h"

namespace protium {
namespace {

constexpr const char* kKindPath = "kind";

// Whether `path` leads to one of `fields`, or below one whose own options are not listed.
bool Has(const std::vector<DescribedField>& fields, std::string_view path) {
  const size_t dot = path.find('.');
  const auto found = std::ranges::find(fields, path.substr(0, dot), &DescribedField::name);
  if (found == fields.end()) return false;
  if (dot == path.npos || found->type.fields.empty()) return true;
  return Has(found->type.fields, path.substr(dot + 1));
}

}  // namespace

Result<std::vector<Condition>> ConditionsOf(const Space& space,
                                            const std::shared_ptr<const Catalogue>& own) {
  std::vector<Condition> conditions;
  const auto kind = std::ranges::find(space, kKindPath, &Dimension::path);
  if (kind == space.end() || kind->kind != Dimension::Kind::kChoice) return conditions;
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  const std::vector<Json> kinds = GridPoints(*kind);
  for (const Dimension& each : space) {
    if (each.path == kKindPath || each.path.starts_with("pipeline.")) continue;
    Condition condition{.path = each.path, .of = kKindPath};
    for (const StageRow& row : catalogue.stages) {
      const bool searched = std::ranges::find(kinds, Json(row.name)) != kinds.end();
      if (searched && Has(row.options, each.path)) condition.among.push_back(row.name);
    }
    const size_t among = condition.among.size();
    if (among > 0 && among < kinds.size()) conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace protium
