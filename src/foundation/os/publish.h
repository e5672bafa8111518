// SPDX-License-Identifier: Apache-2.0
// Folders that appear whole or not at all, as os/file.h has it for files: a name changes in one
// step (rename(2)), and fsync(2) makes what it names last beyond a loss of power.
#pragma once

#include <filesystem>
#include <functional>

#include "base/status.h"

namespace protium {

// Flushes the names in a folder to the disk.
Status SyncFolder(const std::filesystem::path& folder);

// Gives the finished folder `draft` the name `target`, beside it. Where a folder stood there, a
// whole one stands there at every moment, the earlier or this, on file systems that can exchange
// names (renameat2(2)); on others the name is missing for a moment. The earlier one is removed with
// all in it.
Status PublishFolder(const std::filesystem::path& draft, const std::filesystem::path& target);

// Makes the folder `target` of what `write` puts into an empty draft beside it, and publishes it.
// Where either fails, `target` is as it was and the draft is gone.
Status WriteFolder(const std::filesystem::path& target,
                   const std::function<Status(const std::filesystem::path& draft)>& write);

}  // namespace protium
