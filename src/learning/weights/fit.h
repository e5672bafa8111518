// SPDX-License-Identifier: Apache-2.0
// Whether weights from elsewhere are those of a net, by name and shape. Types are made equal
// afterwards (ToFloat32() in weights_file.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"

namespace protium {

// Each match of `pattern` in the name of a tensor, a regular expression of ECMAScript's, becomes
// `to`, where $1 is the first group. A name that becomes empty is left out.
struct Rename {
  std::string pattern;
  std::string to;
};

// "REGEX=TO"; a text without "=", and one that is no regular expression, are faults of
// Exit::kUsage.
Result<Rename> ParseRename(const std::string& text);

// `given` by the names that the renames give them, one after the other; two of one name are a fault
// of Exit::kUsage. Borrows the data.
Result<std::vector<NamedTensor>> Renamed(const std::vector<NamedTensor>& given,
                                         std::span<const Rename> renames);

// The tensors of `given` in the order of `wanted`. All that is missing, left over, or of another
// shape is named in one fault of Exit::kInput. Counters of batches (num_batches_tracked), which
// predictions do not need, may be left over; their names go to `passed_over`.
Result<std::vector<NamedTensor>> FitTensors(const std::vector<NamedTensor>& given,
                                            const std::vector<NamedTensor>& wanted,
                                            std::vector<std::string>& passed_over);

}  // namespace protium
