// SPDX-License-Identifier: Apache-2.0
// result.json: what a run has made and measured.
#pragma once

#include "base/json.h"
#include "run/folder.h"
#include "run/record.h"

namespace protium {

// {"run", "folder", "model", "outputs", "metrics", "memory", "seconds", ...}: what the record has,
// with null and empty values for what a run may lack, and "seconds.total" since `started`.
Json MakeResult(const RunFolder& folder, const RunRecord& record, Clock::time_point started);

}  // namespace protium
