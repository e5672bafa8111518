// SPDX-License-Identifier: Apache-2.0
// Job files described for editors, which complete keys and mark mistakes by it while a job is
// written.
#pragma once

#include "catalogue/catalogue.h"

namespace protium {

// The JSON schema (draft 7, which editors' TOML plugins understand) of job files: every key, type,
// range and name, with the help of each. What depends on a table or on another key is left to
// `protium plan`.
Json JobSchema(const Catalogue& catalogue);

}  // namespace protium
