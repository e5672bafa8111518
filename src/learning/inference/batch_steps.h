// SPDX-License-Identifier: Apache-2.0
// What engines and workers do to rows before a net, done batch by batch in the calling process: the
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

// The embedded engine's queries, whose library is opened when the first is needed. Any thread.
class LazyRowQueries {
 public:
  Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                  const SchemaPtr& columns);

 private:
  std::mutex mutex_;
  std::unique_ptr<RowQueries> queries_;
};

// Immutable: any thread.
class BatchSteps {
 public:
  // Of a plan over one table, whose columns are `input`. What needs workers of an engine is a fault
  // of Exit::kUsage.
  static Result<BatchSteps> Make(const Plan& plan, const SchemaPtr& input, LazyRowQueries& queries);

  const SchemaPtr& schema() const { return schema_; }  // Of what Apply() gives.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

 private:
  Status Add(const Verb& verb, LazyRowQueries& queries);
  // Makes a query of the steps that wait for others.
  Status Flush(LazyRowQueries& queries);

  std::vector<std::variant<RowSteps, BatchStages, std::shared_ptr<const RowQuery>>> parts_;
  // From the first one that only an engine computes, up to the next stage of workers: as in a table
  // that an engine scores these are one query, between whose steps no type is changed.
  std::vector<Verb> waiting_;
  SchemaPtr schema_;
};

}  // namespace protium
