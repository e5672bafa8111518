// SPDX-License-Identifier: Apache-2.0
// What to write instead of common newcomers' mistakes in a job file, for faults from rooms that
// know nothing of files and so cannot say it.
#pragma once

#include <string_view>

#include "base/fault.h"

namespace protium {

// Returns the fault with a `fix` or `why` if it has none and the mistake is a known one. Its
// `where` is still a path ("train.lr"); `sql` is the job's SQL, for faults about it.
Fault WithAdvice(Fault fault, std::string_view sql);

// Returns the fix for a message of the TOML library; empty if there is none.
std::string AdviceOnToml(std::string_view message);

}  // namespace protium
