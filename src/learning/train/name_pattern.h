// SPDX-License-Identifier: Apache-2.0
// Parameters of a net by patterns of their names, in which * stands for any text, the empty one and
// dots included: "embedding.*", "*.bias". For train.parameters and train.from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/net.h"

namespace protium {

// Whether the whole name fits; no character but * is special.
bool FitsPattern(std::string_view pattern, std::string_view name);

// Positions of the parameters that fit, ascending. A pattern that fits none is taken for a mistake:
// a fault of Exit::kUsage at `where`, a key of the job, that lists the names there are.
Result<std::vector<size_t>> FindByPattern(const std::string& pattern,
                                          const std::vector<Variable>& parameters,
                                          const std::string& where);

}  // namespace protium
