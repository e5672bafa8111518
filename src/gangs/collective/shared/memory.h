// SPDX-License-Identifier: Apache-2.0
// Windows and trees of ranks on one host. Each rank makes its own memory and passes it to all
// others, which map it: reads are plain loads.
#pragma once

#include <memory>

#include "collective/communicator.h"
#include "collective/shared/meeting.h"

namespace protium {

Result<std::unique_ptr<Window>> MakeSharedWindow(std::shared_ptr<Meeting> meeting, int64_t bytes);
Result<std::unique_ptr<SumTree>> MakeSharedTree(std::shared_ptr<Meeting> meeting,
                                                const TreeSpec& spec);

// Shares memory with every rank and returns the mappings by rank, including the own one.
// bytes_of[r] is what rank r shares, agreed before. Fails on all ranks alike.
Result<std::vector<Mapping>> ShareMemory(Meeting& meeting, const std::vector<int64_t>& bytes_of);

}  // namespace protium
