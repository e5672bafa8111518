// SPDX-License-Identifier: Apache-2.0
// Combines the responses of an operation: rows, progress, observed values.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "column/stream.h"
#include "connect/execution.h"
#include "connect/session.h"

namespace protium::connect {

// Handles what comes beside the rows: reports progress and the plan's figures to the call, stores
// observed values. One thread.
class Alongside {
 public:
  Alongside(const ExecuteOptions& options, std::string operation, Call call)
      : name_(options.name),
        observed_(options.observed),
        more_(options.more),
        operation_(std::move(operation)),
        call_(std::move(call)) {}
  Status Take(const proto::ExecutePlanResponse& response);
  // Called at the end of a write, for which the server sends no figures.
  void ReportWrite() { ReportPlan(Json::array()); }

 private:
  void ReportPlan(Json operators);
  void ReportProgress(const proto::ExecutePlanResponse::ExecutionProgress& progress);

  const std::string name_;
  const std::shared_ptr<ObservedMetrics> observed_;
  const TellMore more_;
  const std::string operation_;  // Its id.
  const Call call_;
  const Clock::time_point since_ = Clock::now();
  double percent_ = 0;  // Never falls.
};

// Reads batches from an execution, in order. Checks that each row comes exactly once: batches must
// follow each other without gap or overlap, and must have the announced number of rows and columns.
// Anything else is an error, except that whole batches that came before are skipped. One thread.
class ResultStream : public BatchStream {
 public:
  ResultStream(std::unique_ptr<Execution> execution, Alongside alongside, std::string name,
               std::string zone)
      : execution_(std::move(execution)),
        alongside_(std::move(alongside)),
        name_(std::move(name)),
        zone_(std::move(zone)) {}

  // Reads until the schema is known; call it once, before Next().
  Status Start();
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override;

 private:
  Result<bool> ReadResponse();
  Status TakeBatch(proto::ExecutePlanResponse::ArrowBatch* batch);
  Status JoinChunks(proto::ExecutePlanResponse::ArrowBatch* batch, bool& whole);
  Status CheckOffset(const proto::ExecutePlanResponse::ArrowBatch& batch, bool& seen) const;
  Status Decode(std::string bytes, int64_t rows);
  Status TakeSchema(const SchemaPtr& schema);

  std::unique_ptr<Execution> execution_;
  Alongside alongside_;
  const std::string name_;
  const std::string zone_;
  SchemaPtr schema_;
  int64_t rows_ = 0;    // Received in complete batches.
  std::string chunks_;  // The bytes of an incomplete batch.
  // Index of the next chunk of the batch.
  int64_t chunk_ = 0;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;  // Decoded, not returned yet.
};

// Returns an observed value as JSON: decimals and binary as text, dates as days, timestamps as
// microseconds since 1970; null for an unknown type.
Json LiteralToJson(const proto::Expression::Literal& literal);

}  // namespace protium::connect
