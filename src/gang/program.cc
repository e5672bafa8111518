// SPDX-License-Identifier: Apache-2.0
#include "gang/program.h"

#include <arrow/type.h>
#include <fmt/format.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/fault.h"
#include "gang/program_output.h"
#include "gang/program_peers.h"
#include "gang/program_place.h"
#include "os/poll.h"
#include "os/process_tree.h"

// Two threads: the task's own waits for what the program prints, for its end, for a stop and for
// news of the others (ProgramRun); the other gathers the news (ProgramPeers).
// 1. No rank returns before the programs of all have ended: by then the failure of one is known to
//    all, and the engine, which kills ranks once one has failed, finds nothing to kill.
// 2. Of several that failed, the first tells what its program said; the others only follow.

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
    PT_LET(Communicator* const communicator, context_.communicator());
    PT_LET(const ProgramPlace place, FindPlace(context_, spec_.port));
    wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_) return SystemFault("watch a program", errno);
    const std::stop_callback on_stop(context_.stop(),
                                     [fd = wake_.get()] { ::eventfd_write(fd, 1); });
    ProgramPeers peers(*communicator, wake_.get());
    peers_ = &peers;
    // One that does not start is one that failed: the others hear of it in the same way.
    failure_ = Start(place);
    if (!failure_.ok()) peers.TellEnd(true);
    while (tree_ || !peers.view().over) Round();
    return Outcome(peers.view());
  }

 private:
  Status Start(const ProgramPlace& place) {
    SubprocessOptions options{.args = {spec_.words.begin() + 1, spec_.words.end()},
                              .env = PlaceVariables(place, spec_, context_.attempt()),
                              .folder = spec_.folder};
    for (const std::string& each : spec_.environment) {
      const size_t equals = each.find('=');
      options.env.emplace_back(each.substr(0, equals), each.substr(equals + 1));
    }
    PT_LET(options.program, FindProgram(spec_.words[0], std::getenv("PATH")));
    UniqueFd out, err;
    PT_LET(pipes_[0], PrintedPipe::Make(out));
    PT_LET(pipes_[1], PrintedPipe::Make(err));
    options.fds = {{out.get(), 1}, {err.get(), 2}};
    PT_LET(ProcessTree tree, ProcessTree::Start(options));
    tree_.emplace(std::move(tree));
    return Status::OK();
  }

  // Waits for anything to happen, and looks at what did.
  void Round() {
    std::array<pollfd, 4> polls = {
        pollfd{pipes_[0].fd(), POLLIN, 0}, pollfd{pipes_[1].fd(), POLLIN, 0},
        pollfd{tree_ ? tree_->fd() : -1, POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
    Poll(polls, killed_);
    eventfd_t ignored = 0;
    (void)::eventfd_read(wake_.get(), &ignored);
    for (size_t i = 0; i < pipes_.size(); ++i) {
      if (polls[i].revents != 0) Tell(i, pipes_[i].Read());
    }
    if (tree_ && polls[2].revents != 0) LookForEnd();
    EndIfAsked();
  }

  void Tell(size_t pipe, const std::string& lines) {
    if (lines.empty()) return;
    last_lines_.Add(lines);
    const bool told = spec_.logs == ProgramLogs::kAll ||
                      (spec_.logs == ProgramLogs::kRank0 && context_.rank() == 0);
    if (!told) return;
    context_.Report(
        {{"event", "printed"}, {"rank", context_.rank()}, {"stream", pipe + 1}, {"text", lines}});
  }

  void LookForEnd() {
    const auto ended = tree_->Wait(Clock::now());
    if (ended.ok() && !*ended) return;
    // Everything that could still print has ended.
    for (size_t i = 0; i < pipes_.size(); ++i) {
      while (pipes_[i].fd() >= 0) Tell(i, pipes_[i].Read(true));
    }
    tree_.reset();
    failure_ = ended.ok() ? Judge(**ended) : ended.status();
    // What it does after it was asked to end is no news.
    peers_->TellEnd(!failure_.ok() && !asked_);
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

  // After a stop, and when another rank failed or is gone.
  void EndIfAsked() {
    if (!tree_) return;
    const ProgramPeers::View view = peers_->view();
    if (!asked_ && (context_.stop().stop_requested() || view.first || !view.status.ok())) {
      asked_ = true;
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
    if (failure_.ok() || asked_) return Status::OK();
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
  Status failure_;
  bool asked_ = false;        // To end.
  Deadline killed_ = kNever;  // When it is killed, after that.
};

}  // namespace

SchemaPtr ProgramColumns() { return arrow::schema({arrow::field("json", arrow::utf8())}); }

Status ProgramTask(TaskContext& context) {
  PT_LET(ProgramSpec spec, ReadSpec(context));
  // The one row of a gang without a table.
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) break;
  }
  return ProgramRun(context, std::move(spec)).Run();
}

}  // namespace protium
