// SPDX-License-Identifier: Apache-2.0
// Translates Java's regular expressions, which Spark uses, to PCRE2 patterns that match the same
// texts. DuckDB's own engine, RE2, has neither look-around nor back references.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Returns the pattern for PCRE2 with UTF and DOTALL. Every class is written out as code points,
// because the two libraries disagree on what \s, a dot, a line or a letter is. A pattern that Java
// would reject, or that has no counterpart here, is a Fault with exit kUsage that gives the reason.
Result<std::string> ToPcre(std::string_view java);

}  // namespace protium
