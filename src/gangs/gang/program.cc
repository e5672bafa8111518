// SPDX-License-Identifier: Apache-2.0
#include "gang/program.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/fault.h"
#include "events/events.h"
#include "gang/key_store.h"
#include "gang/program_folder.h"
#include "gang/program_output.h"
#include "gang/program_peers.h"
#include "gang/program_place.h"
#include "gang/program_rows.h"
#include "os/poll.h"
#include "os/process_tree.h"

// Two threads: the task's own waits for the program's output, for its end, for a stop and for news
// of the others (ProgramRun); the other gathers the news (ProgramPeers).
// 1. No rank returns before the programs of all have ended: by then all know of a failure, and the
//    engine, which kills ranks as soon as one has failed, finds nothing to kill.
// 2. If several failed, the first reports what its program printed; the others only follow.

namespace protium {

namespace {

Result<ProgramSpec> ReadSpec(const TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  ProgramSpec spec;
  PT_TRY(FieldsFromJson(json, "program", spec));
  if (spec.words.empty()) return Status::Invalid("a program without a name");
  return spec;
}

class ProgramRun {
 public:
  ProgramRun(TaskContext& context, ProgramSpec spec) : context_(context), spec_(std::move(spec)) {}

  Status Run() {
    PT_LET(Communicator* const communicator, CommunicatorOf(context_));
    PT_LET(ProgramPlace place, FindPlace(context_, spec_.port));
    PT_LET(const auto store, ShareKeyServer(context_, place));
    wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) return SystemFault("watch a program", errno);
    const std::stop_callback on_stop(context_.stop(),
                                     [fd = wake_.get()] { ::eventfd_write(fd, 1); });
    ProgramPeers peers(*communicator, wake_.get());
    peers_ = &peers;
    // A program that does not start counts as failed: the others learn it in the same way.
    failure_ = Start(place);
    if (!failure_.ok()) peers.ReportEnd(!Asked());
    while (tree_ || !peers.view().over) Round();
    return Outcome(peers.view());
  }

 private:
  // Whether it was asked to end, by the driver or because another rank failed or is gone.
  bool Asked() const {
    const ProgramPeers::View view = peers_->view();
    return context_.stop().stop_requested() || view.first || !view.status.ok();
  }

  Status Start(const ProgramPlace& place) {
    PT_LET(rows_, ProgramRows::Read(context_, spec_, [this] { return !Asked(); }));
    PT_LET(ProgramFolder folder, ProgramFolder::Make(spec_));
    folder_.emplace(std::move(folder));
    SubprocessOptions options{.args = {spec_.words.begin() + 1, spec_.words.end()},
                              .env = PlaceVariables(place, spec_, context_.attempt()),
                              .folder = folder_->path()};
    for (const std::string& each : spec_.environment) {
      const size_t equals = each.find('=');
      options.env.emplace_back(each.substr(0, equals), each.substr(equals + 1));
    }
    PT_LET(options.program, folder_->Find(spec_.words[0]));
    UniqueFd out, err;
    PT_LET(pipes_[0], PrintedPipe::Make(out));
    PT_LET(pipes_[1], PrintedPipe::Make(err));
    options.fds = rows_->fds();
    options.fds.insert(options.fds.end(), {{out.get(), 1}, {err.get(), 2}});
    const auto of_rows = rows_->variables();
    options.env.insert(options.env.end(), of_rows.begin(), of_rows.end());
    PT_LET(ProcessTree tree, ProcessTree::Start(options));
    tree_.emplace(std::move(tree));
    rows_->Started();
    return Status::OK();
  }

  // Waits for anything to happen, and handles what did.
  void Round() {
    std::array<pollfd, 5> polls = {
        pollfd{pipes_[0].fd(), POLLIN, 0}, pollfd{pipes_[1].fd(), POLLIN, 0},
        pollfd{tree_ ? tree_->fd() : -1, POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0},
        pollfd{tree_ && written_.ok() ? rows_->output_fd() : -1, POLLIN, 0}};
    Poll(polls, killed_);
    eventfd_t ignored = 0;
    (void)::eventfd_read(wake_.get(), &ignored);
    for (size_t i = 0; i < pipes_.size(); ++i) {
      if (polls[i].revents != 0) Print(i, pipes_[i].Read());
    }
    if (polls[4].revents != 0) written_ = rows_->ReadOutput();
    if (tree_ && polls[2].revents != 0) LookForEnd();
    EndIfAsked();
  }

