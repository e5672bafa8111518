// SPDX-License-Identifier: Apache-2.0
// Runs queries one after another: typed at a prompt, or as statements from a file.
#pragma once

#include <string>

#include "base/status.h"
#include "terminal/arguments.h"

namespace protium {

// Reads queries from the terminal on stdin until Ctrl-D or \q, and prints the result of each on
// stdout; the prompt itself is on stderr. Reports a query's error and reads the next. Ctrl-C drops
// the query being typed or stops the running one. Call it while no other threads exist.
Status Prompt(const Arguments& arguments);

// Runs the statements of `text` in order, up to the first that fails; the last one needs no
// semicolon. Lines that begin with a backslash are commands, as at the prompt.
Status RunStatements(const std::string& text, const Arguments& arguments);

}  // namespace protium
