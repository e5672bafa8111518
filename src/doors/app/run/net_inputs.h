// SPDX-License-Identifier: Apache-2.0
// --inputs of `protium predict` and `protium serve`: the columns that feed an ONNX file.
#pragma once

#include <filesystem>

#include "protium/frame.h"
#include "terminal/arguments.h"

namespace protium {

Flag FedColumnsFlag();

// Empty without the flag. Refuses (Exit::kUsage) it for a model that is no ONNX file, and an empty
// list.
Result<Columns> ReadFedColumns(const Arguments& arguments, const std::filesystem::path& model);

}  // namespace protium
