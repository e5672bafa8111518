// SPDX-License-Identifier: Apache-2.0
// The outline of an ONNX file.
#include "base/fault.h"
#include "onnx_runtime/outline.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto outline = ReadNetOutline(file, "net.onnx");
  if (!outline.ok()) {
    PT_CHECK(FaultOf(outline.status()).exit != Exit::kBug);
    return 0;
  }
  for (const NetValue& each : outline->inputs) (void)Describe(each);
  // One more output is seen by the same reader.
  const std::string name = "\x01 another";
  for (const NetValue& each : outline->outputs) {
    if (each.name == name) return 0;
  }
  const auto more = ReadNetOutline(WithOutputs(std::string(file), {name}), "net.onnx");
  PT_CHECK(more.ok() && more->outputs.size() == outline->outputs.size() + 1);
  return 0;
}
