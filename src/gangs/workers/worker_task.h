// SPDX-License-Identifier: Apache-2.0
// One task in a worker process: what the driver sends it, and what it sends back. Two threads use
// it: the one that reads the channel calls HandleFrame() for every message; the main one runs the
// task and waits in Next() and Emit() for messages. A stop ends both waits; if the driver is gone,
// the whole process ends (workers/worker_main.cc).
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "gang/doing.h"
#include "gang/task.h"
#include "workers/protocol.h"
#include "workers/slots.h"
#include "workers/worker_membership.h"

namespace protium {

// Made from a "task" frame.
class WorkerTask : public TaskContext, private BatchStream {
 public:
  static Result<std::shared_ptr<WorkerTask>> Make(std::shared_ptr<Link> link, Frame frame);
  // Sends "done" with the reason why a task could not be made.
  static Status Refuse(Link& link, const Json& head, const Status& why);

  int64_t number() const { return number_; }
  const std::string& name() const { return name_; }
  bool torch() const { return torch_; }  // It runs in the LibTorch library.
  std::chrono::milliseconds beat() const { return beat_; }
  // A message about this task: batch, end, taken, free, call, parts or stop.
  void HandleFrame(Frame frame);
  // Runs `task` (or fails with its status) on the calling thread and sends "done". Catches
  // exceptions. Call once. Returns only errors of sending.
  Status Run(Result<Task> task);

  int32_t rank() const override { return rank_; }
  int32_t world() const override { return world_; }
  int32_t attempt() const override { return attempt_; }
  const std::string& host() const override { return host_; }
  const std::vector<Device>& devices() const override { return devices_; }
  const std::string& config() const override { return config_; }
  const Columns& groups() const override { return groups_; }
  BatchStream& input() override { return *this; }
  const SchemaPtr& output_schema() const override { return output_schema_; }
  // Waits while kWindow emitted batches are not taken. A batch of another schema than the plan's is
  // an error (kBug).
  Status Emit(const arrow::RecordBatch& batch) override;
  // An error without a gang. Valid while the task runs.
  Result<Communicator*> communicator() override;
  bool bends() const { return bends_; }  // Any thread.
  // What the task is doing. Any thread.
  TaskSight Look() const { return doing_.Look(); }
  void SetPhase(const char* phase) override { doing_.SetPhase(phase); }
  GangMembership* membership() override { return membership_.get(); }
  void Send(const Json& event) override;
  void Saved() override { (void)link_->Send(Head("saved")); }
  std::stop_token stop() const override { return stop_.get_token(); }

 private:
  explicit WorkerTask(std::shared_ptr<Link> link) : link_(std::move(link)) {}
  Status Read(Frame frame);
  Status ReadGang(Frame& frame);
  Status MakeRanks();
  const SchemaPtr& schema() const override { return input_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;
  Status Call(const Task& task);
  Json Head(const char* type) const;
  void ReleaseAll();

  const std::shared_ptr<Link> link_;
  int64_t number_ = 0;
  std::string name_;
  bool torch_ = false;
  std::string config_;
  Columns groups_;
  int32_t rank_ = 0;
  int32_t world_ = 1;
  int32_t attempt_ = 0;
  std::string host_;
  std::vector<Device> devices_;
  bool gang_ = false;
  bool bends_ = false;
  std::chrono::milliseconds deadline_{60'000};
  std::chrono::milliseconds beat_{1'000};
  UniqueFd log_;
  std::vector<UniqueFd> peers_;
  Doing doing_;  // Before the ranks, whose calls it marks.
  std::unique_ptr<Communicator> ranks_;
  std::unique_ptr<WorkerMembership> membership_;  // Of an elastic gang.
  SchemaPtr output_schema_;
  std::unique_ptr<SlotReader> input_;
  SlotWriter output_;
  std::stop_source stop_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_: batches that the task has not read, and whether more may come.
  std::deque<Frame> batches_;
  bool ended_ = false;
};

}  // namespace protium
