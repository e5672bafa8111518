// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/catalogue.h"

namespace protium {

// A JSON schema (draft 7) of job files, for editors: every key, type, range and name. What only a
// table or another key can tell, it leaves to `protium plan`.
Json JobSchema(const Catalogue& catalogue);

}  // namespace protium
