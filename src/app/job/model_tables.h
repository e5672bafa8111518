// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "app/job/job.h"
#include "base/status.h"

namespace protium {

// Where table `name` of a model lies below `data`, the folder that the user gave. A model may come
// from a stranger: an absolute path or one that leads out of the folder is refused.
Result<std::filesystem::path> TableBelow(const std::filesystem::path& data, const std::string& name,
                                         const JobTable& table);

}  // namespace protium
