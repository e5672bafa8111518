// SPDX-License-Identifier: Apache-2.0
#include "onnx/onnx.h"
#include "os/library.h"

namespace protium {

Result<OnnxReport> WriteOnnx(const OnnxOptions& options) {
  const std::string file = "libprotium_onnx.so", needed_for = "the export of models";
  PT_LET(void* const entry, OpenBeside(file, "protium_write_onnx", needed_for, "./dev build"));
  Result<OnnxReport> report = Status::UnknownError("not written");
  if (reinterpret_cast<OnnxEntry>(entry)(kOnnxLibraryVersion, options, report)) return report;
  return UnusableLibrary(file, needed_for, "it belongs to another version");
}

}  // namespace protium
