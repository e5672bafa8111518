// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <deque>
#include <thread>

#include "base/fault.h"
#include "gang/task_book.h"
#include "os/stack.h"
#include "pool/newborn.h"
#include "pool/zygote.h"
#include "workers/worker_task.h"
#include "workers/workers.h"

namespace protium {

namespace {

// Runs tasks on the main thread, while a second one reads the channel and gives signs of life, so
// that a busy task never makes the process look silent. The main thread waits while LibTorch is
// loaded, between tasks.
class WorkerProcess {
 public:
  WorkerProcess(std::shared_ptr<Link> link, TaskBook& book) : link_(std::move(link)), book_(book) {}

  int Run();

 private:
  [[noreturn]] void Listen();
  [[noreturn]] void AwaitNotice();
  void HandleFrame(Frame frame);
  void Begin(Frame frame);
  void Queue(std::function<void()> job);
  Deadline Beat();

  const std::shared_ptr<Link> link_;
  const pid_t worker_ = ::gettid();  // The main thread.
  // Used by the main thread; outlives the process.
  TaskBook& book_;
  // Used by the listening thread.
  Deadline next_beat_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // For the main thread; guarded by mutex_, as is current_.
  std::deque<std::function<void()>> jobs_;
  std::shared_ptr<WorkerTask> current_;
};

int WorkerProcess::Run() {
  PrepareStacks();
  // Blocked before other threads exist, which would end the process on the signal.
  sigset_t notice;
  sigemptyset(&notice);
  sigaddset(&notice, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &notice, nullptr);
  const Status ready = link_->Send({{"type", "ready"}, {"version", kProtocolVersion}});
  if (!ready.ok()) return static_cast<int>(Exit::kEnvironment);
  const std::jthread listener([this] { Listen(); });
  const std::jthread noticing([this] { AwaitNotice(); });
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

// Ends the process when the driver is gone, without cleaning up: nothing here outlives the process,
// and the task may be anywhere.
void WorkerProcess::Listen() {
  for (;;) {
    auto frame = link_->Receive(Beat());
    if (frame.ok() && !*frame) ::_exit(0);
    if (frame.ok()) {
      HandleFrame(std::move(**frame));
    } else if (FaultOf(frame.status()).exit != Exit::kStalled) {
      ::_exit(static_cast<int>(Exit::kEnvironment));
    }
  }
}

// SIGTERM ends the process, as usual, unless it belongs to an elastic gang: then the gang goes on
// without it after some step, and a second SIGTERM ends it.
void WorkerProcess::AwaitNotice() {
  sigset_t notice;
  sigemptyset(&notice);
  sigaddset(&notice, SIGTERM);
  for (int times = 1;; ++times) {
    int signal = 0;
    while (::sigwait(&notice, &signal) != 0) continue;
    std::shared_ptr<WorkerTask> current;
    {
      std::lock_guard lock(mutex_);
      current = current_;
    }
    if (current && current->bends() && times == 1) {
      (void)link_->Send({{"type", "notice"}, {"task", current->number()}});
      continue;
    }
    ::signal(SIGTERM, SIG_DFL);
    ::pthread_sigmask(SIG_UNBLOCK, &notice, nullptr);
    ::raise(SIGTERM);
  }
}

// Sends a beat if it is time for one; returns when the next is due.
Deadline WorkerProcess::Beat() {
  std::shared_ptr<WorkerTask> current;
  {
    std::lock_guard lock(mutex_);
    current = current_;
  }
  const auto now = Clock::now();
  if (!current) return now + std::chrono::seconds(1);
  if (now < next_beat_) return next_beat_;
  (void)link_->Send(
      {{"type", "beat"}, {"task", current->number()}, {"doing", FieldsToJson(current->Look())}});
  return next_beat_ = now + current->beat();
}

void WorkerProcess::Queue(std::function<void()> job) {
  std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();
}

void WorkerProcess::HandleFrame(Frame frame) {
  if (frame.type == "task") return Begin(std::move(frame));
  if (frame.type == "load") {
    return Queue([this] {
      (void)link_->Send({{"type", "loaded"}, {"error", StatusToJson(book_.LoadAhead())}});
    });
  }
  std::shared_ptr<WorkerTask> current;
  {
    std::lock_guard lock(mutex_);
    current = current_;
  }
  const auto number = RequireWhole(frame.head, "task");
  if (!current || !number.ok() || *number != current->number()) return;
  if (frame.type == "where") return WriteStack(worker_);
  current->HandleFrame(std::move(frame));
}

// The task must exist before the next message is read, which may be a batch for it.
void WorkerProcess::Begin(Frame frame) {
  const Json head = frame.head;
  auto made = WorkerTask::Make(link_, std::move(frame));
  if (!made.ok()) {
    (void)WorkerTask::Refuse(*link_, head, made.status());
    return;
  }
  {
    std::lock_guard lock(mutex_);
    current_ = *made;
  }
  Queue([this, task = std::move(*made)] {
    (void)task->Run(book_.Find(task->name(), task->torch()));
    std::lock_guard lock(mutex_);
    if (current_ == task) current_.reset();
  });
}

// What a worker would load is loaded already in those that the zygote forks.
int RunZygote(TaskBook& book) {
  const Status loaded = ZygoteWantsTorch() ? book.LoadAhead() : Status::OK();
  return ZygoteMain(loaded, [&](Channel channel) {
    const auto link = std::make_shared<Link>(std::move(channel));
    // Its driver is gone, or was never there: the pool keeps it ready for one.
    if (!Become(*link).ok()) return 0;
    return WorkerProcess(link, book).Run();
  });
}

}  // namespace

bool IsWorker() { return std::getenv(kWorkerVariable) != nullptr || IsZygote(); }

int WorkerMain(const TaskTable& tasks, const std::function<Result<TaskTable>()>& more) {
  TaskBook book(tasks, more);
  if (IsZygote()) return RunZygote(book);
  const char* number = std::getenv(kWorkerVariable);
  char* end = nullptr;
  const long fd = number != nullptr ? std::strtol(number, &end, 10) : -1;
  if (end == nullptr || *end != '\0' || fd < 3 || ::fcntl(static_cast<int>(fd), F_GETFD) < 0) {
    std::fprintf(stderr, "error: %s is for workers that a driver starts\n", kWorkerVariable);
    return static_cast<int>(Exit::kUsage);
  }
  // A program that a task starts is not a worker.
  ::unsetenv(kWorkerVariable);
  ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  // Only this process has the channel and the leases: a program that a task starts must not hold a
  // device.
  ::syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  const auto link = std::make_shared<Link>(Channel(UniqueFd(static_cast<int>(fd))));
  return WorkerProcess(link, book).Run();
}

}  // namespace protium
