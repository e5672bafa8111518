// SPDX-License-Identifier: Apache-2.0
// The model that a stream scores with: looked up by its name before every batch, so that a tag that
// moves takes effect with the next one.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "protium/scorer.h"

namespace protium {

// Immutable.
struct LoadedModel {
  std::filesystem::path folder;  // Or an ONNX file.
  std::string sha256;            // Of ModelFile().
  Scorer scorer;
  Json etl;                         // How its training table was made; null: unknown.
  std::vector<std::string> labels;  // The columns that it learned from.
};

// Finds the folder of a model, or an ONNX file: by tag, run or path.
using FindModelFolder = std::function<Result<std::filesystem::path>(const std::string& name)>;

// Loads a model that needs no LibTorch; others are refused by name (Scorer::Make()).
Result<std::shared_ptr<const LoadedModel>> LoadStreamModel(const std::filesystem::path& folder);

// What tells one model from another: the model.json of a folder, which holds the hashes of its
// other files, or the ONNX file itself.
std::filesystem::path ModelFile(const std::filesystem::path& model);
// Its SHA-256 as it is now.
Result<std::string> ModelSha(const std::filesystem::path& model);

// One thread.
class NamedModel {
 public:
  NamedModel(std::string name, FindModelFolder find)
      : name_(std::move(name)), find_(std::move(find)) {}

  // Loads it for the first time.
  Status Load();
  // Looks it up again. If the name means another model now that can be loaded, takes it and returns
  // true. Otherwise the current one stays; why another could not be taken is trouble().
  bool Refresh();
  const std::shared_ptr<const LoadedModel>& now() const { return now_; }
  const std::string& name() const { return name_; }
  // Empty if the last lookup succeeded.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Stamp {
    int64_t changed_ns = 0;
    uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp StampOf(const std::filesystem::path& model);

  std::string name_;
  FindModelFolder find_;
  std::shared_ptr<const LoadedModel> now_;
  Stamp stamp_;  // Of the ModelFile() that was tried last.
  std::filesystem::path tried_;
  std::string trouble_;
};

}  // namespace protium
