// SPDX-License-Identifier: Apache-2.0
// Exports a saved model as an ONNX graph: stages and net in one file, for scoring with ONNX Runtime
// and others. The code is in a separate library, libprotium_onnx.so.
//
// 1. Each column that the model reads is an input of shape [rows]; each that it adds is an output.
//    Numbers are float64, where NaN stands for NULL; texts are strings, where "" stands for NULL.
//    Whole numbers that are categories are int64, without NULL. Dates and times are seconds since
//    1970, as float64.
// 2. Stages compute in float64 and nets in float32, as in Protium. Sums run in another order, so
//    predictions agree to a relative error of about 1e-6, not to the bit. In int8 a value that lies
//    between two of its levels may be rounded to the other one.
// 3. What a graph cannot express is refused by name. Nothing is left out silently.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "nets/weight_precision.h"

namespace protium {

struct OnnxOptions {
  std::filesystem::path model;  // A model folder.
  std::filesystem::path file;   // Appears whole or not at all; replaced if it exists.
  bool net_only = false;        // Inputs are then the columns that the net reads.
  // In int8 its weights of 8 bits are those of `predict --precision int8`. Forests have none.
  WeightPrecision precision = WeightPrecision::kFloat32;
};

struct OnnxColumn {
  std::string name;
  std::string type;  // "float64", "int64", "string", "bool"; for outputs also "list<float64>".
};

struct OnnxReport {
  std::vector<OnnxColumn> inputs;
  std::vector<OnnxColumn> outputs;
  std::vector<std::string> notes;  // What a user of the file should know.
  int64_t bytes = 0;
};

// Fails with Exit::kUsage for a stage, net or option that a graph cannot express.
Result<OnnxReport> WriteOnnx(const OnnxOptions& options);

// Increase it whenever the layout of OnnxOptions or OnnxReport changes.
inline constexpr int32_t kOnnxLibraryVersion = 3;

// The library's only entry point, protium_write_onnx. Returns false if it was built for another
// version.
using OnnxEntry = bool (*)(int32_t version, const OnnxOptions& options, Result<OnnxReport>& report);

}  // namespace protium
