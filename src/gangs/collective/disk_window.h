// SPDX-License-Identifier: Apache-2.0
// Windows (communicator.h) of ranks on one machine whose bytes lie on the disk: for what may not
// fit into memory. The system keeps in memory what is read often. Written over what every backend
// has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

// Collective, as Communicator::MakeWindow(). A rank's bytes are a file without a name in `folder`,
// whose space is reserved: a disk that is too small fails here, on all ranks (kNoRoom), and nothing
// is left when they end. Every rank gets Direct() of all others.
Result<std::unique_ptr<Window>> MakeDiskWindow(const std::filesystem::path& folder, int64_t bytes,
                                               Communicator& communicator);

}  // namespace protium
