// SPDX-License-Identifier: Apache-2.0
// The formats that a model folder can be exported to, one row each: `protium export MODEL --to
// NAME`. Those of runs are in export/formats.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// What an exporter wrote, and what the format cannot hold of the model, for people.
struct ModelExported {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> left_out;
};

struct ModelFormat {
  std::string name;    // "onnx"
  std::string ending;  // What the default name of the output ends with: ".onnx".
  std::string says;    // One line for help.
  // Writes the model in the folder `model` to `out`, a path that nothing lies at.
  Result<ModelExported> (*write)(const std::filesystem::path& model,
                                 const std::filesystem::path& out);
};

// In the order of help.
std::vector<ModelFormat> ModelFormats();

}  // namespace protium
