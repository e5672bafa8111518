// SPDX-License-Identifier: Apache-2.0
#include "model/start_file.h"

#include <system_error>

#include "base/fault.h"
#include "base/json.h"
#include "format/safetensors.h"
#include "model/copy_file.h"
#include "model/kept_training.h"
#include "model/model_folder.h"
#include "os/file.h"
#include "weights/weights_file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStartFile = "start.safetensors";
constexpr const char* kEpochsFile = "start.epochs.json";  // What else a resumed run has to know.

// Those of the model's training; 0 if it does not say.
int64_t EpochsOf(const ModelFiles& files) {
  const auto found = files.json.find("metrics.json");
  if (found == files.json.end()) return 0;
  const Json::json_pointer history("/training/history");
  if (!found->second.contains(history) || !found->second.at(history).is_array()) return 0;
  return int64_t(found->second.at(history).size());
}

Status WriteEpochs(const fs::path& run, int64_t epochs) {
  return WriteFile(run / kEpochsFile, Dump(Json{{"epochs", epochs}}));
}

Result<int64_t> ReadEpochs(const fs::path& run) {
  if (!IsRegularFile(run / kEpochsFile)) return 0;
  PT_LET(const std::string text, ReadFile(run / kEpochsFile));
  PT_LET(const Json json, ParseJson(text));
  return WholeAt(json, "epochs");
}

// Fills in `from`. ReadModelFolder() has checked every file against its SHA-256; weights_sha256 is
// the hash of the tensors only, which ReadStart() (train/start.h) checks again before it uses them.
Status FindModel(const fs::path& folder, StartOptions& from) {
  PT_LET(const ModelFiles files, ReadModelFolder(folder));
  if (files.weights.empty()) {
    return Fail({.exit = Exit::kInput,
                 .what = "the model " + folder.string() + " has no weights",
                 .why = "it has no estimator"});
  }
  if (!from.sha256.empty() && from.sha256 != files.weights_sha256) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights of the model " + folder.string() + " have changed",
                 .why = "their sha256 is " + files.weights_sha256 + ", not " + from.sha256});
  }
  from.model = folder.string();
  from.weights = files.weights.string();
  from.sha256 = files.weights_sha256;
  from.epochs = EpochsOf(files);
  return Status::OK();
}

// Fills in `from` from a file that another program wrote.
Status FindFile(const fs::path& path, StartOptions& from) {
  PT_LET(const WeightsFile file, WeightsFile::Read(path));
  PT_LET(const FloatTensors floats, ToFloat32(file.tensors()));
  const std::string sha256 = WeightsSha256(floats.tensors);
  if (!from.sha256.empty() && from.sha256 != sha256) {
    return Fail({.exit = Exit::kInput,
                 .what = "the weights in " + path.string() + " have changed",
                 .why = "their sha256 is " + sha256 + ", not " + from.sha256});
  }
  from.model = from.weights = path.string();
  from.sha256 = sha256;
  return Status::OK();
}

Status FindModelOrFile(const fs::path& path, StartOptions& from) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? FindFile(path, from) : FindModel(path, from);
}

// Copied at once: another run may keep its own in place of it while this one makes its rows.
Status FindKeptModel(const FilesFrom& files, const std::string& path, ModelOrStart& from) {
  const std::string name = from.model.substr(std::string_view(kKeptModel).size());
  Result<std::string> sha256 = std::string();
  if (files.run.empty()) {
    sha256 = HashKeptWeights(files.store, name);
  } else {
    from.weights = fs::absolute(files.run / kStartFile).string();
    sha256 = CopyKeptWeights(files.store, name, from.weights);
  }
  if (sha256.ok()) {
    from.sha256 = *sha256;
    return Status::OK();
  }
  Fault fault = FaultOf(sha256.status());
  fault.where = path + ".train.from";
  return Fail(std::move(fault));
}

Status WriteFloats(const fs::path& from, const fs::path& to) {
  PT_LET(const WeightsFile file, WeightsFile::Read(from));
  PT_LET(const FloatTensors floats, ToFloat32(file.tensors()));
  return WriteSafetensors(to, floats.tensors);
}

}  // namespace

Status FindStart(const FilesFrom& files, const std::string& path, ModelOrStart& from) {
  if (from.model.empty()) return Status::OK();
  const fs::path kept = fs::absolute(files.run / kStartFile);
  // The model of the first attempt may have been deleted or trained again in the same folder.
  std::error_code ignored;
  if (files.resumed && fs::is_regular_file(kept, ignored)) {
    from.weights = kept.string();
    PT_LET(from.sha256, WeightsSha256(kept));
    PT_LET(from.epochs, ReadEpochs(files.run));
    return Status::OK();
  }
  if (from.model.starts_with(kKeptModel)) return FindKeptModel(files, path, from);
  const fs::path there = fs::absolute(files.base / from.model).lexically_normal();
  const Status found = FindModelOrFile(there, from);
  if (found.ok()) return found;
  Fault fault = FaultOf(found);
  fault.where = path + ".train.from";
  return Fail(std::move(fault));
}

Status KeepStart(const fs::path& run, ModelOrStart& from) {
  if (from.weights.empty()) return Status::OK();
  const fs::path kept = fs::absolute(run / kStartFile);
  if (from.weights == kept) return Status::OK();
  if (from.epochs > 0) PT_TRY(WriteEpochs(run, from.epochs));
  // Ranks read float32 in one format; ReadStart() compares the hash again.
  PT_TRY(from.weights == from.model ? WriteFloats(from.weights, kept)
                                    : CopyFile(from.weights, kept).status());
  from.weights = kept.string();
  return Status::OK();
}

}  // namespace protium
