// SPDX-License-Identifier: Apache-2.0
// A first job as a program in C++, for `protium init --cpp`.
#pragma once

#include <string>

#include "inspect/first_outline.h"

namespace protium {

// Returns main.cc: the same job as JobText() writes, as calls of <protium/protium.h>.
std::string ProgramText(const JobOutline& outline);

// Returns the CMakeLists.txt that builds it as `name` against an installed package.
std::string ProgramCMake(const std::string& name);

}  // namespace protium
