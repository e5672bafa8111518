// SPDX-License-Identifier: Apache-2.0
// Checks what can be checked about a job instantly: everything but its SQL and the types of its
// columns, for which `protium plan` reads whole tables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

struct JobCheck {
  // In the terms of the file; those that follow from others are omitted.
  std::vector<Status> mistakes;
  Job job;  // Complete if there are no mistakes.
  // The columns of the SQL's result, if its text and the tables' headers determine them.
  std::optional<Columns> columns;
};

// Reads the job file and the headers of the first file of each table, and nothing else; opens no
// engine, starts nothing, and runs no code that the job names: neither a discovery script nor,
// unless they are to be loaded, extensions (job.unloaded). `plan` and `run` refuse everything that
// it refuses.
JobCheck CheckJob(const std::filesystem::path& file, const std::vector<std::string>& sets,
                  Extensions extensions = Extensions::kLeaveAlone);

}  // namespace protium
