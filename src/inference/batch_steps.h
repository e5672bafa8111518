// SPDX-License-Identifier: Apache-2.0
// What engines and workers do to rows before a net, done batch by batch in the calling process: the
// steps of plan/row_steps.h, and the stages that workers apply.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <variant>
#include <vector>

#include "learn/pipeline/batch_run.h"
#include "plan/node.h"
#include "plan/row_steps.h"

namespace protium {

// Immutable: any thread.
class BatchSteps {
 public:
  // Of a plan over one table, whose columns are `input`. What an engine has to compute is a fault
  // of Exit::kUsage that says it.
  static Result<BatchSteps> Make(const Plan& plan, const SchemaPtr& input);

  const SchemaPtr& schema() const { return schema_; }  // Of what Apply() gives.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

 private:
  Status Add(const Verb& verb);

  std::vector<std::variant<RowSteps, BatchStages>> parts_;
  SchemaPtr schema_;
};

}  // namespace protium
