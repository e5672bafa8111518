// SPDX-License-Identifier: Apache-2.0
// A TaskContext without worker processes, for tests and benchmarks: ranks are threads of one
// process, input is a list of batches, and what a rank emits and reports is collected for the test.
#pragma once

#include <arrow/record_batch.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gang/task.h"

namespace protium {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

class BatchList : public BatchStream {
 public:
  BatchList(SchemaPtr schema, Batches batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    return next_ < batches_.size() ? batches_[next_++] : nullptr;
  }

 private:
  SchemaPtr schema_;
  Batches batches_;
  size_t next_ = 0;
};

// What the ranks of one test share; guarded by `mutex`, except `stop` and `on_phase`. `on_event` is
// called with the mutex held, `on_phase` without, from each rank's thread.
struct RankReports {
  std::mutex mutex;
  std::vector<Json> events;
  Batches emitted;
  std::stop_source stop;
  std::function<void(const Json&)> on_event;
  std::function<void(int32_t rank, std::string_view phase)> on_phase;
};

// One rank. Without a communicator it is a task outside a gang, rank 0 in a world of 1. The
// communicator and the reports are borrowed.
class RankContext : public TaskContext {
 public:
  RankContext(Communicator* communicator, std::string config, SchemaPtr schema, Batches input,
              RankReports& reports)
      : communicator_(communicator),
        config_(std::move(config)),
        input_(std::move(schema), std::move(input)),
        reports_(reports) {}

  int32_t rank() const override { return communicator_ ? communicator_->rank() : 0; }
  int32_t world() const override { return communicator_ ? communicator_->world() : 1; }
  int32_t attempt() const override { return 0; }
  const std::string& host() const override { return host_; }
  const std::vector<Device>& devices() const override { return devices_; }
  const std::string& config() const override { return config_; }
  BatchStream& input() override { return input_; }
  const SchemaPtr& output_schema() const override { return output_schema_; }
  void SetDevices(std::vector<Device> devices) { devices_ = std::move(devices); }
  void SetOutput(SchemaPtr schema) { output_schema_ = std::move(schema); }
  Status Emit(const arrow::RecordBatch& batch) override {
    const std::lock_guard lock(reports_.mutex);
    reports_.emitted.push_back(batch.Slice(0));
    return Status::OK();
  }
  Result<Communicator*> communicator() override {
    if (communicator_ == nullptr) return Status::Invalid("not in a gang");
    return communicator_;
  }
  void Send(const Json& event) override {
    const std::lock_guard lock(reports_.mutex);
    reports_.events.push_back(event);
    if (reports_.on_event) reports_.on_event(event);
  }
  void SetPhase(const char* phase) override {
    if (reports_.on_phase) reports_.on_phase(rank(), phase);
  }
  std::stop_token stop() const override { return reports_.stop.get_token(); }

 private:
  Communicator* communicator_;
  std::string config_;
  std::string host_ = "here";
  std::vector<Device> devices_;
  BatchList input_;
  SchemaPtr output_schema_ = arrow::schema({arrow::field("json", arrow::utf8())});  // For "train".
  RankReports& reports_;
};

}  // namespace protium
