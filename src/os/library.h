// SPDX-License-Identifier: Apache-2.0
// Libraries that are opened while the program runs.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// The folder that this library was loaded from; the others of this build lie beside it.
std::filesystem::path OwnLibraryFolder();

// Opens `file` of that folder, or else of the loader's path, with all symbols bound, and gives the
// address of its `entry`. It stays open. `needed_for` begins the message of a failure: "training
// and scoring".
Result<void*> OpenBeside(const std::string& file, const char* entry, const std::string& needed_for,
                         const std::string& fix);

// Why a library that could be opened is of no use.
Status UnusableLibrary(const std::string& file, const std::string& needed_for, const char* why);

}  // namespace protium
