// SPDX-License-Identifier: Apache-2.0
// From the text of a job file to a job that may run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/job/job.h"

namespace protium {

// Reads a job file and the assignments of --set over it. Nothing but the file is touched, and the
// extensions that it names are opened. Faults are in the terms of the file.
Result<Job> ReadJob(const std::filesystem::path& file, const std::vector<std::string>& sets);

// Reads what ToJson() gave.
Result<Job> ReadSavedJob(const Json& saved, const std::filesystem::path& file);

// "4 GiB", "500 MB", "1024": bytes.
Result<int64_t> ReadBytes(const std::string& text);

}  // namespace protium
