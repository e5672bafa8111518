// SPDX-License-Identifier: Apache-2.0
// A tampered model folder, exported as an ONNX graph.
#include "onnx/onnx.h"

#include "base/fault.h"
#include "tests/fuzz/damaged_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  static DamagedModel models;
  if (size < 2) return 0;
  const OnnxOptions options{.model = models.Make(data, size),
                            .file = models.folder() / "model.onnx",
                            .net_only = (data[0] & 0x80) != 0,
                            .precision = (data[0] & 0x40) == 0   ? WeightPrecision::kFloat32
                                         : (data[0] & 0x20) == 0 ? WeightPrecision::kInt8
                                                                 : WeightPrecision::kBfloat16};
  const auto report = WriteOnnx(options);
  if (!report.ok()) PT_CHECK(FaultOf(report.status()).exit != Exit::kBug);
  return 0;
}
