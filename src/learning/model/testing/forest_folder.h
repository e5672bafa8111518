// SPDX-License-Identifier: Apache-2.0
// For tests: the model folder of a forest that nobody trained.
#pragma once

#include <filesystem>
#include <utility>

#include "base/json.h"
#include "format/safetensors.h"
#include "model/model_folder.h"
#include "trees/forest_file.h"

namespace protium {

// y by the temperature, of which (t - 56) / 10 is in the forest, and by the shop, an index.
inline Forest TwoColumnForest() {
  return {.columns = {{"temp__fill__scale"}, {"shop__index", 5}},
          .base = {0.5F},
          .trees = {{.nodes = {{.column = 0,
                                .left = 1,
                                .threshold = 0.5F,
                                .missing_left = true,
                                .gain = 8,
                                .cover = 10},
                               {.value = -1, .cover = 6},
                               {.column = 1, .left = 3, .set = 0, .gain = 2, .cover = 4},
                               {.value = 1, .cover = 1},
                               {.value = 2, .cover = 3}},
                     .sets = {0b00101}}}};
}

// What stages.json and net.json have for it.
inline ModelFiles TwoColumnFiles() {
  ModelFiles files;
  files.json["pipeline.json"] = Json::array();
  files.json["schema.json"] = Json::object();
  files.json["stages.json"] = *ParseJson(R"({"stages": [
      {"id": "index", "kind": "string_indexer", "learned": [{"input": "shop", "output": "shop__index",
       "keys": ["north", "south", "east"], "unseen": 3, "missing": 4, "cardinality": 5}]},
      {"id": "fill", "kind": "imputer", "learned":
       [{"input": "temp", "output": "temp__fill", "value": 57.2}]},
      {"id": "scale", "kind": "standard_scaler", "learned":
       [{"input": "temp__fill", "output": "temp__fill__scale", "mean": 56, "deviation": 10}]}]})");
  files.json["net.json"] = *ParseJson(R"({"net": {"name": "trees"},
      "categorical": [{"column": "shop__index", "cardinality": 5}],
      "numeric": ["temp__fill__scale"], "lists": [], "objective": {"kind": "values",
      "logarithmic": false,
      "labels": [{"column": "y", "mean": 3, "deviation": 4, "log1p": false}], "classes": [],
      "class_type": "", "class_weights": [], "levels": [],
      "decision": {"cut": 0, "temperature": 1, "outputs": [], "probabilities": []}}})");
  return files;
}

inline Status WriteForestModel(const std::filesystem::path& folder, const Forest& forest,
                               ModelFiles files) {
  const ForestTensors tensors(forest);
  files.weights = std::filesystem::path(folder.string() + "-weights");
  PT_TRY(WriteSafetensors(files.weights, tensors.tensors()));
  files.weights_sha256 = WeightsSha256(tensors.tensors());
  PT_TRY(WriteModelFolder(folder, files));
  std::filesystem::remove(files.weights);
  return Status::OK();
}

}  // namespace protium
