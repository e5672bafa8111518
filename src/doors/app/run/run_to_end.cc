// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_to_end.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <stop_token>
#include <utility>

#include "app/run/addresses.h"
#include "app/run/run_report.h"
#include "base/fault.h"
#include "engine/address.h"
#include "events/events.h"
#include "os/signals.h"
#include "page/report.h"
#include "run/progress.h"
#include "run/result.h"
#include "run/run_view.h"
#include "run/seconds_before.h"
#include "terminal/one_file.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The order of a run, and what a failure at each point leaves:
//
// 1. Open(): run folder and lock, events.jsonl, session. The engine is opened here.
// 2. Prepare(): every check that needs no rows; then job.json, after which the run can be resumed,
//    and on an object store its first copy.
//    A failure up to here removes a new folder, or leaves a resumed one as it was (GiveUp).
// 3. The job itself. Ctrl-C sets the session's stop token.
// 4. Succeed() or FailWith(): result.json, the last event, run.json, report.html. From here on a
//    failure to write is only a warning if the run itself has failed already.

// Distributes the events of a run, and maintains the view needed at its end. Any thread.
class Watch {
 public:
  Watch(EventLog& log, ProgressDisplay& progress, std::function<void(const Event&)> own)
      : log_(log), progress_(progress), own_(std::move(own)) {}

  void On(const Json& json) {
    // A full disk must not stop the training; the log stores its first failure for the end.
    (void)log_.Append(json);
    progress_.On(json);
    const Event event = EventFromJson(json);
    if (own_) own_(event);
    const std::lock_guard lock(mutex_);
    view_.On(event);
  }
  RunView view() const {
    const std::lock_guard lock(mutex_);
    return view_;
  }

 private:
  EventLog& log_;
  ProgressDisplay& progress_;
  const std::function<void(const Event&)> own_;
  mutable std::mutex mutex_;
  RunView view_;
};

// Whether there is a complete checkpoint: the folder holds other files from the start, and a
// checkpoint being written has the extension .partial until it is complete.
bool HasCheckpoint(const fs::path& folder) {
  std::error_code error;
  constexpr auto kReadable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder / "checkpoints", kReadable, error), end;
       !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    if (path.filename() == "state.json" && path.parent_path().extension() != ".partial") {
      return true;
    }
  }
  return false;
}

// Adds to a fault what was kept and, if continuing can help, the command that continues.
Fault Completed(Fault fault, const RunRequest& request, const RunFolder& folder,
                const RunView& view) {
  const bool saved = HasCheckpoint(folder.path());
  const bool goes_on = fault.exit == Exit::kStopped || fault.exit == Exit::kFailed ||
                       fault.exit == Exit::kStalled || fault.exit == Exit::kNoRoom;
  // What is out of reach, or refused by the machine, may work later.
  const bool later = fault.exit == Exit::kRemote || fault.exit == Exit::kEnvironment;
  if (!goes_on && !(later && saved)) return fault;
  if (fault.kept.empty() && saved) {
    fault.kept = "the last checkpoint";
    if (view.checkpoint >= 0) {
      fault.kept =
          fmt::format("the checkpoint of {} {}", view.trees ? "round" : "step", view.checkpoint);
    }
  }
  if (fault.fix.empty()) {
    const std::string place =
        request.place ? (*request.place / folder.id()).text() : folder.path().string();
    fault.fix = fmt::format("{} {}", request.resume_command, place);
  }
  return fault;
}

Json CollectResult(const RunFolder& folder, const Session& session, Clock::time_point started,
                   const Json& before) {
  Json result = MakeResult(folder, StateOf(session).record(), started);
  AddSecondsBefore(before, result["seconds"]);
  return result;
}

// The run has ended and is complete without a report, so an error while writing it is only a
// warning.
void WriteReport(const RunFolder& folder) {
  const Result<std::string> report = MakeReport(folder.path());
  const Status status = report.ok() ? folder.WriteFile("report.html", *report) : report.status();
  if (status.ok()) return;
  // A report by an earlier command on this run would be out of date.
  std::error_code ignored;
  fs::remove(folder.path() / "report.html", ignored);
  PrintNote("warning: report.html is not written: " + FaultOf(status).what + "\n");
}

