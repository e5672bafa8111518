// SPDX-License-Identifier: Apache-2.0
// Windows (communicator.h) of ranks on one machine whose bytes outlive their rank, since they
// belong to whoever holds the descriptor of their file: a process that takes the rank of one that
// has died maps what that one has left. Made and opened without a call that all ranks make; who
// reads what others have filled waits for them by other means.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "os/fd.h"

namespace protium {

// Zeros, without a name: nothing is left when the last descriptor and mapping are gone. In memory,
// or in the folder `disk`, where space is reserved at once (kNoRoom).
Result<UniqueFd> MakeWindowFile(const std::filesystem::path& disk, int64_t bytes);

// `files`: by rank; empty: that rank's window has no bytes. Direct() has those of all ranks.
Result<std::unique_ptr<Window>> OpenWindowFiles(int32_t rank, const std::vector<UniqueFd>& files);

}  // namespace protium
