// SPDX-License-Identifier: Apache-2.0
// What to write instead of what newcomers often write in a job file, where the room that refuses
// it, which knows nothing of files, cannot say so.
#pragma once

#include <string_view>

#include "base/fault.h"

namespace protium {

// The fault with a `fix` or `why` where it has none and the mistake is a known one. Its `where` is
// still a path ("train.lr"); `sql` is the job's SQL, for faults about it.
Fault WithAdvice(Fault fault, std::string_view sql);

// The fix for a message of the TOML library; empty where there is none to tell.
std::string AdviceOnToml(std::string_view message);

}  // namespace protium
