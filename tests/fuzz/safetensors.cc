// SPDX-License-Identifier: Apache-2.0
// A file of tensors: each must lie within the file, and all are hashed.
#include "format/safetensors.h"

#include "base/fault.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const auto file = Safetensors::Parse({bytes, bytes + size}, "the file");
  if (!file.ok()) {
    PT_CHECK(FaultOf(file.status()).exit == Exit::kInput);
    return 0;
  }
  size_t held = 0;
  for (const NamedTensor& each : file->tensors()) held += each.data.size();
  PT_CHECK(held <= size);
  WeightsXxh3(file->tensors());
  return 0;
}
