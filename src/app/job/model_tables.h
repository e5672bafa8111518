// SPDX-License-Identifier: Apache-2.0
// Where a model may read its tables.
#pragma once

#include <filesystem>
#include <string>

#include "app/job/job.h"
#include "base/status.h"

namespace protium {

// The path of a model's table `name` below `data`, the folder that the user gave. A model may come
// from a stranger, so an absolute path, or one that leads out of the folder, is refused with
// Exit::kInput.
Result<std::filesystem::path> TableBelow(const std::filesystem::path& data, const std::string& name,
                                         const JobTable& table);

}  // namespace protium
