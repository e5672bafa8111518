// SPDX-License-Identifier: Apache-2.0
// What was typed at earlier prompts, stored between sessions for its user only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// Returns $XDG_STATE_HOME/protium/sql_history, else ~/.local/state/protium/sql_history; empty
// without a home.
std::filesystem::path HistoryFile();

// Returns the last lines of the file, oldest first; none if it cannot be read. Omits lines that
// would affect a terminal.
std::vector<std::string> ReadHistory(const std::filesystem::path& file);

// Appends a line to the file, which only its owner may read; creates its folder. A file that has
// grown long is cut to its last lines.
Status AddToHistory(const std::filesystem::path& file, const std::string& line);

}  // namespace protium
