// SPDX-License-Identifier: Apache-2.0
// A pipeline with the values of a trial at the paths that they are named by.
#pragma once

#include <memory>
#include <string>

#include "protium/search.h"

namespace protium {

struct Catalogue;

// Returns `pipeline` with each of `values` set at its path: "train", "gang", "net", "trees" and
// "loss" belong to the only estimator, "pipeline.2" or "pipeline.fill" to a stage by position or
// id. "kind" is the kind of the estimator: a trial of another kind than the pipeline's takes the
// options that both have, and ignores values of those that its kind lacks. Values of short paths
// come first, so a net may be chosen and one of its options set. All
// options are checked like those of a job file; a fault of Exit::kUsage names the path of the
// value, below `path` (such as "search.space"), and the trial's values.
Result<Pipeline> WithValues(const Pipeline& pipeline, const Json& values,
                            const std::shared_ptr<const Catalogue>& own, const std::string& path);

}  // namespace protium
