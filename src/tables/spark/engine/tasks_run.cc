// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/tasks_run.h"

#include <map>
#include <utility>

#include "base/fault.h"
#include "spark_worker/error_text.h"
#include "spark_worker/event_tail.h"

// Spark reports nothing about a running task except its rows, and nothing about tasks that it ran
// again. So events are files (spark_worker/event_tail.h), read when the operation has ended: only
// then is it known which attempt of each partition was the last.

namespace protium {
namespace {

// A stream that reopens itself while its first batch fails because an executor lacks a bundle.
class TasksStream : public BatchStream {
 public:
  TasksStream(std::function<Result<BatchStreamPtr>()> open, Deployment& deployment,
              EventFolders folders, const Call& call)
      : open_(std::move(open)),
        deployment_(deployment),
        folders_(std::move(folders)),
        call_(call) {}

  Status Open() {
    sends_ = deployment_.sends();
    PT_LET(stream_, open_());
    schema_ = stream_->schema();
    return Status::OK();
  }

  const SchemaPtr& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    // After rows were returned, another run would repeat them.
    auto batch = std::exchange(began_, true) ? stream_->Next() : First();
    if (batch.ok() && *batch == nullptr) PT_TRY(ReportEvents(std::exchange(folders_, {}), call_));
    return batch;
  }

 private:
  Result<std::shared_ptr<arrow::RecordBatch>> First() {
    while (true) {
      auto batch = stream_->Next();
      PT_LET(const bool again, deployment_.SendMissing(batch.status(), sends_, call_));
      if (!again) return batch;
      PT_TRY(Open());
    }
  }

  const std::function<Result<BatchStreamPtr>()> open_;
  Deployment& deployment_;
  EventFolders folders_;
  const Call call_;
  BatchStreamPtr stream_;
  SchemaPtr schema_;
  int64_t sends_ = 0;  // Of bundles, when the stream was opened.
  bool began_ = false;
};

}  // namespace

Status ReportEvents(const EventFolders& folders, const Call& call) {
  for (const TaskEvents& each : folders) {
    if (each.meeting) PT_TRY(each.meeting->Exchange());
    EventTail tail(each.folder);
    std::vector<TailedLine> events;
    while (true) {
      PT_LET(const auto more, tail.Read());
      if (more.empty()) break;
      events.insert(events.end(), more.begin(), more.end());
    }
    std::map<int32_t, int64_t> last;
    for (const TailedLine& each : events) {
      last[each.partition] = std::max(last[each.partition], each.task_attempt);
    }
    for (const TailedLine& each : events) {
      if (each.task_attempt == last[each.partition]) Forward(each, call);
    }
  }
  return Status::OK();
}

ExplainSparkError Explainer(std::string doing, std::string address) {
  return [doing = std::move(doing), address = std::move(address)](const SparkError& error) {
    // A worker's own text has rank, host and log; Spark's report of the same failure has none of
    // these.
    const std::string said = error.WorkerText();
    if (const auto failure = FailureFromWorkerText(said)) {
      return ReportFailure(std::span(&*failure, 1));
    }
    return Fail(connect::SparkFault(error, doing, address));
  };
}

Result<BatchStreamPtr> StreamWithTasks(std::function<Result<BatchStreamPtr>()> open,
                                       Deployment& deployment, EventFolders folders,
                                       const Call& call) {
  auto stream =
      std::make_unique<TasksStream>(std::move(open), deployment, std::move(folders), call);
  PT_TRY(stream->Open());
  return BatchStreamPtr(std::move(stream));
}

}  // namespace protium
