// SPDX-License-Identifier: Apache-2.0
// Stages as data: the list that a pipeline, a job file and a saved model all hold.
// Making one never fails; options are checked when the pipeline is placed on a table.
#pragma once

#include <string>
#include <vector>

#include "protium/any_options.h"
#include "protium/stages.h"

namespace protium {

struct Catalogue;

inline constexpr const char* kTorchEstimator = "torch_estimator";
inline constexpr const char* kTreeEstimator = "tree_estimator";

// A stage named by its row in the catalogue, with the options that differ from the defaults. Any
// row can be given as JSON: {"one_hot_encoder", {{"inputs", {"origin"}}}}.
struct StageOptions {
  std::string kind;
  AnyOptions options;
};

// Typed constructors for C++: pt::Pipeline({pt::Imputer({.inputs = {"temp"}}), ...}).
inline StageOptions StringIndexer(const StringIndexerOptions& options) {
  return {"string_indexer", options};
}
inline StageOptions Imputer(const ImputerOptions& options) { return {"imputer", options}; }
inline StageOptions StandardScaler(const StandardScalerOptions& options) {
  return {"standard_scaler", options};
}
inline StageOptions TorchEstimator(const TorchEstimatorOptions& options) {
  return {kTorchEstimator, options};
}
inline StageOptions TreeEstimator(const TreeEstimatorOptions& options) {
  return {kTreeEstimator, options};
}

// Reads a list of objects with "kind" among their options, and fills in every default. Unknown
// kinds and keys are faults of Exit::kUsage whose `where` starts with `path` ("pipeline").
Result<std::vector<StageOptions>> StagesFromJson(const Json& json, const std::string& path,
                                                 const Catalogue& catalogue);
Json StagesToJson(const std::vector<StageOptions>& stages);

}  // namespace protium
