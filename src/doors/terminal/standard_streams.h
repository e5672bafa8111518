// SPDX-License-Identifier: Apache-2.0
// Tables on standard streams. Engines read files and write files, so what comes from stdin is kept
// as one first, and what goes to stdout has been one.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/status.h"

namespace protium {

// The format of tables on standard streams, as --format names it: the ending of the files that
// stand for them, "csv" or "jsonl". Any other is a fault of Exit::kUsage.
Result<std::string> StreamEnding(const std::string& format);

// Keeps all of stdin as `folder`/stdin.`ending`, unpacked later if its first bytes are those of
// gzip or zstd, and returns the path. Waits until stdin ends; a request to stop ends the wait with
// Exit::kStopped.
Result<std::filesystem::path> KeepStdin(const std::filesystem::path& folder,
                                        const std::string& ending, const std::stop_token& stop);

// Prints a file of text on stdout as PrintResult() does, some lines at a time.
Status PrintFile(const std::filesystem::path& file);

// The fault with "stdin" where it names the file that stands for it.
Status NamingStdin(const std::filesystem::path& file, const Status& status);

}  // namespace protium
