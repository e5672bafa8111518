// SPDX-License-Identifier: Apache-2.0
// A user's SQL on its way to the parser.
#include "sql_text/spark_text.h"

#include "base/fault.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const auto text = FromSpark({reinterpret_cast<const char*>(data), size});
  if (!text.ok()) PT_CHECK(FaultOf(text.status()).exit == Exit::kUsage);
  return 0;
}
