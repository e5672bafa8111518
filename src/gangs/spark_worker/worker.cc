// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/fault.h"
#include "gang/task_book.h"
#include "objects/store.h"
#include "os/signals.h"
#include "os/stack.h"
#include "spark_worker/bundle_format.h"
#include "spark_worker/crash.h"
#include "spark_worker/error_text.h"
#include "spark_worker/marks.h"
#include "spark_worker/spark_task.h"
#include "spark_worker/task_place.h"

namespace protium {

namespace {

// From a header's first byte to its last.
constexpr std::chrono::seconds kHeaderTime{30};
// How long the executor has to read the final text and close.
constexpr std::chrono::seconds kCloseTime{30};

std::chrono::nanoseconds Now() { return std::chrono::system_clock::now().time_since_epoch(); }

int64_t Milliseconds(std::chrono::nanoseconds time) { return time / std::chrono::milliseconds(1); }

// Unlike that of any other task of a meeting.
std::string WriterName(const TaskInit& init, const SparkCommand& command) {
  const int32_t place = command.lease ? command.lease->seat : init.partition;
  return std::to_string(place) + "-" + std::to_string(init.task_attempt_id);
}

// Prepares this process for the task, and the run folder if it is another host's.
Result<std::unique_ptr<TaskTransit>> Enter(const TaskInit& init, Result<SparkCommand>& command) {
  PT_TRY(command.status());
  SetEnvironment(init);
  return TaskTransit::Make(*command, WriterName(init, *command));
}

struct Times {
  std::chrono::nanoseconds boot{};
  std::chrono::nanoseconds begin{};
  std::chrono::nanoseconds end{};
};

class SparkWorker {
 public:
  SparkWorker(std::unique_ptr<ExecutorWire> wire, TaskBook book, std::stop_token signals)
      : wire_(std::move(wire)), book_(std::move(book)), signals_(std::move(signals)) {}

  int Serve();

 private:
  // Runs one task; returns whether the worker may serve another afterwards.
  Result<bool> ServeOne(int32_t first);
  Result<bool> RunTask(const TaskInit& init);
  Result<bool> End(const TaskInit& init, bool reusable);
  Status Report(const Status& status, RankFailure place);
  bool MayServeAgain(const TaskInit& init) const;

