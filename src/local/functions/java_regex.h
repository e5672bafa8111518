// SPDX-License-Identifier: Apache-2.0
// Java's regular expressions, which are Spark's, as patterns of PCRE2 that match the same.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// The pattern for PCRE2 with UTF and DOTALL: every class is written out, because the two libraries
// disagree on what \s, a dot, a line or a letter is. A pattern that is not one of Java's, or that
// has no counterpart, is a fault (kUsage) that says why.
Result<std::string> ToPcre(std::string_view java);

}  // namespace protium
