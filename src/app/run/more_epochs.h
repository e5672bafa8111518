// SPDX-License-Identifier: Apache-2.0
// Training a run further than it was meant to go.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Lays `sets`, which must be --set train.epochs=N with more epochs than the run has, over
// `description`, the job.json of the run in `run`. Refused with Exit::kUsage where the run would
// not equal one that had N epochs from the start: the learning rate of the steps already made
// depends on their number, or a search compared trials of the former length.
Status AddEpochs(const std::vector<std::string>& sets, const std::filesystem::path& run,
                 Json& description);

}  // namespace protium
