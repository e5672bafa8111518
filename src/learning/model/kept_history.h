// SPDX-License-Identifier: Apache-2.0
// The last rows of each group that a model keeps for stages that read earlier rows
// (pipeline/history.h): the file history.parquet of a run and of a model folder.
#pragma once

#include <filesystem>

#include "frame/session_state.h"
#include "pipeline/chain.h"

namespace protium {

inline constexpr const char* kHistoryFile = "history.parquet";

// Writes what the model keeps of `rows`, all of the table, into the folder of the run, and returns
// the file. Empty for a chain without such stages.
Result<std::filesystem::path> KeepHistory(SessionState& session, const Chain& chain,
                                          const Plan& rows);

// The rows of such a file, whose every fault is one of Exit::kInput.
Result<Plan> OpenHistory(const std::filesystem::path& file);

}  // namespace protium
