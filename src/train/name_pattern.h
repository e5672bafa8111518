// SPDX-License-Identifier: Apache-2.0
// Parameters of a net by patterns of their names, in which * stands for any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/net.h"

namespace protium {

bool FitsPattern(std::string_view pattern, std::string_view name);

// Positions of the parameters that fit. A pattern that fits none is a fault of Exit::kUsage at
// `where` that lists the names there are.
Result<std::vector<size_t>> FindByPattern(const std::string& pattern,
                                          const std::vector<Variable>& parameters,
                                          const std::string& where);

}  // namespace protium
