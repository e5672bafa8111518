// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_model.h"

#include <sys/stat.h>

#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "frame/session_state.h"
#include "job/saved_etl.h"
#include "model/model_state.h"
#include "onnx_runtime/net.h"
#include "os/file.h"
#include "protium/pipeline.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMostModelBytes = int64_t{2} << 30;  // Of an ONNX file.

}  // namespace

Result<std::string> ModelSha(const fs::path& model) {
  PT_LET(const std::string bytes, ReadFile(ModelFile(model), kMostModelBytes));
  return Sha256Hex(bytes);
}

fs::path ModelFile(const fs::path& model) {
  return IsOnnxFile(model) ? model : model / "model.json";
}

// The hash is taken before and after: a model that is replaced meanwhile is loaded again.
Result<std::shared_ptr<const LoadedModel>> LoadStreamModel(const fs::path& folder) {
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    PT_LET(const std::string before, ModelSha(folder));
    PT_LET(const auto session, OpenSession({.engine = "local[1]"}));
    PT_LET(const PipelineModel model, PipelineModel::Load(*session, folder));
    PT_LET(Scorer scorer, Scorer::Make(model));
    PT_LET(const std::string after, ModelSha(folder));
    if (before != after) continue;
    return std::make_shared<const LoadedModel>(LoadedModel{.folder = folder,
                                                           .sha256 = after,
                                                           .scorer = std::move(scorer),
                                                           .etl = StateOf(model).etl,
                                                           .labels = LabelsOf(StateOf(model))});
  }
  return Fail({.exit = Exit::kInput,
               .what = "the model is replaced again and again while it is loaded",
               .where = folder.string()});
}

NamedModel::Stamp NamedModel::StampOf(const fs::path& model) {
  struct stat found {};
  if (::stat(ModelFile(model).c_str(), &found) != 0) return {};
  return {.changed_ns = int64_t(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec,
          .inode = found.st_ino};
}

Status NamedModel::Load() {
  PT_LET(tried_, find_(name_));
  stamp_ = StampOf(tried_);
  PT_LET(now_, LoadStreamModel(tried_));
  return Status::OK();
}

bool NamedModel::Refresh() {
  const Result<fs::path> folder = find_(name_);
  if (!folder.ok()) {
    trouble_ = FaultOf(folder.status()).what;
    return false;
  }
  const Stamp stamp = StampOf(*folder);
  if (*folder == tried_ && stamp == stamp_) return false;
  tried_ = *folder;
  stamp_ = stamp;
  auto loaded = LoadStreamModel(*folder);
  trouble_ = loaded.ok() ? "" : FaultOf(loaded.status()).what;
  if (!loaded.ok() || (*loaded)->sha256 == now_->sha256) return false;
  now_ = *std::move(loaded);
  return true;
}

}  // namespace protium
