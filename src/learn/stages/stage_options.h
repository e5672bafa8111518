// SPDX-License-Identifier: Apache-2.0
// The list of stages that a pipeline, a job file and a saved model hold. Public API.
#pragma once

#include <string>
#include <vector>

#include "learn/options.h"

namespace protium {

struct Catalogue;

inline constexpr const char* kTorchEstimator = "torch_estimator";

// A stage by the name of its row in the catalogue and the options that are set over its defaults.
// Those of any row may be given as JSON: {"one_hot_encoder", {{"inputs", {"origin"}}}}.
struct StageOptions {
  std::string kind;
  Json options = Json::object();
};

// pt::Pipeline({pt::Imputer({.inputs = {"temp"}}), ...}) reads like the job file.
inline StageOptions StringIndexer(const StringIndexerOptions& options) {
  return {"string_indexer", FieldsToJson(options)};
}
inline StageOptions Imputer(const ImputerOptions& options) {
  return {"imputer", FieldsToJson(options)};
}
inline StageOptions StandardScaler(const StandardScalerOptions& options) {
  return {"standard_scaler", FieldsToJson(options)};
}
inline StageOptions TorchEstimator(const TorchEstimatorOptions& options) {
  return {kTorchEstimator, FieldsToJson(options)};
}

// A list of objects with "kind" and the options, with every default filled in. Strict; `path`
// ("pipeline") starts the `where` of faults.
Result<std::vector<StageOptions>> StagesFromJson(const Json& json, const std::string& path,
                                                 const Catalogue& catalogue);
Json StagesToJson(const std::vector<StageOptions>& stages);

}  // namespace protium
