// SPDX-License-Identifier: Apache-2.0
// Windows and trees of ranks on one host.
#pragma once

#include <memory>

#include "collective/communicator.h"
#include "collective/shared/meeting.h"

namespace protium {

Result<std::unique_ptr<Window>> MakeSharedWindow(std::shared_ptr<Meeting> meeting, int64_t bytes);
Result<std::unique_ptr<Tree>> MakeSharedTree(std::shared_ptr<Meeting> meeting,
                                             const TreeSpec& spec);

// Shares memory of `own_bytes` with every rank; the mappings by rank, the own one included. Agreed
// before; bytes_of[r] is what rank r shares.
Result<std::vector<Mapping>> ShareMemory(Meeting& meeting, const std::vector<int64_t>& bytes_of);

}  // namespace protium
