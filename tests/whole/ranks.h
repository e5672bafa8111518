// SPDX-License-Identifier: Apache-2.0
// The processes of a gang on Spark, which are no children of the command.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace protium::whole {

// The process of a rank of the gang that the last gang_start of the runs in `runs` tells of, or 0.
pid_t PidOf(const std::filesystem::path& runs, int rank);

// The parent of a process that runs; a failure of the test when there is none.
pid_t ParentOf(pid_t process);

}  // namespace protium::whole
