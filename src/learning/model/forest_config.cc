// SPDX-License-Identifier: Apache-2.0
#include "model/forest_config.h"

#include "model/net_rows.h"

namespace protium {

Result<std::optional<NetConfig>> ReadForestConfig(const ModelFiles& files) {
  const auto found = files.json.find("net.json");
  if (files.weights.empty() || found == files.json.end()) return std::nullopt;
  if (TextAt(found->second.value("net", Json::object()), "name") != kForest) return std::nullopt;
  NetConfig config;
  PT_TRY(FieldsFromJson(found->second, "", config));
  return config;
}

std::vector<ForestColumn> ForestColumns(const NetConfig& config) {
  std::vector<ForestColumn> columns;
  for (const std::string& each : config.numeric) columns.push_back({each});
  for (const CategoricalColumn& each : config.categorical) {
    columns.push_back({each.column, each.cardinality});
  }
  return columns;
}

RowSchema ForestRows(const NetConfig& config, const std::string& weight, bool labels,
                     const std::string& group) {
  return NetRows(config, {}, weight, labels, true, group);
}

}  // namespace protium
