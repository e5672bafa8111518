// SPDX-License-Identifier: Apache-2.0
#include "app/run/model_place.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "onnx_runtime/net.h"
#include "run/list.h"
#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Result<fs::path> ModelOfRun(const fs::path& run) {
  const fs::path model = ModelPlace(run);
  std::error_code error;
  if (!model.empty() && fs::exists(model / "model.json", error)) return fs::absolute(model);
  PT_LET(const RunHeader header, ReadRunHeader(run));
  const RunEntry entry{.folder = run, .header = header, .labels = {}};
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the run {} has no model", run.filename().string()),
               .why = "it is " + entry.state(),
               .fix = "protium runs --state done  lists those that are done"});
}

}  // namespace

fs::path ModelPlace(const fs::path& run) {
  const Json result = ReadResult(run);
  const Json model = result.value("model", Json()), folder = result.value("folder", Json());
  if (!model.is_string() || !folder.is_string()) return {};
  const fs::path path = model.get<std::string>();
  const fs::path inside = path.lexically_relative(folder.get<std::string>());
  return inside.empty() || *inside.begin() == ".." ? path : run / inside;
}

Result<fs::path> FindModel(const fs::path& runs, const std::string& what) {
  std::error_code error;
  if (IsOnnxFile(what)) return fs::absolute(what);
  if (fs::is_directory(what, error) && !fs::exists(fs::path(what) / "run.json", error)) {
    return fs::absolute(what);
  }
  const Result<fs::path> run = FindRun(runs, what);
  if (run.ok()) return ModelOfRun(*run);
  Fault fault = FaultOf(run.status());
  fault.what = fmt::format("there is no model folder \"{}\" and ", what) + fault.what;
  return Fail(std::move(fault));
}

}  // namespace protium
