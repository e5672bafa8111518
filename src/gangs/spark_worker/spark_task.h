// SPDX-License-Identifier: Apache-2.0
// One task of a Spark stage: its context, and how it ends.
//
// Run() prepares (events, gang's facts, log, watch, input), calls the task, and reads the rest of
// its input. After that EndOutput() writes the output's end, and Leave() leaves the gang. A stop,
// from whichever side, requests stop() and makes reads from the executor fail.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gang/doing.h"
#include "gang/failure.h"
#include "gang/task.h"
#include "plan/row_steps.h"
#include "spark_worker/command.h"
#include "spark_worker/event_file.h"
#include "spark_worker/lease_member.h"
#include "spark_worker/lease_talk.h"
#include "spark_worker/rank_beats.h"
#include "spark_worker/rank_signs.h"
#include "spark_worker/row_sums.h"
#include "spark_worker/rows_file.h"
#include "spark_worker/task_init.h"
#include "spark_worker/task_transit.h"
#include "spark_worker/task_watch.h"
#include "spark_worker/wire.h"
#include "spark_worker/wire_input.h"
#include "spark_worker/wire_output.h"

namespace protium {

class SparkTask : public TaskContext, private BatchStream {
 public:
  // `wire` and `init` must outlive the task. `transit` is the command's; nullptr: it has none.
  SparkTask(ExecutorWire& wire, const TaskInit& init, SparkCommand command,
            std::unique_ptr<TaskTransit> transit);

  // Runs `task` to its end and reads the rest of its input; `signals` asks it to stop. When this
  // returns, all its rows have been sent, but not the end of their stream. Catches exceptions. One
  // thread.
  Status Run(const Result<Task>& task, std::stop_token signals);
  // Ends the stream of rows if one was begun, even if the task failed: otherwise the JVM would read
  // the error's text as an Arrow message.
  Status EndOutput() { return output_.Close(); }
  // Leaves the gang's communicator. With an error, the other ranks get it too instead of waiting
  // for their deadline.
  void Leave(const Status& status);

  int32_t rank() const override { return rank_; }
  int32_t world() const override { return world_; }
  // The driver's number for a gang, Spark's own for a task without one.
  int32_t attempt() const override { return command_.gang ? command_.attempt : init_.attempt; }
  const std::string& host() const override { return place_.host; }
  const std::vector<Device>& devices() const override { return place_.devices; }
  const std::string& config() const override { return command_.config; }
  const Columns& groups() const override { return command_.groups; }
  BatchStream& input() override { return *this; }
  const SchemaPtr& output_schema() const override { return output_.schema(); }
  Status Emit(const arrow::RecordBatch& batch) override;
  Result<Communicator*> communicator() override;
  GangMembership* membership() override;
  void Send(const Json& event) override {
    events_->Write({{"type", "event"}, {"event", transit_ ? transit_->ForDriver(event) : event}});
  }
  void Saved() override { events_->Write({{"type", "saved"}}); }
  void SetPhase(const char* phase) override { doing_.SetPhase(phase); }
  std::stop_token stop() const override { return stop_.get_token(); }

 private:
  Status Prepare(std::stop_token signals);
  Status StartWatch(std::stop_token signals);
  void StartBeats();
  // In a lease: waits for a place. Returns false if the task is not needed.
  Result<bool> TakePlace(std::stop_token signals);
  Status CheckGang() const;
  Status OpenInput();
  Status Call(const Task& task);
  Status SkipInput();
  void ReportStart();
  std::string LogForDriver() const;
  Status EmitHere(const arrow::RecordBatch& batch) {
    return kept_ ? kept_->Emit(batch) : output_.Emit(batch);
  }
  std::unique_ptr<RankSigns> GiveSigns();
  void ReportEnd(const Status& status);
  const SchemaPtr& schema() const override { return steps_ ? steps_->schema() : source_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;
  Result<std::shared_ptr<arrow::RecordBatch>> Receive();

  ExecutorWire& wire_;
  const TaskInit& init_;
  const SparkCommand command_;
  // Before all that writes into the run folder.
  const std::unique_ptr<TaskTransit> transit_;
  RankFailure place_;
  int32_t rank_;
  int32_t world_;
  bool needed_ = true;  // False: its lease has no place for it, and its task is not run.
  std::stop_source stop_;
  Doing doing_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<RankBeats> beats_;  // Of a gang's rank.
  // Rows of files; unset if the rows come through Spark.
  std::unique_ptr<BatchStream> rows_;
  // Makes the task's rows from those in the files.
  std::optional<RowSteps> steps_;
  // What Spark sends; has no rows if the rows are in files.
  std::unique_ptr<WireInput> sent_;
  BatchStream* source_ = nullptr;
  // Sums of the rows that a gang's rank read through Spark.
  RowSums read_;
  // The task has seen the end of its input, which came through Spark.
  bool read_all_ = false;
  WireOutput output_;
  std::optional<RowsFileWriter> kept_;  // Of a lease: what it emits.
  std::unique_ptr<TaskWatch> watch_;
  std::unique_ptr<RankSigns> signs_;  // For a barrier stage, until the ranks have met.
  std::unique_ptr<Communicator> ranks_;
  std::unique_ptr<LeaseMember> member_;  // For a lease; before `talk_`, which calls it.
  std::unique_ptr<LeaseTalk> talk_;
  std::optional<std::stop_callback<std::function<void()>>> on_notice_;
  std::stop_source mute_;  // Requested when its events cannot be written any more.
  std::optional<std::stop_callback<std::function<void()>>> on_mute_;
};

}  // namespace protium
