// SPDX-License-Identifier: Apache-2.0
// Opens libraries while the program runs, so that a command loads only what it needs, such as
// engines and LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// The folder that the library with this code was loaded from, which also has the other libraries of
// this build. Empty if the loader cannot say.
std::filesystem::path OwnLibraryFolder();

// Opens `file` from that folder, or else from the loader's path, with all symbols bound, and
// returns the address of its `entry`. It stays open. `needed_for` begins the message of a failure:
// "training and scoring".
Result<void*> OpenBeside(const std::string& file, const char* entry, const std::string& needed_for,
                         const std::string& fix);

// Opens a library that others will request by its name: they will get this one, even if another is
// on their path. It stays open.
Status OpenInsteadOfOthers(const std::filesystem::path& file, const std::string& needed_for);

// The fault for a library that exists but cannot be used; `why` may be nullptr.
Status UnusableLibrary(const std::string& file, const std::string& needed_for, const char* why);

}  // namespace protium
