// SPDX-License-Identifier: Apache-2.0
// One task of a Spark stage: what it sees of the world, and how it ends.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gang/failure.h"
#include "gang/task.h"
#include "plan/row_steps.h"
#include "spark/ship/command.h"
#include "spark/ship/row_sums.h"
#include "spark/worker/event_file.h"
#include "spark/worker/task_init.h"
#include "spark/worker/task_watch.h"
#include "spark/worker/wire.h"
#include "spark/worker/wire_input.h"
#include "spark/worker/wire_output.h"

namespace protium {

class SparkTask : public TaskContext, private BatchStream {
 public:
  // Both outlive the task.
  SparkTask(ExecutorWire& wire, const TaskInit& init, SparkCommand command);

  // Runs `task` to its end and reads what it left of its input; `signals` asks it to stop. Its
  // rows are on their way when this returns, but for their end. Exceptions end here.
  Status Run(const Result<Task>& task, std::stop_token signals);
  // Ends the stream of rows, if one was begun.
  Status EndOutput() { return output_.Close(); }
  // Ends the gang's conversation: with `status`, if it is an error, for the other ranks too.
  void Leave(const Status& status);

  int32_t rank() const override { return init_.partition; }
  int32_t world() const override { return command_.world; }
  int32_t attempt() const override { return command_.gang ? command_.attempt : init_.attempt; }
  const std::string& host() const override { return place_.host; }
  const std::vector<Device>& devices() const override { return place_.devices; }
  const std::string& config() const override { return command_.config; }
  BatchStream& input() override { return *this; }
  const SchemaPtr& output_schema() const override { return output_.schema(); }
  Status Emit(const arrow::RecordBatch& batch) override { return output_.Emit(batch); }
  Result<Communicator*> communicator() override;
  void Report(const Json& event) override { events_->Write(event); }
  std::stop_token stop() const override { return stop_.get_token(); }

 private:
  Status Prepare(std::stop_token signals);
  Status CheckGang() const;
  Status OpenInput();
  Status Call(const Task& task);
  Status SkipInput();
  void ReportStart();
  void ReportEnd(const Status& status);
  const SchemaPtr& schema() const override { return steps_ ? steps_->schema() : source_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;

  ExecutorWire& wire_;
  const TaskInit& init_;
  const SparkCommand command_;
  const RankFailure place_;
  std::stop_source stop_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<BatchStream> rows_;  // Of files; unset: the rows are those of sent_.
  std::optional<RowSteps> steps_;      // What becomes of them.
  std::unique_ptr<WireInput> sent_;
  BatchStream* source_ = nullptr;
  RowSums read_;
  bool read_all_ = false;  // The task has seen the end of its input.
  WireOutput output_;
  std::unique_ptr<TaskWatch> watch_;
  std::unique_ptr<Communicator> ranks_;
};

}  // namespace protium
