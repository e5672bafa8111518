// SPDX-License-Identifier: Apache-2.0
// Does what engines and workers do to rows before a net, batch by batch in the calling process: the
// steps of plan/row_steps.h, the stages that workers apply, and queries of the embedded engine for
// everything else.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "engine/row_queries.h"
#include "pipeline/batch_run.h"
#include "plan/node.h"
#include "plan/row_steps.h"

namespace protium {

// The embedded engine's queries; its library is opened for the first one. Any thread.
class LazyRowQueries {
 public:
  Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                  const SchemaPtr& columns);
  // What makes them; any thread may call it. Opens the library unless it is open.
  Result<RowQueries*> Opened();

 private:
  std::mutex mutex_;
  std::unique_ptr<RowQueries> queries_;
};

// Immutable: any thread.
class BatchSteps {
 public:
  // From a plan over one table, whose columns are `input`. Fails with Exit::kUsage for steps that
  // need workers of an engine.
  static Result<BatchSteps> Make(const Plan& plan, const SchemaPtr& input, LazyRowQueries& queries);

  const SchemaPtr& schema() const { return schema_; }  // Of the result of Apply().
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

 private:
  Status Add(const Verb& verb, LazyRowQueries& queries);
  // Turns the waiting steps into one query.
  Status Flush(LazyRowQueries& queries);

  std::vector<std::variant<RowSteps, BatchStages, std::shared_ptr<const RowQuery>>> parts_;
  // The steps from the first that only an engine computes up to the next stage of workers. They
  // become one query, as when an engine scores a table, so types do not change between them.
  std::vector<Verb> waiting_;
  SchemaPtr schema_;
};

}  // namespace protium