class Run {
 public:
  Run(RunRequest request, const StopOnSignal& signals)
      : request_(std::move(request)),
        signals_(signals),
        progress_(Terminal::Of(STDERR_FILENO), ToStderr()) {}

  Status ToEnd() {
    PT_TRY(Open());
    const Status prepared = request_.prepare ? Prepare() : Status::OK();
    if (!prepared.ok()) return GiveUp(prepared);
    const Status status = request_.run(*session_);
    progress_.Close();
    return status.ok() ? Succeed() : FailWith(status);
  }

 private:
  Status Open() {
    std::vector<std::string> argv;
    for (const std::string& word : request_.argv) argv.push_back(WithoutSecrets(word));
    PT_LET(folder_, request_.resume ? RunFolder::Reopen(*request_.resume, argv)
                                    : RunFolder::Create(request_.runs, request_.name, argv));
    if (request_.resume) before_ = SecondsBefore(folder_->path());
    mirror_ = std::move(request_.mirror);
    if (request_.place && mirror_ == nullptr) {
      auto begun = Mirror::Begin(*request_.place / folder_->id(), folder_->path());
      if (!begun.ok()) return GiveUp(begun.status());
      mirror_ = begun.MoveValueUnsafe();
    }
    watch_ = std::make_unique<Watch>(folder_->events(), progress_, request_.watch);
    SessionOptions& options = request_.session;
    options.folder = folder_->path();
    if (mirror_) options.place = mirror_->place().text();
    options.resume = request_.resume.has_value();
    options.call.stop = stop_.get_token();
    options.call.events = [this](const Json& event) {
      watch_->On(event);
      if (mirror_ && TextAt(event, "event") == Checkpointed::kName) mirror_->Wake();
    };
    watch_->On(EventToJson(RunStarted{folder_->id(), options.resume}));
    Result<std::unique_ptr<Session>> session = OpenSession(options);
    if (!session.ok()) return GiveUp(session.status());
    session_ = session.MoveValueUnsafe();
    return Status::OK();
  }

  Status Prepare() {
    PT_TRY(request_.prepare(*session_, request_.description));
    PT_TRY(folder_->WriteFile("job.json", Pretty(JsonWithoutSecrets(request_.description)) + "\n"));
    return StartMirror();
  }

  // From here on the run can be continued anywhere.
  Status StartMirror() {
    if (mirror_ == nullptr) return Status::OK();
    PT_TRY(mirror_->Publish());
    const std::string place = mirror_->place().text();
    mirror_->Start(
        {.away =
             [this, place](const Status& why) {
               watch_->On(EventToJson(Warning{
                   fmt::format("{}; the run continues here, and is copied when it answers again",
                               FaultOf(why).what)}));
             },
         .back = [this, place] { watch_->On(EventToJson(Note{place + " answers again"})); },
         .lost =
             [this] {
               lost_ = true;
               stop_.request_stop();
             }});
    return Status::OK();
  }

  Status EndMirror() { return mirror_ == nullptr ? Status::OK() : mirror_->End(); }

  Json Shown(const Json& result) const {
    if (mirror_ == nullptr) return result;
    return WithAddresses(result, mirror_->place(), mirror_->manifest());
  }

  // What was kept is on the store, too.
  void NamePlace(std::string& text) const {
    const std::string folder = folder_->path().string();
    const size_t at = text.find(folder);
    if (at != text.npos) text.replace(at, folder.size(), mirror_->place().text());
  }

  // With --json a failure is the one line on stdout. A closed stdout must not replace the fault.
  void PrintError(const Fault& fault) {
    if (!request_.json) return;
    const std::string place = mirror_ ? mirror_->place().text() : folder_->path().string();
    (void)PrintResult(
        Dump({{"run", folder_->id()}, {"folder", place}, {"error", StatusToJson(Fail(fault))}}) +
        "\n");
    if (request_.answered != nullptr) *request_.answered = true;
  }

