// SPDX-License-Identifier: Apache-2.0
#include "model/replace_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/model_folder.h"
#include "os/file.h"
#include "weights/weights_file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Result<ModelFiles> ReadModel(const fs::path& folder) {
  PT_LET(ModelFiles files, ReadModelFolder(folder));
  if (files.weights.empty() || !files.json.contains("net.json")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the model has no weights to replace",
                 .where = folder.string(),
                 .why = "its pipeline has no estimator"});
  }
  if (files.version == 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the model is of version 1",
                 .where = folder.string(),
                 .fix = "train it again; models of version 1 are scored, but not changed"});
  }
  return files;
}

// Whether something beside the net was fitted on the predictions of the previous weights.
bool HasDecision(const Json& net) {
  const Json decision = net.value("objective", Json::object()).value("decision", Json::object());
  for (const auto& [key, value] : decision.items()) {
    const bool usual = key == "temperature" ? value == 1.0
                       : value.is_array()   ? value.empty()
                                            : value == 0.0;
    if (!usual) return true;
  }
  return false;
}

// The values in metrics.json and the machine in fingerprint.json belong to other weights.
void ForgetMeasures(const fs::path& file, ModelFiles& files) {
  files.json["metrics.json"] = {
      {"imported", {{"file", file.filename().string()}, {"instead_of", files.weights_sha256}}}};
  files.json["fingerprint.json"] = Json::object();
}

std::vector<std::string> NotesOn(const std::vector<std::string>& passed_over,
                                 const std::vector<std::string>& rounded, const Json& net) {
  std::vector<std::string> notes;
  if (!passed_over.empty()) {
    notes.push_back(fmt::format("left in the file, the net does not need it: {}",
                                fmt::join(passed_over, ", ")));
  }
  if (!rounded.empty()) {
    notes.push_back(fmt::format("float64 was rounded to float32 in {}", fmt::join(rounded, ", ")));
  }
  if (HasDecision(net)) {
    notes.push_back("threshold and calibration are those that fitted the former weights");
  }
  return notes;
}

}  // namespace

Result<ReplacedWeights> ReplaceWeights(const fs::path& model, const NewWeights& given,
                                       const fs::path& out) {
  PT_LET(ModelFiles files, ReadModel(model));
  PT_LET(const Safetensors former, Safetensors::Read(files.weights));
  if (former.Find("ids.0") != nullptr && former.Find("ids.seed") != nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the weights of a net that reads ids cannot be replaced",
                 .where = model.string(),
                 .why = "its rows belong to the ids of its training"});
  }
  PT_LET(const WeightsFile file, WeightsFile::Read(given.file, given.key));
  PT_LET(const auto renamed, Renamed(file.tensors(), given.renames));
  ReplacedWeights replaced;
  std::vector<std::string> passed_over;
  PT_LET(const auto fitted, FitTensors(renamed, former.tensors(), passed_over));
  PT_LET(const FloatTensors floats, ToFloat32(fitted));
  replaced.weights_sha256 = WeightsSha256(floats.tensors);
  replaced.notes = NotesOn(passed_over, floats.rounded, files.json.at("net.json"));
  PT_LET(const TemporaryFolder scratch, TemporaryFolder::Make());
  ForgetMeasures(given.file, files);
  files.weights = scratch.path() / "weights.safetensors";
  files.weights_sha256 = replaced.weights_sha256;
  PT_TRY(WriteSafetensors(files.weights, floats.tensors, former.metadata()));
  PT_TRY(WriteModelFolder(out, files));
  return replaced;
}

}  // namespace protium
