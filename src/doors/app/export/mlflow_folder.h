// SPDX-License-Identifier: Apache-2.0
// A model as a folder that MLflow loads: the graph of `--to onnx`, MLmodel, its Python
// requirements, and a loader of some forty lines, for which NumPy, pandas and ONNX Runtime suffice.
// https://mlflow.org/docs/latest/ml/model/#model-signature-and-storage-format
#pragma once

#include <filesystem>

#include "base/status.h"
#include "onnx/onnx.h"

namespace protium {

// Writes the model in the folder `model` to the folder `out`, which appears whole or not at all. An
// existing folder must have been written by this function, or be empty; any other is refused with
// Exit::kUsage and left alone. Refuses what WriteOnnx() refuses. `precision` as in OnnxOptions.
Result<OnnxReport> WriteMlflowFolder(const std::filesystem::path& model,
                                     const std::filesystem::path& out, WeightPrecision precision);

}  // namespace protium
