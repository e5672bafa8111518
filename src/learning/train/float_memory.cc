// SPDX-License-Identifier: Apache-2.0
#include "train/float_memory.h"

#include <utility>
#include <vector>

#include "os/scratch_file.h"

namespace protium {

Result<FloatMemory> FloatMemory::Make(int64_t count, const std::filesystem::path& disk) {
  FloatMemory out;
  out.count_ = count;
  if (disk.empty() || count == 0) {
    const auto memory = std::make_shared<std::vector<float>>(size_t(count));
    out.floats_ = {memory, memory->data()};
    return out;
  }
  PT_LET(ScratchFile file, ScratchFile::Make(disk));
  PT_TRY(file.Reserve(count * int64_t(sizeof(float))));
  PT_LET(Mapping mapping, file.Map());
  const auto memory = std::make_shared<Mapping>(std::move(mapping));
  out.floats_ = {memory, reinterpret_cast<float*>(memory->data())};
  return out;
}

FloatMemory FloatMemory::Of(std::shared_ptr<float> floats, int64_t count) {
  FloatMemory out;
  out.floats_ = std::move(floats);
  out.count_ = count;
  return out;
}

}  // namespace protium
