// SPDX-License-Identifier: Apache-2.0
// --model and --canary of `protium serve`: several models by name.
#pragma once

#include <vector>

#include "serve/serve.h"
#include "terminal/arguments.h"

namespace protium {

std::vector<Flag> ServedPlacesFlags();

// The models that the flags name, in their order; empty without any. Fails with Exit::kUsage for
// what is not NAME=MODEL or NAME=MODEL:SHARE, names that cannot stand in a path, the same name
// twice and canaries of models that are not served.
Result<std::vector<ModelToServe>> ReadServedPlaces(const Arguments& arguments);

}  // namespace protium
