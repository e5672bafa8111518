// SPDX-License-Identifier: Apache-2.0
// The list of stages that a pipeline, a job file and a saved model hold. Public API.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "learn/options.h"

namespace protium {

using StageOptions = std::variant<StringIndexerOptions, ImputerOptions, StandardScalerOptions,
                                  TorchEstimatorOptions>;

// pt::Pipeline({pt::Imputer({.inputs = {"temp"}}), ...}) reads like the job file.
inline StageOptions StringIndexer(StringIndexerOptions options) { return options; }
inline StageOptions Imputer(ImputerOptions options) { return options; }
inline StageOptions StandardScaler(StandardScalerOptions options) { return options; }
inline StageOptions TorchEstimator(TorchEstimatorOptions options) { return options; }

// "string_indexer", "imputer", "standard_scaler", "torch_estimator".
std::vector<std::string> StageKinds();
std::string_view KindOf(const StageOptions& options);

// A list of objects with "kind" and the options. Strict; `path` ("pipeline") starts the `where` of
// faults.
Result<std::vector<StageOptions>> StagesFromJson(const Json& json, const std::string& path);
Json StagesToJson(const std::vector<StageOptions>& stages);

// The dotted paths of all options of a stage of this kind, with their defaults as JSON.
Result<Json> StageDefaults(std::string_view kind);

}  // namespace protium
