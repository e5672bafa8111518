// SPDX-License-Identifier: Apache-2.0
// Tables on standard streams. Engines read and write files, so stdin is first stored as a file, and
// stdout is printed from one.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/status.h"

namespace protium {

// Returns the format of tables on standard streams, as named by --format: the ending of the files
// used for them, "csv" or "jsonl". Any other is a fault of Exit::kUsage.
Result<std::string> StreamEnding(const std::string& format);

// Stores all of stdin as `folder`/stdin.`ending`, to be unpacked later if its first bytes are those
// of gzip or zstd, and returns the path. Waits until stdin ends; a request to stop ends the wait
// with Exit::kStopped.
Result<std::filesystem::path> KeepStdin(const std::filesystem::path& folder,
                                        const std::string& ending, const std::stop_token& stop);

// Prints a text file on stdout as PrintResult() does, some lines at a time.
Status PrintFile(const std::filesystem::path& file);

// Returns the fault with "stdin" in place of the name of its file.
Status NamingStdin(const std::filesystem::path& file, const Status& status);

}  // namespace protium
