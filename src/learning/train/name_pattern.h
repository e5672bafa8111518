// SPDX-License-Identifier: Apache-2.0
// Selects parameters of a net by patterns of their names, in which * stands for any text, including
// the empty text and dots: "embedding.*", "*.bias". For train.parameters and train.from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/net.h"

namespace protium {

// Whether the whole name matches; no character but * is special.
bool FitsPattern(std::string_view pattern, std::string_view name);

// Returns the positions of the matching parameters, ascending. A pattern that matches none is a
// mistake: a fault of Exit::kUsage at `where`, a key of the job, that lists the existing names.
Result<std::vector<size_t>> FindByPattern(const std::string& pattern,
                                          const std::vector<Variable>& parameters,
                                          const std::string& where);

// Whether the pattern matches running statistics of batch norm (tensor/norm_statistics.h) among the
// buffers and no parameter.
bool NamesStatistics(const std::string& pattern, const std::vector<Variable>& parameters,
                     const std::vector<Variable>& buffers);

}  // namespace protium
