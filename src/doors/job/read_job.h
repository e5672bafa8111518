// SPDX-License-Identifier: Apache-2.0
// From the text of a job file to a Job: parse, lay --set over it, read the fields, resolve paths
// and shorthand, check what can be checked without a table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

// Reads a job file with the --set assignments laid over it. Reads nothing but the file, apart from
// opening the extensions it names, which brings their code into this process. Faults are in the
// terms of the file.
Result<Job> ReadJob(const std::filesystem::path& file, const std::vector<std::string>& sets);

// The mistakes in a job file that do not follow from each other. Where extensions are loaded, the
// first is that of ReadJob(); where they are left alone, no code but ours is run.
struct JobMistakes {
  std::vector<Status> all;  // In the terms of the file, at most 20.
  // The job, without what is mistaken; whole if there are no mistakes, and with tables as far as
  // these could be read.
  Job job;
};
JobMistakes FindMistakes(const std::filesystem::path& file, const std::vector<std::string>& sets,
                         Extensions extensions);

// Reads what Job::ToJson() wrote.
Result<Job> ReadSavedJob(const Json& saved, const std::filesystem::path& file);

// "4 GiB", "500 MB" or "1024" as bytes; a plain Invalid for anything else.
Result<int64_t> ReadBytes(const std::string& text);

}  // namespace protium
