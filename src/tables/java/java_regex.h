// SPDX-License-Identifier: Apache-2.0
// Java's regular expressions, which are Spark's, as PCRE2 patterns that match the same texts.
// DuckDB's own engine is RE2, which has neither look-around nor back references.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// The pattern for PCRE2 with UTF and DOTALL. Every class is written out as code points, because the
// two libraries disagree on what \s, a dot, a line or a letter is. A pattern that Java would
// reject, or that has no counterpart here, is a Fault of exit kUsage that says why.
Result<std::string> ToPcre(std::string_view java);

}  // namespace protium
