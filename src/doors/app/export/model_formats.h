// SPDX-License-Identifier: Apache-2.0
// The formats that a model folder can be exported to, one row each: `protium export MODEL --to
// NAME`. Those of runs are in export/formats.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// What an exporter wrote; what the format cannot hold of the model, and what else those who use the
// files should know, for people.
struct ModelExported {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

struct ModelFormat {
  std::string name;    // "onnx"
  std::string ending;  // What the default name of the output ends with: ".onnx".
  std::string says;    // One line for help.
  // Writes the model in the folder `model` to the file `out`, which appears whole or not at all,
  // and replaces one that is there.
  Result<ModelExported> (*write)(const std::filesystem::path& model,
                                 const std::filesystem::path& out);
  bool folder = false;  // `out` is one; write() refuses to replace what it has not written itself.
};

// In the order of help.
std::vector<ModelFormat> ModelFormats();

}  // namespace protium
