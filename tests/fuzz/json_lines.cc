// SPDX-License-Identifier: Apache-2.0
// A file of JSON lines as a table.
#include "tests/fuzz/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  protium::ReadTable({data, size}, protium::Format::kJsonLines);
  return 0;
}
