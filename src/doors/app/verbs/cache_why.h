// SPDX-License-Identifier: Apache-2.0
// Why a job would take what is kept, or not: the first thing that differs in the causes.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/manifest.h"

namespace protium {

// Says of one table of a job, or of what is made of it ("fit", "rows"), why it would be taken or
// made, as lines of text. `table` is what KeptForJob() (job/frames.h) says of it, `kept` all that
// the store has.
std::string WhyText(const Json& table, const std::vector<Manifest>& kept);

}  // namespace protium
