// SPDX-License-Identifier: Apache-2.0
#include "model/forest_config.h"

#include "model/net_rows.h"

namespace protium {

std::vector<ForestColumn> ForestColumns(const NetConfig& config) {
  std::vector<ForestColumn> columns;
  for (const std::string& each : config.numeric) columns.push_back({each});
  for (const CategoricalColumn& each : config.categorical) {
    columns.push_back({each.column, each.cardinality});
  }
  return columns;
}

RowSchema ForestRows(const NetConfig& config, const std::string& weight, bool labels) {
  return NetRows(config, {}, weight, labels, true);
}

}  // namespace protium
