// SPDX-License-Identifier: Apache-2.0
// Names of columns and tables as SQL reads them.
#pragma once

#include <string>

namespace protium {

// Whether SQL reads the text as a name without quotes. Words with "current_" may be functions.
bool IsPlainName(const std::string& name);

// The name, in double quotes where it needs them.
std::string SqlName(const std::string& name);

}  // namespace protium
