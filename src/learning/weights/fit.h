// SPDX-License-Identifier: Apache-2.0
// Whether weights from another program are those of a net, by name and shape. Types are converted
// afterwards (ToFloat32() in weights_file.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"

namespace protium {

// Replaces each match of `pattern`, an ECMAScript regular expression, in a tensor's name with `to`,
// where $1 is the first group. A tensor whose name becomes empty is left out.
struct Rename {
  std::string pattern;
  std::string to;
};

// Parses "REGEX=TO"; a text without "=" or with an invalid regular expression is a fault of
// Exit::kUsage.
Result<Rename> ParseRename(const std::string& text);

// Returns `given` with the renames applied to the names, one after the other; two tensors of the
// same name are a fault of Exit::kUsage. Borrows the data.
Result<std::vector<NamedTensor>> Renamed(const std::vector<NamedTensor>& given,
                                         std::span<const Rename> renames);

// Returns the tensors of `given` in the order of `wanted`. One fault of Exit::kInput names
// everything that is missing, left over, or of another shape. Counters of batches
// (num_batches_tracked), which predictions do not need, may be left over; their names go to
// `passed_over`.
Result<std::vector<NamedTensor>> FitTensors(const std::vector<NamedTensor>& given,
                                            const std::vector<NamedTensor>& wanted,
                                            std::vector<std::string>& passed_over);

}  // namespace protium
