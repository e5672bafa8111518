// SPDX-License-Identifier: Apache-2.0
#include "model/start_stages.h"

#include <system_error>

#include "base/fault.h"
#include "model/copy_file.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr StartFile kPipeline = {"pipeline.json", "start.pipeline.json"};
constexpr StartFile kStages = {"stages.json", "start.stages.json"};

bool Exists(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

Result<Json> ReadJsonFile(const fs::path& file) {
  PT_LET(const std::string text, ReadFile(file));
  Result<Json> json = ParseJson(text);
  return json.ok() ? json : Annotate(json.status(), file.string());
}

// Weights that another program has written, and those of a kept training, are a file alone.
bool HasStages(const ModelOrStart& from) {
  return !from.weights.empty() && from.weights != from.model &&
         Exists(BesideWeights(from, kPipeline)) && Exists(BesideWeights(from, kStages));
}

}  // namespace

fs::path BesideWeights(const ModelOrStart& from, const StartFile& file) {
  const fs::path weights = from.weights;
  return weights.parent_path() / (weights.stem() == "start" ? file.kept : file.name);
}

Status KeepStartStages(const fs::path& run, const ModelOrStart& from) {
  if (!HasStages(from)) return Status::OK();
  for (const StartFile& file : {kPipeline, kStages}) {
    PT_TRY(CopyFile(BesideWeights(from, file), fs::absolute(run / file.kept)).status());
  }
  return Status::OK();
}

Result<std::optional<StagesBefore>> StagesOfStart(const ModelOrStart& from) {
  if (!HasStages(from)) return std::optional<StagesBefore>();
  StagesBefore before;
  PT_LET(before.pipeline, ReadJsonFile(BesideWeights(from, kPipeline)));
  PT_LET(before.stages, ReadJsonFile(BesideWeights(from, kStages)));
  return std::optional<StagesBefore>(std::move(before));
}

}  // namespace protium
