// SPDX-License-Identifier: Apache-2.0
// Named tensors in one file, in the safetensors format: eight bytes with the length of a JSON
// header (little-endian), the header, then the data of all tensors without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

// One tensor in row-major order, little-endian. The data belongs to whoever made it.
struct NamedTensor {
  std::string name;
  std::string dtype;  // "F32", "F64", "I64", ... as the format spells them.
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

// The whole file in memory; the tensors point into it.
class Safetensors {
 public:
  // Refuses, with the path: a header beyond 100 MB or beyond the file, an unknown dtype, and data
  // that does not fit its shape, overlaps, leaves gaps, or ends before or after the end of the
  // file.
  static Result<Safetensors> Read(const std::filesystem::path& path);
  static Result<Safetensors> Parse(std::vector<std::byte> file, const std::string& where);

  const std::vector<NamedTensor>& tensors() const { return tensors_; }  // In name order.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const NamedTensor* Find(std::string_view name) const;

 private:
  std::vector<std::byte> file_;
  std::vector<NamedTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Writes the file so that it appears whole or not at all. Order, names and data determine the
// bytes. Data of at least a page whose layout in memory is that in the file is written past the
// page cache (AtomicFile::WritePastCache).
Status WriteSafetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                        const std::map<std::string, std::string>& metadata = {});
// Returns the bytes of such a file.
std::string SafetensorsBytes(std::span<const NamedTensor> tensors);

// Returns the SHA-256 over all tensors in the byte order of their names. Each adds: the name, a
// zero byte, the dtype, a zero byte, the number of dimensions and each dimension as unsigned 64-bit
// little-endian, then the data as in the file. Metadata and the order in the file do not count.
std::string WeightsSha256(std::span<const NamedTensor> tensors);
Result<std::string> WeightsSha256(const std::filesystem::path& path);
// Hashes the same bytes, many times as fast: it detects damage, but not deliberate changes (XXH3,
// 128 bits, in hexadecimal digits).
std::string WeightsXxh3(std::span<const NamedTensor> tensors);

}  // namespace protium
