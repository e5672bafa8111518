// SPDX-License-Identifier: Apache-2.0
// A schema and a batch as messages between processes, in memory that ends exactly after them: two
// bytes with the length of the first, then both.
#include <arrow/buffer.h>

#include "column/ipc.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  if (size < 2) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t length = std::min<size_t>(data[0] | data[1] << 8, all.size());
  const auto schema = SchemaFromIpc(arrow::Buffer::FromString(std::string(all.substr(0, length))));
  if (!schema.ok()) return 0;
  const auto batch =
      BatchFromIpc(arrow::Buffer::FromString(std::string(all.substr(length))), *schema);
  if (batch.ok()) PT_CHECK((*batch)->ValidateFull().ok());
  return 0;
}
