// SPDX-License-Identifier: Apache-2.0
#include "protium/stage_options.h"

#include <utility>

#include "catalogue/catalogue.h"

namespace protium {
namespace {

// Two steps, because the row of a kind checks its options (CatalogueRow::complete): first reads the
// kind from the raw JSON, then passes the rest to its row.
Result<StageOptions> StageFromJson(const Json& json, const std::string& path,
                                   const Catalogue& catalogue) {
  if (!json.is_object()) return fields::Refuse(path, "a table with a kind and its options", json);
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a stage has no kind",
                 .where = path,
                 .fix = "write kind = \"imputer\", for example; protium help stages lists them"});
  }
  const std::string name = kind->get<std::string>();
  PT_LET(const StageRow* row, FindRow(catalogue.stages, "kind of stage", name, path + ".kind"));
  // The row refuses unknown keys, and `kind` is not one of its options.
  Json own = json;
  own.erase("kind");
  PT_LET(own, row->complete(own, path));
  return StageOptions{.kind = name, .options = std::move(own)};
}

}  // namespace

Result<std::vector<StageOptions>> StagesFromJson(const Json& json, const std::string& path,
                                                 const Catalogue& catalogue) {
  if (!json.is_array()) return fields::Refuse(path, "a list of stages", json);
  std::vector<StageOptions> stages;
  for (size_t i = 0; i < json.size(); ++i) {
    PT_LET(StageOptions stage, StageFromJson(json[i], path + "." + std::to_string(i), catalogue));
    stages.push_back(std::move(stage));
  }
  return stages;
}

// The kind is the first of a stage's keys only for readability: objects are compared without order.
Json StagesToJson(const std::vector<StageOptions>& stages) {
  Json list = Json::array();
  for (const StageOptions& stage : stages) {
    Json json = {{"kind", stage.kind}};
    json.update(stage.options.ToJson());
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace protium
