// SPDX-License-Identifier: Apache-2.0
// Folders that belong to this user alone although /tmp, where they may lie, is everyone's.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace protium {

// Makes the folder unless it is there. It must be a folder of this user's, no link, and lack the
// permissions `closed` (022: others may not write); anything else is a fault (kEnvironment) that
// says that the folder is `what_for` ("for device leases").
Status MakeOwnFolder(const std::filesystem::path& folder, std::string_view what_for, mode_t closed);

}  // namespace protium
