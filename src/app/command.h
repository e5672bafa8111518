// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/verb.h"

namespace protium {

// Finds the verb, runs it, tells a fault on stderr and gives the exit code.
int RunCommand(const Invocation& invocation);

// The page of `protium --help` and of `protium help exit-codes`.
std::string HelpPage(const std::string& program);
std::string ExitCodesPage();

}  // namespace protium
