// SPDX-License-Identifier: Apache-2.0
// Each fit gets its own session inside the caller's: a run folder and a record, so that one
// training's checkpoints and figures are not mistaken for another's. The model is read back from
// its folder, like any saved model, and then belongs to the session itself.
#include "c/fit.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "engine/engine.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/session_state.h"
#include "frame/sub_session.h"
#include "job/frames.h"
#include "job/job.h"
#include "model/model_state.h"
#include "model/preview.h"
#include "os/file.h"
#include "page/report.h"
#include "run/folder.h"
#include "run/result.h"
#include "terminal/values.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr char kModel[] = "model";
constexpr char kReport[] = "report.html";

// Settings of the estimator are listed as in job files: "train.epochs", not "3.train.epochs".
std::string KeyOf(const std::string& path, size_t stages) {
  const std::string own = std::to_string(stages - 1) + ".";
  const std::string rest = path.starts_with(own) ? path.substr(own.size()) : "";
  const bool plain = std::ranges::any_of(
      kShorthand, [&](const char* name) { return rest.starts_with(std::string(name) + "."); });
  return plain ? rest : "pipeline." + path;
}

// job.json of a fit. It has no SQL and no tables, so it cannot be resumed.
Json DescribeFit(const PipelineModel& model) {
  const Json pipeline = PipelineToJson(StateOf(model));
  Json settings = Json::array();
  for (const auto& [path, value] : Leaves(pipeline)) {
    settings.push_back(
        {{"key", KeyOf(path, pipeline.size())}, {"value", value}, {"from", "fit()"}});
  }
  return {{"kind", "fit"},
          {"job", {{"pipeline", pipeline}}},
          {"settings", std::move(settings)},
          {"versions", Versions()}};
}

// Fits, writes what the run has to say, and returns with the model saved in its folder.
Status FitIn(const RunFolder& folder, Session& session, const Pipeline& pipeline,
             const Plan& rows) {
  const auto started = Clock::now();
  PT_LET(const PipelineModel model, FitAsGiven(pipeline, DataFrame(session, rows)));
  PT_TRY(folder.WriteFile("job.json", Pretty(DescribeFit(model)) + "\n"));
  PT_TRY(model.Save(kModel));
  RunRecord& record = StateOf(session).record();
  record.Set("model", (folder.path() / kModel).string());
  return folder.WriteFile("result.json", Pretty(MakeResult(folder, record, started)) + "\n");
}

Status FitInSession(RunFolder& folder, Session& parent, const Pipeline& pipeline,
                    const Plan& rows) {
  const SessionOptions& options = StateOf(parent).options();
  const auto watch = [&](const Json& event) {
    (void)folder.events().Append(event);  // Its first failure is reported at the end.
    if (options.call.events) options.call.events(event);
  };
  watch(EventToJson(RunStarted{folder.id(), false}));
  PT_LET(const auto session, OpenSubSession(parent, {.folder = folder.path(),
                                                     .rows_memory_bytes = options.rows_memory_bytes,
                                                     .events = watch}));
  const Status fitted = FitIn(folder, *session, pipeline, rows);
  const Fault fault = fitted.ok() ? Fault() : FaultOf(fitted);
  const bool stopped = !fitted.ok() && fault.exit == Exit::kStopped;
  if (!fitted.ok()) watch(EventToJson(Failed{int32_t(fault.exit), fault.what, fault.where}));
  watch(EventToJson(RunEnded{fitted.ok() ? "done" : stopped ? "stopped" : "failed"}));
  const Status finished = folder.Finish(fitted.ok() ? RunState::kDone
                                        : stopped   ? RunState::kStopped
                                                    : RunState::kFailed);
  PT_TRY(fitted);
  PT_TRY(folder.events().status());
  return finished;
}

// Prepares worker processes on this machine for the next training, with LibTorch if the net needs
// it: the workers of this training end with it. A cluster has seats for others, too.
void WarmUp(Session& session, const Chain& chain, const Plan& rows) {
  SessionState& state = StateOf(session);
  if (!chain.estimator || !KindOf(state.engine().address()).runs_here) return;
  const GangSpec& gang = chain.estimator->options.gang;
  // Whether it can be seated is for the training itself to find out.
  (void)state.engine().Admit({.gang = gang, .torch = chain.NeedsLibTorch(false), .plan = rows},
                             state.call());
}

// Removes what only a training that goes on needs.
void Tidy(const fs::path& folder) {
  std::error_code ignored;
  for (const char* part : {"checkpoints", "logs"}) fs::remove_all(folder / part, ignored);
}

}  // namespace

Result<FittedRun> FitAsRun(Room& room, Session& session, const Pipeline& pipeline,
                           const Plan& rows) {
  PT_LET(std::unique_ptr<RunFolder> folder, RunFolder::Create(room.fits(), "fit", {}));
  const fs::path path = folder->path();
  const Status fitted = FitInSession(*folder, session, pipeline, rows);
  folder.reset();
  std::error_code ignored;
  if (!fitted.ok() && room.scratch()) fs::remove_all(path, ignored);
  PT_TRY(fitted);
  if (room.scratch()) Tidy(path);
  PT_LET(PipelineModel model, PipelineModel::Load(session, path / kModel));
  WarmUp(session, *StateOf(model).chain, rows);
  return FittedRun{std::move(model), path};
}

Result<fs::path> WriteReport(const fs::path& run) {
  PT_LET(const std::string report, MakeReport(run));
  const fs::path file = run / kReport;
  PT_TRY(WriteFile(file, report));
  return file;
}

}  // namespace protium