  void Print(size_t pipe, const std::string& lines) {
    if (lines.empty()) return;
    last_lines_.Add(lines);
    const bool told = spec_.logs == ProgramLogs::kAll ||
                      (spec_.logs == ProgramLogs::kRank0 && context_.rank() == 0);
    if (!told) return;
    context_.Send(EventToJson(Printed{context_.rank(), int32_t(pipe) + 1, lines}));
  }

  void LookForEnd() {
    const auto ended = tree_->Wait(Clock::now());
    if (ended.ok() && !*ended) return;
    // Everything that could still print has ended.
    for (size_t i = 0; i < pipes_.size(); ++i) {
      while (pipes_[i].fd() >= 0) Print(i, pipes_[i].Read(true));
    }
    tree_.reset();
    failure_ = ended.ok() ? Judge(**ended) : ended.status();
    if (failure_.ok() && written_.ok() && !asked_) written_ = rows_->Finish();
    if (!written_.ok()) failure_ = written_;
    // What it does after it was asked to end is not reported.
    peers_->ReportEnd(!failure_.ok() && !asked_);
  }

  Status Judge(const Ended& ended) const {
    if (ended.code == 0 && ended.signal == 0) return Status::OK();
    const std::string name = std::filesystem::path(spec_.words[0]).filename();
    Fault fault{.what = fmt::format("rank {}: {} {}", context_.rank(), name, ended.Describe())};
    const std::string lines = last_lines_.text();
    if (!lines.empty()) fault.why = "the last lines that it printed:" + lines;
    if (ended.signal == SIGKILL && lines.empty()) {
      fault.why = "someone killed it, or the system did because memory ran out";
    }
    return Fail(std::move(fault));
  }

  // Also if what it writes cannot be sent on.
  void EndIfAsked() {
    if (!tree_) return;
    if (!ending_ && (Asked() || !written_.ok())) {
      ending_ = true;
      asked_ = written_.ok();
      tree_->Terminate();
      killed_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(spec_.grace));
    }
    if (Clock::now() < killed_) return;
    tree_->Kill();
    killed_ = kNever;
  }

  Status Outcome(const ProgramPeers::View& view) const {
    if (view.first == context_.rank()) return failure_;
    if (context_.stop().stop_requested()) {
      return Fail({.exit = Exit::kStopped, .what = "the program was stopped"});
    }
    PT_TRY(view.status);
    if (failure_.ok() || asked_ || FaultOf(failure_).exit == Exit::kStopped) return Status::OK();
    Fault fault = FaultOf(failure_);
    fault.exit = Exit::kRemote;
    return Fail(std::move(fault));
  }

  TaskContext& context_;
  const ProgramSpec spec_;
  ProgramPeers* peers_ = nullptr;
  UniqueFd wake_;
  std::array<PrintedPipe, 2> pipes_;
  LastLines last_lines_;
  std::optional<ProcessTree> tree_;
  std::optional<ProgramFolder> folder_;
  std::unique_ptr<ProgramRows> rows_;
  Status written_;  // Whether the table that it writes could be sent on.
  Status failure_;
  bool ending_ = false;       // It was asked to end,
  bool asked_ = false;        // and not because of its own failure.
  Deadline killed_ = kNever;  // When it is killed after that.
};

}  // namespace

SchemaPtr ProgramColumns() {
  return arrow::schema(
      {arrow::field("rank", arrow::int32()), arrow::field("bytes", arrow::binary())});
}

Status ProgramTask(TaskContext& context) {
  PT_LET(ProgramSpec spec, ReadSpec(context));
  return ProgramRun(context, std::move(spec)).Run();
}

}  // namespace protium
