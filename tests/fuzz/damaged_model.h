// SPDX-License-Identifier: Apache-2.0
// A model folder in which one file consists of the fuzzer's bytes. Its hashes are correct, so that
// reading does not end there.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "format/safetensors.h"
#include "os/file.h"

namespace protium {

// Copies of the models next to this file, in a folder that is deleted with it.
class DamagedModel {
 public:
  DamagedModel() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
    PT_CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    for (const auto& model : std::filesystem::directory_iterator(PROTIUM_FUZZ_MODELS)) {
      models_.push_back(model.path().filename());
    }
    std::sort(models_.begin(), models_.end());
    std::filesystem::copy(PROTIUM_FUZZ_MODELS, folder_, std::filesystem::copy_options::recursive);
  }
  ~DamagedModel() { std::filesystem::remove_all(folder_); }
  DamagedModel(const DamagedModel&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

  // The first byte chooses the model, the second the file.
  std::filesystem::path Make(const uint8_t* data, size_t size) {
    Restore();
    made_ = models_[data[0] % models_.size()];
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / made_)) {
      names.push_back(file.path().filename());
    }
    std::sort(names.begin(), names.end());
    name_ = names[data[1] % names.size()];
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    std::ofstream(folder_ / made_ / name_, std::ios::binary) << bytes;
    if (name_ != "model.json") Sign(folder_ / made_, name_, bytes);
    return folder_ / made_;
  }

 private:
  // Restores what the previous run changed.
  void Restore() const {
    if (made_.empty()) return;
    const auto over = std::filesystem::copy_options::overwrite_existing;
    for (const std::string& each : {name_, std::string("model.json")}) {
      std::filesystem::copy_file(PROTIUM_FUZZ_MODELS / made_ / each, folder_ / made_ / each, over);
    }
  }
  static void Sign(const std::filesystem::path& model, const std::string& name,
                   std::string_view bytes) {
    Json manifest = ParseJson(*ReadFile(model / "model.json")).ValueOrDie();
    manifest["files"][name] = Sha256Hex(std::string(bytes));
    const auto tensors = WeightsSha256(model / "weights.safetensors");
    if (tensors.ok()) manifest["weights_sha256"] = *tensors;
    std::ofstream(model / "model.json") << Dump(manifest);
  }

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> models_;
  std::filesystem::path made_;  // The model of the previous run, and its file.
  std::string name_;
};

}  // namespace protium
