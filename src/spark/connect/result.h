// SPDX-License-Identifier: Apache-2.0
// What the responses of an operation amount to: rows, progress, observed values.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "column/stream.h"
#include "spark/connect/execution.h"
#include "spark/connect/session.h"

namespace protium::connect {

// Takes in what comes along with rows: progress is told, observed values are kept.
class Alongside {
 public:
  Alongside(std::string name, std::shared_ptr<ObservedMetrics> observed, Call call)
      : name_(std::move(name)), observed_(std::move(observed)), call_(std::move(call)) {}
  Status Take(const proto::ExecutePlanResponse& response);
  void AddRows(int64_t rows) { rows_ += rows; }

 private:
  void TellProgress(const proto::ExecutePlanResponse::ExecutionProgress& progress);

  const std::string name_;
  const std::shared_ptr<ObservedMetrics> observed_;
  const Call call_;
  int64_t rows_ = 0;
  double percent_ = 0;  // Never told to go back.
};

// Reads batches out of an execution. Checks that each row comes exactly once.
class ResultStream : public BatchStream {
 public:
  ResultStream(std::unique_ptr<Execution> execution, Alongside alongside, std::string name,
               std::string zone)
      : execution_(std::move(execution)),
        alongside_(std::move(alongside)),
        name_(std::move(name)),
        zone_(std::move(zone)) {}

  // Reads until the schema is known.
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
  int64_t rows_ = 0;  // Received whole.
  std::string chunks_;
  int64_t chunk_ = 0;  // The next one's index.
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
};

// A literal as JSON; decimals and binary as text, days and microseconds as numbers.
Json LiteralToJson(const proto::Expression::Literal& literal);

}  // namespace protium::connect