  // The run is done, but its end is here alone.
  Status NotCopied(const Status& status) {
    Fault fault = FaultOf(status);
    if (!lost_ && fault.exit == Exit::kRemote) {
      fault.what = "the run is done, but not all of it could be copied: " + fault.what;
      fault.kept = "all of it, in " + folder_->path().string();
      fault.fix = fmt::format("{} {} on this machine copies the rest", request_.resume_command,
                              mirror_->place().text());
    }
    PrintError(fault);
    return Fail(std::move(fault));
  }

  // Ends a run in which nothing has run: removes a folder that was created for it.
  Status GiveUp(const Status& status) {
    progress_.Close();
    session_.reset();
    if (mirror_) mirror_->Discard();
    mirror_.reset();
    if (request_.resume) {
      // Everything in the run is untouched, and it can be resumed after the cause is fixed.
      PT_TRY(folder_->Finish(request_.before));
      return status;
    }
    const fs::path path = folder_->path();
    folder_.reset();
    std::error_code ignored;
    fs::remove_all(path, ignored);
    return WithoutLogsIn(path, status);
  }

  Status Succeed() {
    const Json result = CollectResult(*folder_, *session_, request_.session.started, before_);
    PT_TRY(folder_->WriteFile("result.json", Pretty(result) + "\n"));
    watch_->On(EventToJson(RunEnded{"done"}));
    PT_TRY(folder_->Finish(RunState::kDone));
    WriteReport(*folder_);
    const Status logged = folder_->events().status();
    if (!logged.ok()) PrintNote("warning: " + FaultOf(logged).what + "\n");
    if (const Status copied = EndMirror(); !copied.ok()) return NotCopied(copied);
    return PrintRunResult(Shown(result), request_.json);
  }

  Status FailWith(const Status& status) {
    const RunView view = watch_->view();
    if (!view.began && FaultOf(status).exit == Exit::kUsage) return GiveUp(status);
    Fault fault = FaultOf(status);
    fault = Completed(std::move(fault), request_, *folder_, view);
    Json result = CollectResult(*folder_, *session_, request_.session.started, before_);
    result["error"] = StatusToJson(Fail(fault));
    const bool stopped = fault.exit == Exit::kStopped;
    watch_->On(EventToJson(Failed{static_cast<int32_t>(fault.exit), fault.what, fault.where}));
    watch_->On(EventToJson(RunEnded{stopped ? "stopped" : "failed"}));
    // Report the run's own fault; what cannot be written now is a warning.
    for (const Status& each : {folder_->WriteFile("result.json", Pretty(result) + "\n"),
                               folder_->Finish(stopped ? RunState::kStopped : RunState::kFailed)}) {
      if (!each.ok()) PrintNote("warning: " + FaultOf(each).what + "\n");
    }
    WriteReport(*folder_);
    if (const Status copied = EndMirror(); !copied.ok()) {
      if (lost_) return NotCopied(copied);
      PrintNote("warning: not all of it could be copied: " + FaultOf(copied).what + "\n");
      if (!fault.kept.empty()) fault.kept += ", ";
      fault.kept += "on this machine alone, in " + folder_->path().string();
    } else if (mirror_) {
      NamePlace(fault.kept);
    }
    PrintError(fault);
    return Fail(std::move(fault));
  }

  RunRequest request_;
  const StopOnSignal& signals_;
  ProgressDisplay progress_;
  std::unique_ptr<RunFolder> folder_;
  Json before_ = Json::object();  // Seconds of earlier commands on this run.
  std::unique_ptr<Watch> watch_;
  // By a signal, or because a newer attempt works.
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_signal_{signals_.token(),
                                                       [this] { stop_.request_stop(); }};
  std::atomic<bool> lost_ = false;
  std::unique_ptr<Mirror> mirror_;
  std::unique_ptr<Session> session_;
};

}  // namespace

Status RunToEnd(RunRequest request) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  return Run(std::move(request), *signals).ToEnd();
}

}  // namespace protium
