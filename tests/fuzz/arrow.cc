// SPDX-License-Identifier: Apache-2.0
// An Arrow file or stream as a table.
#include "tests/fuzz/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  protium::ReadTable({data, size}, protium::Format::kArrow);
  return 0;
}
