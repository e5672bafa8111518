// SPDX-License-Identifier: Apache-2.0
// The steps of RowSteps as JSON, which the driver sends to workers of the same build.
#pragma once

#include "base/json.h"
#include "plan/node.h"

namespace protium {

// Accepts a Filter, Project, Lookup, Split or MarkSplit; no other verb is a step.
Json StepToJson(const Verb& verb);

// Fails on anything that StepToJson() would not write.
Result<Verb> StepFromJson(const Json& json);

}  // namespace protium
