// SPDX-License-Identifier: Apache-2.0
// The page's data about a search: from its first trial on, however its run ends.
#pragma once

#include "base/json.h"
#include "page/live_run.h"

namespace protium {

// trials.json, with "options": [{"option", "low", "high", "log"} or {"option", "choices"}],
// "compared_by": [{"metric", "higher_is_better"}] and "running": [{"trial", "values"}]. Before
// trials.json is written, what the events say.
Result<Json> TrialsOf(LiveRun& run);

// Which options mattered for the first metric, as trials/importance.h has it; {} if that is
// unknown. With several metrics also "others": [{"metric", "trials", "options"}].
Json ImportanceOfTrials(const std::filesystem::path& run);

}  // namespace protium
