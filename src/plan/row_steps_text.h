// SPDX-License-Identifier: Apache-2.0
// Steps of RowSteps as JSON, on their way to where the rows are.
#pragma once

#include "base/json.h"
#include "plan/node.h"

namespace protium {

// Of a Filter, Project, Lookup, Split or MarkSplit.
Json StepToJson(const Verb& verb);

Result<Verb> StepFromJson(const Json& json);

}  // namespace protium
