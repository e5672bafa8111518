// SPDX-License-Identifier: Apache-2.0
#include "inference/batch_steps.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "plan/functions.h"
#include "plan/row_values.h"

namespace protium {
namespace {

constexpr size_t kMostText = 200;  // Of an expression, in a message.

std::string Shortened(std::string text) {
  if (text.size() > kMostText) text = text.substr(0, kMostText) + "...";
  return text;
}

// What of a step an engine has to compute.
std::string Beyond(const Verb& verb, const arrow::Schema& columns) {
  if (const auto* lookup = std::get_if<Lookup>(&verb)) {
    const auto field = columns.GetFieldByName(lookup->column);
    return fmt::format("the positions of {} ({})", lookup->column,
                       field == nullptr ? "no such column" : field->type()->ToString());
  }
  if (const auto* sql = std::get_if<Sql>(&verb)) return "SQL: " + Shortened(sql->text);
  if (const auto* project = std::get_if<Project>(&verb)) {
    for (const NamedExpr& each : project->columns) {
      if (each.expr.kind == Expr::Kind::kColumn || InferKind(each.expr, columns)) continue;
      return fmt::format("{} = {}", each.name, Shortened(ToText(each.expr)));
    }
  }
  return "a step of the pipeline";
}

Status Refuse(const Verb& verb, const arrow::Schema& columns) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("this model has stages that only an engine computes, not the "
                                   "calling process: {}",
                                   Beyond(verb, columns)),
               .fix = "score tables with it: protium predict, or Transform()"});
}

}  // namespace

Result<BatchSteps> BatchSteps::Make(const Plan& plan, const SchemaPtr& input) {
  PT_TRY(FirstError(plan));
  std::vector<const Node*> nodes;
  const Node* node = plan.get();
  for (; node->inputs.size() == 1; node = node->inputs.front().get()) nodes.push_back(node);
  BatchSteps steps;
  steps.schema_ = input;
  if (!node->inputs.empty()) return Refuse(node->verb, *input);
  std::reverse(nodes.begin(), nodes.end());
  for (const Node* each : nodes) PT_TRY(steps.Add(each->verb));
  return steps;
}

Status BatchSteps::Add(const Verb& verb) {
  if (const auto* task = std::get_if<MapTask>(&verb); task != nullptr && task->task == "stages") {
    PT_LET(BatchStages stages, BatchStages::Make(task->config, task->output));
    parts_.emplace_back(std::move(stages));
    schema_ = task->output;
    return Status::OK();
  }
  if (parts_.empty() || !std::holds_alternative<RowSteps>(parts_.back())) {
    parts_.emplace_back(RowSteps(schema_));
  }
  auto& steps = std::get<RowSteps>(parts_.back());
  if (!steps.Add(verb)) return Refuse(verb, *schema_);
  schema_ = steps.schema();
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchSteps::Apply(
    std::shared_ptr<arrow::RecordBatch> batch) const {
  for (const auto& part : parts_) {
    if (const auto* steps = std::get_if<RowSteps>(&part)) {
      PT_LET(batch, steps->Apply(std::move(batch)));
    } else {
      PT_LET(batch, std::get<BatchStages>(part).Apply(*batch));
    }
  }
  return batch;
}

}  // namespace protium
