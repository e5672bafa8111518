// SPDX-License-Identifier: Apache-2.0
// The command line from its first word to the exit code.
#pragma once

#include <span>
#include <string>

#include "app/verb.h"

namespace protium {

// Finds the verb, runs it, prints a fault on stderr (with --json on stdout too) and returns the
// exit code. Call it once per process: it also makes writes to a closed pipe fail instead of
// killing us.
int RunCommand(const Invocation& invocation);

// The flags that every verb takes besides its own.
std::span<const Flag> SharedFlags();

// The page of `protium --help` and of `protium help exit-codes`.
std::string HelpPage(const std::string& program);
std::string ExitCodesPage();

}  // namespace protium
