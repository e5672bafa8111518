// SPDX-License-Identifier: Apache-2.0
// A model as a folder that MLflow loads: the graph of `--to onnx`, MLmodel, what it asks a Python
// to have, and a loader of some forty lines, which NumPy, pandas and ONNX Runtime suffice for.
// https://mlflow.org/docs/latest/ml/model/#model-signature-and-storage-format
#pragma once

#include <filesystem>

#include "base/status.h"
#include "onnx/onnx.h"

namespace protium {

// Writes the model in the folder `model` to the folder `out`, which appears whole or not at all. A
// folder that is there must be one that this function has written, or empty; another is refused
// with Exit::kUsage and left alone. Refuses what WriteOnnx() refuses.
Result<OnnxReport> WriteMlflowFolder(const std::filesystem::path& model,
                                     const std::filesystem::path& out);

}  // namespace protium
