// SPDX-License-Identifier: Apache-2.0
// Queries one after another: typed at a prompt, or as statements from a file.
#pragma once

#include <string>

#include "base/status.h"
#include "terminal/arguments.h"

namespace protium {

// Reads queries from the terminal on stdin until Ctrl-D or \q, and answers each on stdout; the
// prompt itself is on stderr. What goes wrong with one is told, and the next is read. Ctrl-C drops
// the query that is typed or stops the one that runs. Call it with no other threads about.
Status Prompt(const Arguments& arguments);

// Answers the statements of `text` in order, up to the first that fails; the last one needs no
// semicolon. Lines that begin with a backslash are commands, as at the prompt.
Status RunStatements(const std::string& text, const Arguments& arguments);

}  // namespace protium
