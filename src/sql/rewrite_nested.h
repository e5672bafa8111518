// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// What RewriteNode does to the call `name` of a function over lists and structures: what collects
// them, makes them, and runs lambdas over them.
Result<bool> RewriteNested(Json& node, const std::string& name);

// transform(list, (x, i) -> ...) and filter: places count from 0 in Spark.
void RewritePlaces(Json& node);

}  // namespace protium
