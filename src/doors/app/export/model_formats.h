// SPDX-License-Identifier: Apache-2.0
// The formats to which a model folder can be exported, one row each: `protium export MODEL --to
// NAME`. The formats of runs are in export/formats.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/precision.h"
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
  std::filesystem::path model;       // Its folder.
  std::filesystem::path out;         // Appears whole or not at all; replaced if it exists.
  std::optional<Rounding> rounding;  // Set: with weights that are rounded.
  WeightPrecision precision() const {
    return rounding ? rounding->precision : WeightPrecision::kFloat32;
  }
};

struct ModelFormat {
  std::string name;    // "onnx"
  std::string ending;  // The ending of the default output name: ".onnx".
  std::string says;    // One line for help.
  Result<ModelExported> (*write)(const ModelToExport& what);
  bool rounds = false;  // Can hold weights that are rounded.
  bool folder = false;  // `out` is a folder; write() refuses to replace one that it did not write.
};

// In the order of help.
std::vector<ModelFormat> ModelFormats();

}  // namespace protium
