// SPDX-License-Identifier: Apache-2.0
#include "pipeline/explained.h"

#include <arrow/type.h>

#include <algorithm>

namespace protium {

Columns SourcesOfFeatures(const Chain& chain, const NetConfig& config) {
  Columns sources;
  const auto add = [&](const std::string& feature) {
    sources.push_back(NameOfSources(chain, feature));
  };
  for (const std::string& each : config.numeric) add(each);
  for (const CategoricalColumn& each : config.categorical) add(each.column);
  for (const ListInput& each : config.lists) add(each.column);
  return sources;
}

Columns ExplainedSources(const ExplainConfig& config) {
  Columns names;
  for (const std::string& each : config.sources) {
    if (std::ranges::find(names, each) == names.end()) names.push_back(each);
  }
  return names;
}

arrow::FieldVector ExplainedFields(const ExplainConfig& config) {
  arrow::FieldVector fields;
  if (config.columns == 0) return fields;
  const auto add = [&](const std::string& name, const auto& type) {
    fields.push_back(arrow::field(name, type));
  };
  const Columns names = ExplainedSources(config);
  if (config.columns == kEveryColumn) {
    for (const std::string& name : names) add("because_of_" + name, arrow::float64());
  } else {
    const auto most = std::min(config.columns, int32_t(names.size()));
    for (int32_t i = 1; i <= most; ++i) {
      add("because_" + std::to_string(i), arrow::utf8());
      add("because_" + std::to_string(i) + "_by", arrow::float64());
    }
    add("because_others_by", arrow::float64());
  }
  add("because_mean", arrow::float64());
  return fields;
}

}  // namespace protium
