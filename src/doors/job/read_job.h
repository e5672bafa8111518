// SPDX-License-Identifier: Apache-2.0
// From the text of a job file to a Job: parses it, overlays --set, reads the fields, resolves paths
// and shorthand, and checks what can be checked without a table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

// Reads a job file overlaid with the --set assignments. Reads nothing but the file, except that it
// opens the extensions it names, which loads their code into this process. Faults are in the terms
// of the file.
Result<Job> ReadJob(const std::filesystem::path& file, const std::vector<std::string>& sets);

// The mistakes in a job file that do not follow from each other. If extensions are loaded, the
// first is that of ReadJob(); if they are left alone, only our own code runs.
struct JobMistakes {
  std::vector<Status> all;  // In the terms of the file, at most 20.
  // The job without the mistaken values; complete if there are no mistakes, and with tables as far
  // as these could be read.
  Job job;
};
JobMistakes FindMistakes(const std::filesystem::path& file, const std::vector<std::string>& sets,
                         Extensions extensions);

// Reads what Job::ToJson() wrote.
Result<Job> ReadSavedJob(const Json& saved, const std::filesystem::path& file);

}  // namespace protium
