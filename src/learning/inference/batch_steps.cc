// SPDX-License-Identifier: Apache-2.0
#include "inference/batch_steps.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// The fault for steps that need more than the given rows.
Status Refuse() {
  return Fail({.exit = Exit::kUsage,
               .what = "this model has stages that the calling process does not compute",
               .fix = "score tables with it: protium predict, or Transform()"});
}

bool IsRowByRow(const Verb& verb) {
  const auto* const sql = std::get_if<Sql>(&verb);
  return std::holds_alternative<Project>(verb) || std::holds_alternative<Lookup>(verb) ||
         (sql != nullptr && sql->names.size() == 1);
}

}  // namespace

Result<std::shared_ptr<const RowQuery>> LazyRowQueries::Prepare(const std::vector<Verb>& steps,
                                                                const SchemaPtr& columns) {
  PT_LET(RowQueries* const queries, Opened());
  return queries->Prepare(steps, columns);
}

Result<RowQueries*> LazyRowQueries::Opened() {
  const std::lock_guard lock(mutex_);
  if (queries_ == nullptr) {
    PT_LET(queries_, OpenRowQueries("a stage that only an engine computes"));
  }
  return queries_.get();
}

Result<BatchSteps> BatchSteps::Make(const Plan& plan, const SchemaPtr& input,
                                    LazyRowQueries& queries) {
  PT_TRY(FirstError(plan));
  std::vector<const Node*> nodes;
  const Node* node = plan.get();
  for (; node->inputs.size() == 1; node = node->inputs.front().get()) nodes.push_back(node);
  BatchSteps steps;
  steps.schema_ = input;
  if (!node->inputs.empty()) return Refuse();
  std::reverse(nodes.begin(), nodes.end());
  for (const Node* each : nodes) PT_TRY(steps.Add(each->verb, queries));
  PT_TRY(steps.Flush(queries));
  return steps;
}

Status BatchSteps::Add(const Verb& verb, LazyRowQueries& queries) {
  if (const auto* task = std::get_if<MapTask>(&verb); task != nullptr && task->task == "stages") {
    PT_TRY(Flush(queries));
    PT_LET(BatchStages stages, BatchStages::Make(task->config, task->output));
    parts_.emplace_back(std::move(stages));
    schema_ = task->output;
    return Status::OK();
  }
  if (!IsRowByRow(verb)) return Refuse();
  if (waiting_.empty()) {
    const bool follows = !parts_.empty() && std::holds_alternative<RowSteps>(parts_.back());
    RowSteps fresh(schema_);
    RowSteps& steps = follows ? std::get<RowSteps>(parts_.back()) : fresh;
    if (steps.Add(verb)) {
      schema_ = steps.schema();
      if (!follows) parts_.emplace_back(std::move(fresh));
      return Status::OK();
    }
  }
  waiting_.push_back(verb);
  return Status::OK();
}

Status BatchSteps::Flush(LazyRowQueries& queries) {
  if (waiting_.empty()) return Status::OK();
  PT_LET(std::shared_ptr<const RowQuery> query, queries.Prepare(waiting_, schema_));
  waiting_.clear();
  schema_ = query->schema();
  parts_.emplace_back(std::move(query));
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchSteps::Apply(
    std::shared_ptr<arrow::RecordBatch> batch) const {
  for (const auto& part : parts_) {
    if (const auto* steps = std::get_if<RowSteps>(&part)) {
      PT_LET(batch, steps->Apply(std::move(batch)));
    } else if (const auto* stages = std::get_if<BatchStages>(&part)) {
      PT_LET(batch, stages->Apply(*batch));
    } else {
      PT_LET(batch, std::get<std::shared_ptr<const RowQuery>>(part)->Apply(*batch));
    }
  }
  return batch;
}

}  // namespace protium
