// SPDX-License-Identifier: Apache-2.0
// A model with weights that were trained elsewhere.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "weights/fit.h"

namespace protium {

struct NewWeights {
  std::filesystem::path file;   // weights/weights_file.h
  std::string key;              // Key of the state dict in it; empty: the usual ones.
  std::vector<Rename> renames;  // weights/fit.h
};

// Information for users of the new model.
struct ReplacedWeights {
  std::string weights_sha256;
  std::vector<std::string> notes;
};

// Writes to `out` the model in the folder `model` with the weights of a file, which must have all
// of the net's tensors by name and shape. Stages, labels and net are unchanged; what was measured
// with the previous weights is dropped. Writes `out` as WriteModelFolder() does; `out` may be
// `model` itself. Fails with Exit::kInput, naming each tensor, if the weights do not fit.
Result<ReplacedWeights> ReplaceWeights(const std::filesystem::path& model, const NewWeights& given,
                                       const std::filesystem::path& out);

}  // namespace protium
