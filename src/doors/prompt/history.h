// SPDX-License-Identifier: Apache-2.0
// What was typed at the prompt before, kept between sessions for its user alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// $XDG_STATE_HOME/protium/sql_history, else ~/.local/state/protium/sql_history; empty without a
// home.
std::filesystem::path HistoryFile();

// The last lines of the file, oldest first; none if it cannot be read. Lines that would do
// something to a terminal are left out.
std::vector<std::string> ReadHistory(const std::filesystem::path& file);

// Adds a line to the file, which only its owner may read; makes its folder. A file that has grown
// long is cut to its last lines.
Status AddToHistory(const std::filesystem::path& file, const std::string& line);

}  // namespace protium
