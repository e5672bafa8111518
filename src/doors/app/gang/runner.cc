// SPDX-License-Identifier: Apache-2.0
#include "protium/runner.h"

#include <arrow/array.h>
#include <unistd.h>

#include <cstdlib>

#include "app/gang/here.h"
#include "app/gang/log_tail.h"
#include "app/gang/printer.h"
#include "base/fault.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/planned_engine.h"
#include "frame/session_state.h"
#include "gang/runner_task.h"
#include "os/file.h"

namespace protium {

namespace {

// Prints the ranks' lines on stderr while it lives; passes every event on.
class Heard {
 public:
  Heard(SessionState& state, RunnerLogs logs)
      : pass_(state.call().events),
        printer_(STDERR_FILENO, STDERR_FILENO),
        tail_(state.folder() / "logs", logs == RunnerLogs::kRank0,
              [this](const Printed& event) { printer_.On(event); }),
        quiet_(logs == RunnerLogs::kQuiet) {}

  void On(const Json& event) {
    if (!quiet_ && Is<GangPlaced>(event)) tail_.On(std::get<GangPlaced>(EventFromJson(event)));
    if (pass_) pass_(event);
  }

 private:
  const std::function<void(const Json&)> pass_;
  RankPrinter printer_;
  LogTail tail_;  // Destroyed before what it calls.
  const bool quiet_;
};

GangSpec GangOf(const RunnerOptions& options) {
  return {.workers = std::abs(options.workers),
          .cores_per_worker = options.cores_per_worker,
          .gpus_per_worker = options.gpus_per_worker,
          .max_restarts = options.max_restarts,
          .deadline = options.deadline};
}

Result<Plan> InputPlan(Session& session, const RunnerOptions& options) {
  const DataFrame input = options.input ? *options.input : session.Sql("SELECT 1 AS one").Limit(0);
  PT_TRY(FirstError(input.plan()));
  return input.plan();
}

}  // namespace

Result<std::vector<RowBatch>> Runner::Start(const std::string& task, SchemaPtr columns,
                                            const Json& args) const {
  SessionState& state = StateOf(session_);
  PT_TRY(state.CheckSettings());
  std::filesystem::path folder;
  if (!state.folder().empty()) {
    folder = std::filesystem::absolute(state.folder() / "runner" / task);
    PT_TRY(MakeFolder(folder));
  }
  const MapTask map{.task = task,
                    .config = RunnerConfig(args, folder.string()),
                    .output = std::move(columns),
                    .gang = GangOf(options_)};
  Heard heard(state, options_.logs);
  Call call = state.call();
  call.events = [&heard](const Json& event) { heard.On(event); };
  // `protium plan` of the program starts nothing.
  const bool planned = dynamic_cast<PlannedEngine*>(&state.engine()) != nullptr;
  const bool here = options_.workers < 0 && !planned;
  if (here && !options_.input) return RunHere(state.options(), map, nullptr, call);
  PT_LET(const Plan input, InputPlan(session_, options_));
  if (here && !KindOf(state.options().engine).runs_here) {
    return RunHere(
        state.options(), map, [&] { return state.engine().Execute(input, call); }, call);
  }
  PT_LET(const BatchStreamPtr stream, state.engine().Execute(MakePlan(map, {input}), call));
  return Collect(*stream);
}

Result<Json> Runner::Run(const std::string& task, const Json& args) const {
  PT_LET(const auto batches, Start(task, RunnerColumns(), args));
  for (const RowBatch& batch : batches) {
    const auto& values = static_cast<const arrow::StringArray&>(*batch->column(0));
    if (values.length() > 0) return ParseJson(values.GetView(0));
  }
  return Fail({.exit = Exit::kUsage,
               .what = "the task \"" + task + "\" gave no value",
               .fix = "make it with RunnerTask(), or ask for its rows with Rows()"});
}

Result<std::vector<RowBatch>> Runner::Rows(const std::string& task, SchemaPtr columns,
                                           const Json& args) const {
  return Start(task, std::move(columns), args);
}

}  // namespace protium
