// SPDX-License-Identifier: Apache-2.0
#include "spark/worker/spark_task.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/fault.h"
#include "spark/ship/event_tail.h"
#include "spark/worker/gathering.h"
#include "spark/worker/row_files.h"
#include "spark/worker/task_place.h"

namespace protium {

namespace {

Status Stopped() { return Fail({.exit = Exit::kStopped, .what = "the task was asked to stop"}); }

std::filesystem::path EventPath(const SparkCommand& command, const TaskInit& init) {
  if (command.events.empty()) return {};
  return std::filesystem::path(command.events) /
         EventFileName(init.partition, init.task_attempt_id);
}

}  // namespace

SparkTask::SparkTask(ExecutorWire& wire, const TaskInit& init, SparkCommand command)
    : wire_(wire),
      init_(init),
      command_(std::move(command)),
      place_(DescribeTask(init, command_)),
      output_(wire, command_.output, command_.task) {}

// Spark may run a stage again with only some of its tasks; the list of addresses in the job's
// properties has one for each task that it started.
Status SparkTask::CheckGang() const {
  if (command_.gang != init_.barrier) {
    return Fail({.exit = Exit::kBug,
                 .what = command_.gang ? "a gang's stage is no barrier stage"
                                       : "a task without a gang is in a barrier stage"});
  }
  if (!command_.gang) return Status::OK();
  const auto found = init_.properties.find("addresses");
  const auto ranks = found == init_.properties.end()
                         ? command_.world
                         : 1 + std::count(found->second.begin(), found->second.end(), ',');
  if (ranks == command_.world && init_.partition < command_.world) return Status::OK();
  return Fail(
      {.exit = Exit::kRemote,
       .what = fmt::format("Spark started {} of the gang's {} ranks", ranks, command_.world),
       .where = fmt::format("rank {}", init_.partition)});
}

// The stream from Spark is opened even if the rows are in files: then it has no rows of the task's,
// but its schema and end must be read.
Status SparkTask::OpenInput() {
  PT_LET(sent_, WireInput::Open(wire_));
  source_ = sent_.get();
  if (!command_.rows) return Status::OK();
  PT_LET(rows_, ReadRowFiles(*command_.rows,
                             {.rank = rank(), .world = world(), .threads = init_.cpus > 1}));
  source_ = rows_.get();
  PT_LET(steps_, RowSteps::FromJson(command_.rows->steps, rows_->schema()));
  return Status::OK();
}

Status SparkTask::Prepare(std::stop_token signals) {
  PT_LET(events_, EventFile::Make(EventPath(command_, init_)));
  PT_TRY(CheckGang());
  if (command_.gang && !command_.log.empty()) PT_TRY(RedirectLog(command_.log, rank()));
  WatchOptions watch{.signals = std::move(signals), .socket = wire_.fd()};
  if (!command_.events.empty())
    watch.stop_file = std::filesystem::path(command_.events) / kStopFile;
  if (command_.gang && !command_.events.empty())
    watch.driver_file = std::filesystem::path(command_.events) / kDriverFile;
  watch.on_stop = [this] {
    stop_.request_stop();
    wire_.Interrupt();
  };
  PT_LET(watch_, TaskWatch::Start(std::move(watch)));
  ReportStart();
  return OpenInput();
}

Result<std::shared_ptr<arrow::RecordBatch>> SparkTask::Next() {
  while (true) {
    if (stop_.stop_requested()) return Stopped();
    PT_LET(auto batch, source_->Next());
    // Readers of files know by themselves how many rows they must give; only a stream is summed.
    if (batch != nullptr && command_.gang && !command_.rows) read_ += SumRows(*batch);
    read_all_ = read_all_ || (batch == nullptr && !command_.rows);
    if (batch == nullptr || !steps_) return batch;
    PT_LET(batch, steps_->Apply(std::move(batch)));
    // Steps may leave nothing of a batch; tasks are not given empty ones.
    if (batch->num_rows() > 0) return batch;
  }
}

Result<Communicator*> SparkTask::communicator() {
  if (!command_.gang) {
    return Fail({.what = "task \"" + command_.task + "\" has no other ranks: it is not in a gang"});
  }
  if (ranks_) return ranks_.get();
  PT_LET(ranks_, JoinRanks(command_, rank(), init_.barrier_address, stop()));
  return ranks_.get();
}

Status SparkTask::Call(const Task& task) {
  try {
    return task(*this);
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory("task \"", command_.task, "\" ran out of memory");
  } catch (const std::exception& error) {
    return Status::UnknownError("task \"", command_.task, "\" threw: ", error.what());
  } catch (...) {
    return Status::UnknownError("task \"", command_.task,
                                "\" threw something that is no std::exception");
  }
}

// A task that ended well is not stopped any more. What it left unread must be read, since the next
// number from the executor comes after it.
Status SparkTask::SkipInput() {
  watch_.reset();
  wire_.Resume();
  return sent_->Skip();
}

void SparkTask::ReportStart() {
  if (!command_.gang) return;
  Json devices = Json::array();
  for (const Device& each : place_.devices) {
    devices.push_back({{"name", each.name}, {"address", each.address}});
  }
  Report({{"event", "rank_start"},
          {"rank", rank()},
          {"world", world()},
          {"host", host()},
          {"pid", ::getpid()},
          {"devices", devices},
          {"attempt", attempt()},
          {"log", place_.log.string()}});
}

void SparkTask::ReportEnd(const Status& status) {
  if (!command_.gang || !events_) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Json end = {{"event", "rank_end"},
              {"rank", rank()},
              {"status", StatusToJson(status)},
              {"at", now / std::chrono::nanoseconds(1)}};
  if (read_all_) end["read"] = ToJson(read_);
  Report(end);
}

Status SparkTask::Run(const Result<Task>& task, std::stop_token signals) {
  Status status = task.status();
  if (status.ok()) status = Prepare(std::move(signals));
  if (status.ok()) status = Call(*task);
  if (status.ok()) status = SkipInput();
  if (status.ok()) status = events_->status();
  watch_.reset();
  ReportEnd(status);
  return status;
}

void SparkTask::Leave(const Status& status) {
  if (ranks_ && !status.ok()) ranks_->Abort(status);
  ranks_.reset();
}

}  // namespace protium
