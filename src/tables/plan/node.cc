// SPDX-License-Identifier: Apache-2.0
#include "plan/node.h"

#include <arrow/type.h>

#include <unordered_set>

#include "base/fault.h"

namespace protium {
namespace {

// Plans share nodes: each is visited once, so that a long chain of shared nodes takes linear time.
Status FindFirstError(const Plan& plan, std::unordered_set<const Node*>& seen) {
  if (plan == nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = "the frame is empty",
                 .why = "it was moved from, or never made"});
  }
  if (!seen.insert(plan.get()).second) return Status::OK();
  for (const Plan& input : plan->inputs) PT_TRY(FindFirstError(input, seen));
  const auto* broken = std::get_if<Broken>(&plan->verb);
  return broken == nullptr ? Status::OK() : broken->status;
}

}  // namespace

Plan MakePlan(Verb verb, std::vector<Plan> inputs) {
  return std::make_shared<const Node>(Node{std::move(verb), std::move(inputs)});
}

Status FirstError(const Plan& plan) {
  std::unordered_set<const Node*> seen;
  return FindFirstError(plan, seen);
}

SchemaPtr SchemaOfFiles(const Scan& scan) {
  if (scan.schema == nullptr || scan.partitions.columns == nullptr) return scan.schema;
  arrow::FieldVector fields = scan.schema->fields();
  fields.resize(fields.size() - static_cast<size_t>(scan.partitions.columns->num_fields()));
  return arrow::schema(std::move(fields));
}

}  // namespace protium
