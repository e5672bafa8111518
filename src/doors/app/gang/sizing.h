// SPDX-License-Identifier: Apache-2.0
// How `protium scale` finds a gang of programs, which leaves no run: through its process. The
// process holds a file open that says which sizes are allowed, beside the one for wishes
// (gang/wish.h). So nothing is left that could be stale, and only the same user sees it.
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

// While the descriptor is open, FindSizedGang() finds this process's gang.
Result<UniqueFd> OfferSizing(const SizedGang& gang);

// Returns the gang of that process; nothing if it has no gang whose size may change, or belongs to
// another user.
std::optional<SizedGang> FindSizedGang(pid_t process);

}  // namespace protium
