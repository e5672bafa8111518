// SPDX-License-Identifier: Apache-2.0
// Any text as JSON: what is read must be written so that it reads back the same.
#include "base/json.h"

#include "base/fault.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const auto value = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!value.ok()) {
    PT_CHECK(FaultOf(value.status()).exit == Exit::kInput);
    return 0;
  }
  const auto again = ParseJson(Dump(*value));
  PT_CHECK(again.ok() && Dump(*again) == Dump(*value));
  return 0;
}
