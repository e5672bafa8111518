// SPDX-License-Identifier: Apache-2.0
// How `protium scale` finds a gang of programs, which leaves no run: by its process. That holds a
// file open which says what sizes it may have, beside the one for wishes (gang/wish.h). So nothing
// is left that could be stale, and nobody but the same user sees it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/status.h"
#include "gang/task.h"
#include "os/fd.h"

namespace protium {

struct SizedGang {
  std::filesystem::path folder;  // Where wishes are written.
  WorkerRange workers;
};

// While the descriptor is open, FindSizedGang() of this process finds the gang.
Result<UniqueFd> OfferSizing(const SizedGang& gang);

// The gang of that process; nothing if it has none whose size may change, or is another user's.
std::optional<SizedGang> FindSizedGang(pid_t process);

}  // namespace protium
