// SPDX-License-Identifier: Apache-2.0
#include "workers/testing/test_tasks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "gang/bend_task.h"
#include "gang/program.h"

namespace protium {

// tests/main.cc finds it by this name when the test program is started as a worker.
const TaskTable& TestTasks();

std::shared_ptr<arrow::RecordBatch> NumberBatch(int64_t first, int64_t count) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) PT_CHECK(builder.Append(first + i).ok());
  return arrow::RecordBatch::Make(NumberSchema(), count, {builder.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::RecordBatch> TextBatch(const std::string& text) {
  arrow::StringBuilder builder;
  PT_CHECK(builder.Append(text).ok());
  return arrow::RecordBatch::Make(TextSchema(), 1, {builder.Finish().ValueOrDie()});
}

std::function<Result<BatchStreamPtr>()> Numbers(int64_t batches, int64_t rows) {
  return [=]() -> Result<BatchStreamPtr> {
    arrow::RecordBatchVector all;
    for (int64_t i = 0; i < batches; ++i) all.push_back(NumberBatch(i * rows, rows));
    return MakeStream(NumberSchema(), std::move(all));
  };
}

std::vector<int64_t> SortedNumbers(const arrow::RecordBatchVector& batches) {
  std::vector<int64_t> all;
  for (const auto& batch : batches) {
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    all.insert(all.end(), column.raw_values(), column.raw_values() + column.length());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> SortedTexts(const arrow::RecordBatchVector& batches) {
  std::vector<std::string> all;
  for (const auto& batch : batches) {
    const auto& column = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) all.push_back(column.GetString(i));
  }
  std::sort(all.begin(), all.end());
  return all;
}

Result<arrow::RecordBatchVector> RunTask(Workers& workers, const MapTask& task,
                                         std::function<Result<BatchStreamPtr>()> input,
                                         const Call& call) {
  PT_LET(auto stream, workers.Map(task, std::move(input), call));
  return Collect(*stream);
}

MapTask TextTask(const std::string& name, const std::string& config) {
  return {.task = name, .config = config, .output = TextSchema(), .workers = 2};
}

MapTask GangTask(const std::string& name, int32_t workers, int32_t max_restarts,
                 const std::string& config) {
  MapTask task = TextTask(name, config);
  task.gang = GangSpec{.workers = workers, .max_restarts = max_restarts, .deadline = 20};
  return task;
}

void Hang() {
  for (;;) ::pause();
}

Bell::Bell() {
  PT_CHECK(::mkfifo(path().c_str(), 0600) == 0);
  pipe_ = UniqueFd(::open(path().c_str(), O_RDWR | O_CLOEXEC));
}

bool Bell::Await(int times) {
  char byte = 0;
  for (; times > 0; --times) {
    const int fd = pipe_.get();
    const auto rung = WaitReadable({&fd, 1}, Clock::now() + std::chrono::seconds(60));
    if (!rung.ok() || rung->empty() || ::read(fd, &byte, 1) != 1) return false;
  }
  return true;
}

Belongings CountBelongings() {
  // Includes the descriptor of this iteration, which is the same each time.
  const std::filesystem::directory_iterator fds("/proc/self/fd");
  return {.descriptors = static_cast<size_t>(std::distance(begin(fds), end(fds))),
          .children = Children().size()};
}

// Children are listed under the thread that started them (proc(5)): workers under the Spawner's
// thread.
std::vector<pid_t> Children() {
  std::vector<pid_t> all;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream in(thread.path() / "children");
    for (pid_t pid; in >> pid;) all.push_back(pid);
  }
  return all;
}

namespace {

// The first partition takes longer over each batch than the others.
Status Dawdle(TaskContext& context) {
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (batch == nullptr) return Status::OK();
    if (context.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    PT_TRY(context.Emit(*batch));
  }
}

Status Double(TaskContext& context) {
  for (;;) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) return Status::OK();
    arrow::Int64Builder builder;
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (const auto value : column) PT_TRY(builder.Append(2 * value.value_or(0)));
    PT_LET(auto doubled, builder.Finish());
    PT_TRY(context.Emit(*arrow::RecordBatch::Make(NumberSchema(), batch->num_rows(), {doubled})));
  }
}

Status Count(TaskContext& context) {
  int64_t rows = 0;
  for (;;) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) break;
    rows += batch->num_rows();
  }
  return context.Emit(*TextBatch(std::to_string(rows)));
}

// Holds every batch to the end.
Status Hoard(TaskContext& context) {
  arrow::RecordBatchVector all;
  PT_LET(all, Collect(context.input()));
  int64_t sum = 0;
  for (const int64_t each : SortedNumbers(all)) sum += each;
  return context.Emit(*TextBatch(std::to_string(sum)));
}

Status Facts(TaskContext& context) {
  PT_TRY(context.Barrier("start"));
  PT_LET(const auto all, context.AllGather("from " + std::to_string(context.rank())));
  std::string text = std::to_string(context.rank()) + "/" + std::to_string(context.world());
  for (const std::string& each : all) text += " " + each;
  context.Report({{"event", "facts"}, {"attempt", context.attempt()}});
  return context.Emit(*TextBatch(text));
}

