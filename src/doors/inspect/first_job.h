// SPDX-License-Identifier: Apache-2.0
// A first job as a job file, for `protium init`.
#pragma once

#include <string>

#include "inspect/first_outline.h"

namespace protium {

// Returns the text of the file: at most 70 lines, unless there are very many columns or tables.
std::string JobText(const JobOutline& outline);

}  // namespace protium
