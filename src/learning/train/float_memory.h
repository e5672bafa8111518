// SPDX-License-Identifier: Apache-2.0
// Floats that lie in memory or, where there is too little of it, in a file on the disk, of which
// the system keeps in memory what is read often.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/status.h"

namespace protium {

// Copies share them.
class FloatMemory {
 public:
  FloatMemory() = default;
  // Zeros. `disk`: the folder for a file without a name, whose space is reserved (kNoRoom);
  // empty: they are in memory.
  static Result<FloatMemory> Make(int64_t count, const std::filesystem::path& disk);

  // These, in memory that others have made.
  static FloatMemory Of(std::shared_ptr<float> floats, int64_t count);

  float* data() const { return floats_.get(); }
  int64_t size() const { return count_; }
  std::span<float> floats() const { return {data(), size_t(count_)}; }
  const std::shared_ptr<float>& shared() const { return floats_; }

 private:
  std::shared_ptr<float> floats_;
  int64_t count_ = 0;
};

}  // namespace protium
