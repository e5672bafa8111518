// SPDX-License-Identifier: Apache-2.0
// The formats to which a model folder can be exported, one row each: `protium export MODEL --to
// NAME`. The formats of runs are in export/formats.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// What an exporter wrote, what the format cannot hold of the model, and what else users of the
// files should know, for people.
struct ModelExported {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

struct ModelFormat {
  std::string name;    // "onnx"
  std::string ending;  // The ending of the default output name: ".onnx".
  std::string says;    // One line for help.
  // Writes the model in the folder `model` to the file `out`, which appears whole or not at all,
  // and replaces an existing file.
  Result<ModelExported> (*write)(const std::filesystem::path& model,
                                 const std::filesystem::path& out);
  bool folder = false;  // `out` is a folder; write() refuses to replace one that it did not write.
};

// In the order of help.
std::vector<ModelFormat> ModelFormats();

}  // namespace protium
