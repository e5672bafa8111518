// SPDX-License-Identifier: Apache-2.0
// Folders that appear whole or not at all, like the files of os/file.h: a name changes in one step
// (rename(2)), and fsync(2) makes its contents survive a loss of power.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/status.h"

namespace protium {

// Flushes the names in a folder to the disk.
Status SyncFolder(const std::filesystem::path& folder);

// Renames the finished folder `draft` to `target`, beside it. If `target` exists, it is always a
// whole folder, old or new, on file systems that can exchange names (renameat2(2)); on others the
// name is missing for a moment. The old folder is removed with its contents.
Status PublishFolder(const std::filesystem::path& draft, const std::filesystem::path& target);

// Whether a file or folder in a run's folder is named as one that is still being written: with
// ".partial" in its name, or a dot in front.
bool IsDraftName(const std::string& name);

// Makes the folder `target` from what `write` puts into an empty draft beside it, and publishes it.
// If either fails, `target` is as it was and the draft is removed.
Status WriteFolder(const std::filesystem::path& target,
                   const std::function<Status(const std::filesystem::path& draft)>& write);

}  // namespace protium