// Emits this rank's devices and those that its environment makes visible.
Status Devices(TaskContext& context) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "nothing" : value);
  };
  std::string text = std::to_string(context.rank()) + " has";
  for (const Device& each : context.devices()) text += " " + each.name + " " + each.address;
  text += ", sees \"" + variable("CUDA_VISIBLE_DEVICES") + "\" by " + variable("CUDA_DEVICE_ORDER");
  return context.Emit(*TextBatch(text));
}

// Waits for ranks that will not come.
Status WaitForOthers(TaskContext& context) { return context.Barrier("never"); }

// When rank 1 acts, all ranks have begun, and the others wait for it in a collective call.
Status OnRank1(TaskContext& context, const std::function<Status()>& act) {
  PT_TRY(context.Barrier("start"));
  if (context.rank() == 1) return act();
  return WaitForOthers(context);
}

Status Refuse(TaskContext& context) {
  // Without a gang there is no communicator, and nobody to wait for.
  if (context.world() > 1 && context.rank() != 1 && CommunicatorOf(context).ok()) {
    return WaitForOthers(context);
  }
  return Fail({.exit = Exit::kInput, .what = "3 labels are null", .fix = "drop them"});
}

// Its configuration names the bell that the others ring when they have failed.
Status TalkAndRefuse(TaskContext& context) {
  const Status status = OnRank1(context, [&]() -> Status {
    for (int i = 0; i < 60; ++i) context.Send({{"event", "talk"}});
    return Fail({.exit = Exit::kInput, .what = "3 labels are null"});
  });
  if (context.rank() != 1) Ring(context.config());
  return status;
}

Status Throw(TaskContext&) { throw std::runtime_error("thrown on purpose"); }

Status ExitEarly(TaskContext& context) {
  std::puts("about to leave");
  return OnRank1(context, []() -> Status { std::exit(0); });
}

Status KillSelf(TaskContext& context) {
  std::puts("about to be killed");
  // Buffered output is lost when a process is killed.
  std::fflush(stdout);
  return OnRank1(context, []() -> Status {
    ::raise(SIGKILL);
    return Status::OK();
  });
}

// Succeeds from the attempt on that its configuration gives.
Status KillUntil(TaskContext& context) {
  if (context.attempt() < std::stoi(context.config())) return KillSelf(context);
  return Facts(context);
}

// The same, but each attempt reports that it has a checkpoint.
Status ReportUntil(TaskContext& context) {
  context.Report("checkpoint", {{"step", 1}});
  return KillUntil(context);
}

// The same, but each attempt saves.
Status SaveUntil(TaskContext& context) {
  context.Saved();
  return KillUntil(context);
}

Status StopSelf(TaskContext& context) {
  return OnRank1(context, []() -> Status {
    ::raise(SIGSTOP);
    return Status::OK();
  });
}

// Stops its process, unless the file named in its configuration exists, which means that one did.
Status StopBeforeItReads(TaskContext& context) {
  if (!std::filesystem::exists(context.config())) {
    std::ofstream(context.config()) << "stopped";
    ::raise(SIGSTOP);
  }
  return Count(context);
}

Status StopOnceItHasRead(TaskContext& context) {
  PT_TRY(context.input().Next().status());
  ::raise(SIGSTOP);
  return Count(context);
}

Status UntilStopped(TaskContext& context) {
  context.Send({{"event", "waiting"}, {"pid", ::getpid()}});
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, context.stop(), [] { return false; });
  return Fail({.exit = Exit::kStopped, .what = "stopped as asked", .kept = "a checkpoint"});
}

// Only its first attempt waits to be stopped.
Status StoppedOnce(TaskContext& context) {
  if (context.attempt() == 0) return UntilStopped(context);
  return context.Emit(*TextBatch("attempt " + std::to_string(context.attempt())));
}

Status HangInThought(TaskContext& context) {
  return OnRank1(context, [&]() -> Status {
    context.SetPhase("thought");
    Hang();
  });
}

// Runs until it is killed, whatever it is asked to do.
Status Deaf(TaskContext& context) {
  context.Send({{"event", "deaf"}});
  Hang();
}

Status EndlessOutput(TaskContext& context) {
  // Many more than fit between a worker and a caller that takes none.
  for (int64_t i = 0; i < 200; ++i) {
    context.Send({{"event", "emitting"}, {"batch", i}});
    PT_TRY(context.Emit(*NumberBatch(i * 1000, 1000)));
  }
  return Status::OK();
}

Status WrongSchema(TaskContext& context) { return context.Emit(*NumberBatch(0, 1)); }

}  // namespace

const TaskTable& TestTasks() {
  static const TaskTable tasks = {
      {"bend", BendTask},
      {"count", Count},
      {"dawdle", Dawdle},
      {"deaf", Deaf},
      {"devices", Devices},
      {"double", Double},
      {"emit_much", EndlessOutput},
      {"exit", ExitEarly},
      {"facts", Facts},
      {"hang", HangInThought},
      {"hoard", Hoard},
      {"kill", KillSelf},
      {"kill_until", KillUntil},
      {kProgramTask, ProgramTask},
      {"refuse", Refuse},
      {"report_until", ReportUntil},
      {"save_until", SaveUntil},
      {"sigstop", StopSelf},
      {"stop_before", StopBeforeItReads},
      {"stop_midway", StopOnceItHasRead},
      {"stopped_once", StoppedOnce},
      {"talk_and_refuse", TalkAndRefuse},
      {"throw", Throw},
      {"until_stopped", UntilStopped},
      {"wrong_schema", WrongSchema},
  };
  return tasks;
}

}  // namespace protium
