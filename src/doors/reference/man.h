// SPDX-License-Identifier: Apache-2.0
// The pages of man(1), made from the table of verbs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "terminal/arguments.h"

namespace protium {

// Returns protium-VERB.1. `shared`: the flags that every verb takes.
std::string ManPage(const VerbShape& verb, std::span<const Flag> shared);

// Returns protium.1: what the command is, its verbs, and the exit codes as in `protium help
// exit-codes`.
std::string ManIndex(const std::vector<VerbShape>& verbs, std::span<const Flag> shared,
                     const std::string& exit_codes);

}  // namespace protium
