// SPDX-License-Identifier: Apache-2.0
// A saved model as an ONNX graph: stages and net in one file, which ONNX Runtime and others score
// with. It lives in a library of its own, libprotium_onnx.so.
//
// 1. Each column that the model reads is an input of shape [rows]; each that it adds is an output.
//    Numbers are float64, where NaN stands for NULL; texts are strings, where "" stands for NULL.
//    Whole numbers that are categories are int64, without NULL.
// 2. Stages compute in float64 and nets in float32, as they do here. Sums are added up in another
//    order than here, so predictions agree to about 1e-6 of their size, not to the bit.
// 3. What a graph cannot say is refused by name. Nothing is left out silently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

struct OnnxOptions {
  std::filesystem::path model;  // A model folder.
  std::filesystem::path file;   // Appears whole or not at all; replaced if it is there.
  bool net_only = false;        // Inputs are then the columns that the net reads.
};

struct OnnxColumn {
  std::string name;
  std::string type;  // "float64", "int64", "string", "bool"; of outputs "list<float64>", too.
};

struct OnnxReport {
  std::vector<OnnxColumn> inputs;
  std::vector<OnnxColumn> outputs;
  std::vector<std::string> notes;  // What a user of the file should know.
  int64_t bytes = 0;
};

// A stage, net or option that no graph can say is a fault of Exit::kUsage.
Result<OnnxReport> WriteOnnx(const OnnxOptions& options);

// Grows whenever OnnxOptions or OnnxReport change their layout.
inline constexpr int32_t kOnnxLibraryVersion = 1;

// The library's one entry, protium_write_onnx. Gives false when it was built for another version.
using OnnxEntry = bool (*)(int32_t version, const OnnxOptions& options, Result<OnnxReport>& report);

}  // namespace protium
