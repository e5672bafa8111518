// SPDX-License-Identifier: Apache-2.0
// The weights of an average in one safetensors file: the tensors of member N as "N.NAME", and as
// "weights" (F64) how much each member counts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "format/safetensors.h"

namespace protium {

// Joins the members' files; returns the hash of all tensors (WeightsSha256()). `weights` has one
// number for each.
Result<std::string> WriteAverage(const std::filesystem::path& file,
                                 std::span<const std::string> members,
                                 std::span<const double> weights);

struct AverageFile {
  std::vector<Safetensors> members;  // With the names of their own files.
  std::vector<double> weights;       // 0 or more, with sum 1.
};
// Fails with Exit::kInput for a file that does not have so many members.
Result<AverageFile> ReadAverage(const std::filesystem::path& file, size_t members);

}  // namespace protium
