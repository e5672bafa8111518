// SPDX-License-Identifier: Apache-2.0
// Libraries that are opened while the program runs, so that a command loads only what it needs:
// engines and LibTorch are such.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// The folder that the library with this code was loaded from; the others of this build lie beside
// it. Empty where the loader cannot tell.
std::filesystem::path OwnLibraryFolder();

// Opens `file` of that folder, or else of the loader's path, with all symbols bound, and gives the
// address of its `entry`. It stays open. `needed_for` begins the message of a failure: "training
// and scoring".
Result<void*> OpenBeside(const std::string& file, const char* entry, const std::string& needed_for,
                         const std::string& fix);

// Opens a library that others will ask for by its name: whoever names it from then on gets this
// one, wherever else another may lie. It stays open.
Status OpenInsteadOfOthers(const std::filesystem::path& file, const std::string& needed_for);

// The fault for a library that is there but of no use; `why` may be nullptr.
Status UnusableLibrary(const std::string& file, const std::string& needed_for, const char* why);

}  // namespace protium
