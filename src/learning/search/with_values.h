// SPDX-License-Identifier: Apache-2.0
// A pipeline with the values of a trial in the places that their paths name.
#pragma once

#include <memory>
#include <string>

#include "protium/search.h"

namespace protium {

struct Catalogue;

// `pipeline` with each of `values` put where its path leads: "train", "gang", "net" and "loss" are
// the only estimator's, "pipeline.2" or "pipeline.fill" a stage's by position or id. Values of
// short paths come first, so a net may be chosen and one of its options set. All options are
// checked as those of a job file are; a fault of Exit::kUsage names the path below `path` (such as
// "search.space") that it comes from, and the trial's values.
Result<Pipeline> WithValues(const Pipeline& pipeline, const Json& values,
                            const std::shared_ptr<const Catalogue>& own, const std::string& path);

}  // namespace protium
