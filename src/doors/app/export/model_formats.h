// SPDX-License-Identifier: Apache-2.0
// The formats to which a model folder can be exported, one row each: `protium export MODEL --to
// NAME`. The formats of runs are in export/formats.h.
#pragma once

#include <filesystem>
#include <optional>
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

struct ModelToExport {
  std::filesystem::path model;           // Its folder.
  std::filesystem::path out;             // Appears whole or not at all; replaced if it exists.
  std::optional<double> most_int8_loss;  // Set: with weights of 8 bits (ReadPrecision()).
};

struct ModelFormat {
  std::string name;    // "onnx"
  std::string ending;  // The ending of the default output name: ".onnx".
  std::string says;    // One line for help.
  Result<ModelExported> (*write)(const ModelToExport& what);
  bool int8 = false;    // Can hold weights of 8 bits.
  bool folder = false;  // `out` is a folder; write() refuses to replace one that it did not write.
};

// In the order of help.
std::vector<ModelFormat> ModelFormats();

}  // namespace protium
