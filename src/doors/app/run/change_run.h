// SPDX-License-Identifier: Apache-2.0
// What may be changed when a run is resumed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Applies `sets` to `description`, the job.json of the run in `run`. Allows --set gang.*, since who
// trains does not decide the weights, and --set train.epochs=N, for trees trees.rounds=N, with more
// of them than the run has, and of a search more trials, or other seconds, target or patience.
// Refuses anything else with Exit::kUsage, and also more epochs if the
// run would not equal one that had them from the start: the learning rate of the steps already made
// depends on their number, or a search compared trials of the former length.
Status ChangeRun(const std::vector<std::string>& sets, const std::filesystem::path& run,
                 Json& description);

}  // namespace protium