  const std::unique_ptr<ExecutorWire> wire_;
  TaskBook book_;
  const std::stop_token signals_;
  Times times_{.boot = Now()};
};

// Waits for the first number of a header as long as the executor likes: an idle worker is reused
// for later tasks. For the rest it waits kHeaderTime: two sides that disagree on the form would
// wait for each other.
int SparkWorker::Serve() {
  const std::stop_callback on_signal(signals_, [this] { wire_->Interrupt(); });
  for (;;) {
    const auto begun = wire_->Begin();
    if (!begun.ok() || !*begun) return 0;
    wire_->WaitUntil(Clock::now() + kHeaderTime);
    const auto first = wire_->ReadInt();
    if (!first.ok() || *first == kEndOfData) return 0;
    const auto again = ServeOne(*first);
    std::fflush(nullptr);
    if (again.ok() && *again) continue;
    const int code = again.ok() || wire_->closed() ? 0 : 1;
    wire_->Drain(Clock::now() + kCloseTime);
    return code;
  }
}

Result<bool> SparkWorker::ServeOne(int32_t first) {
  const auto init = ReadTaskInit(first, *wire_);
  if (!init.ok()) {
    PT_TRY(Report(init.status(), {.role = "partition", .rank = std::max(first, 0)}));
    return init.status();
  }
  wire_->WaitUntil(kNever);
  times_.begin = Now();
  PT_LET(const bool again, RunTask(*init));
  times_.boot = Now();
  return again;
}

Result<bool> SparkWorker::RunTask(const TaskInit& init) {
  auto command = DecodeCommand(init.command);
  const RankFailure place = DescribeTask(init, command.ok() ? *command : SparkCommand{});
  ReportCrashesAs(place);
  auto transit = Enter(init, command);
  if (!transit.ok()) {
    PT_TRY(Report(transit.status(), place));
    return transit.status();
  }
  const Result<Task> found = book_.Find(command->task, command->torch);
  const bool gang = command->gang;
  SparkTask task(*wire_, init, std::move(*command), std::move(*transit));
  const Status ran = task.Run(found, signals_);
  // Even after a failure: without the end of an open Arrow stream the JVM would read the error's
  // text as an Arrow message, and lose it.
  const Status ended = task.EndOutput();
  if (!ran.ok()) {
    const Status told = Report(ran, place);
    task.Leave(ran);
    PT_TRY(told);
    return ran;
  }
  task.Leave(ran);
  PT_TRY(ended);
  return End(init, !gang && MayServeAgain(init));
}

// A process that stays also holds what it took of a device; and after CUDA was initialised with one
// set of visible devices, it cannot use others.
bool SparkWorker::MayServeAgain(const TaskInit& init) const {
  const bool touched = book_.loaded() && ::access("/dev/nvidiactl", F_OK) == 0;
  return std::getenv("SPARK_REUSE_WORKER") != nullptr && init.resources.empty() && !touched &&
         !signals_.stop_requested();
}

Result<bool> SparkWorker::End(const TaskInit& init, bool reusable) {
  times_.end = Now();
  PT_TRY(wire_->WriteInt(kTiming));
  for (const auto time : {times_.boot, times_.begin, times_.end}) {
    PT_TRY(wire_->WriteLong(Milliseconds(time)));
  }
  const bool late = init.family == Family::kC || init.family == Family::kD;
  // The time spent on the data, since Spark 4.2.
  if (late) PT_TRY(wire_->WriteLong(Milliseconds(times_.end - times_.begin)));
  PT_TRY(wire_->WriteLong(0));  // Spilled to memory.
  PT_TRY(wire_->WriteLong(0));  // Spilled to disk.
  PT_TRY(wire_->WriteInt(kEndOfData));
  PT_TRY(wire_->WriteInt(0));  // Accumulators.
  PT_TRY(wire_->Flush());
  PT_LET(const int32_t last, wire_->ReadInt());
  const bool again = reusable && last == kEndOfTask;
  PT_TRY(wire_->WriteInt(again ? kEndOfTask : kEndOfData));
  PT_TRY(wire_->Flush());
  return again;
}

// Sends the executor the reason why a task failed, unless the executor ended it.
Status SparkWorker::Report(const Status& status, RankFailure place) {
  if (wire_->closed()) return Status::OK();
  place.status = status;
  place.at = Now().count();
  std::fputs(Render(FaultOf(status)).c_str(), stderr);
  PT_TRY(wire_->WriteInt(kFailed));
  PT_TRY(wire_->WriteText(WorkerErrorText(place)));
  return wire_->Flush();
}

// Dispositions (if ignored) and the mask of blocked signals survive exec: these are the launcher's.
void ResetSignals() {
  for (const int signal : {SIGHUP, SIGCHLD, SIGTERM, SIGINT}) ::signal(signal, SIG_DFL);
  // Both are errors of a write, which are reported.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::optional<int> OwnSocket() {
  const char* number = std::getenv(kWorkerSocket);
  char* end = nullptr;
  const long fd = number != nullptr ? std::strtol(number, &end, 10) : -1;
  const bool usable = end != nullptr && *end == '\0' && fd >= 3 && fd < 1 << 20 &&
                      ::fcntl(static_cast<int>(fd), F_GETFD) >= 0;
  return usable ? std::optional(static_cast<int>(fd)) : std::nullopt;
}

Result<int> ServeAt(int fd, TaskBook book) {
  const ObjectStoresEnd stores;
  PT_LET(const auto signals, StopOnSignal::Make());
  PT_LET(auto wire, ExecutorWire::Make(UniqueFd(fd)));
  SparkWorker worker(std::move(wire), std::move(book), signals->token());
  return worker.Serve();
}

}  // namespace

bool IsSparkWorker() { return std::getenv(kWorkerSocket) != nullptr; }

int SparkWorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more) {
  const std::optional<int> fd = OwnSocket();
  if (!fd) {
    std::fprintf(stderr, "error: %s is for workers that Spark's launcher starts\n", kWorkerSocket);
    return static_cast<int>(Exit::kUsage);
  }
  ::unsetenv(kWorkerSocket);  // Programs that a task starts are not workers.
  ::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  ResetSignals();
  ReportCrashes();
  PrepareStacks();
  const auto code = ServeAt(*fd, TaskBook(tasks, more));
  if (!code.ok()) std::fputs(Render(FaultOf(code.status())).c_str(), stderr);
  return code.ok() ? *code : static_cast<int>(FaultOf(code.status()).exit);
}

}  // namespace protium
