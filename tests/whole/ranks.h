// SPDX-License-Identifier: Apache-2.0
// The processes of a gang on Spark, which are not children of the command.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/json.h"

namespace protium::whole {

// The ranks of the last gang_start in the runs in `runs`; null if there was none.
Json LastGang(const std::filesystem::path& runs);

// The process of one of them, or 0.
pid_t FindPid(const std::filesystem::path& runs, int rank);

// The parent of a running process; fails the test if there is none.
pid_t FindParent(pid_t process);

}  // namespace protium::whole
