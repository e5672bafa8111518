// SPDX-License-Identifier: Apache-2.0
// Describes job files for editors, which use it to complete keys and mark mistakes while a job is
// written.
#pragma once

#include "catalogue/catalogue.h"

namespace protium {

// Returns the JSON schema (draft 7, which editors' TOML plugins understand) of job files: every
// key, type, range and name, with the help of each. Rules that depend on a table or on another key
// are left to `protium plan`.
Json JobSchema(const Catalogue& catalogue);

}  // namespace protium
