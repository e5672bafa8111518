// SPDX-License-Identifier: Apache-2.0
#include "model/net_rows.h"

#include <arrow/record_batch.h>

#include "rows/rows.h"

namespace protium {
namespace {

ElementScale ScaleOf(const ScaledLabel& label) {
  return {label.mean, label.deviation, label.log1p};
}

}  // namespace

RowSchema NetRows(const NetConfig& config, const std::vector<ScaledNumber>& scaled,
                  const std::string& weight, bool labels, bool missing, const std::string& group) {
  RowColumns columns{
      .numeric = config.numeric, .weight = weight, .group = group, .missing = missing};
  for (const ScaledNumber& each : scaled) {
    columns.scaled.push_back({each.column, each.from, {each.mean, each.deviation}});
  }
  for (const CategoricalColumn& each : config.categorical) {
    (each.cardinality == kAnyId ? columns.ids : columns.categories).push_back(each.column);
  }
  for (const ListInput& each : config.lists) columns.lists.push_back({each.column, each.length});
  const bool classes = OfClasses(config.objective.kind);
  if (labels && classes) columns.class_label = kClassColumn;
  for (const ScaledLabel& each : config.objective.labels) {
    if (labels && !classes) columns.labels.push_back({each.column, ScaleOf(each)});
  }
  return MakeRowSchema(columns);
}

std::vector<int64_t> Cardinalities(const NetConfig& config) {
  std::vector<int64_t> all;
  for (const CategoricalColumn& each : config.categorical) {
    if (each.cardinality != kAnyId) all.push_back(each.cardinality);
  }
  return all;
}

Target MakeTarget(const Objective& objective) {
  Target target{.kind = objective.kind,
                .logarithmic = objective.logarithmic,
                .levels = objective.levels,
                .classes = int64_t(objective.classes.size()),
                .decision = objective.decision};
  for (const ScaledLabel& each : objective.labels) target.labels.push_back(ScaleOf(each));
  return target;
}

Status ForPackedRows(const RowSchema& schema, std::span<const int64_t> cardinalities,
                     const arrow::RecordBatch& batch,
                     const std::function<Status(const PackedRows& block)>& visit) {
  // The budget is exactly this batch.
  PT_LET(const auto packer,
         Packer::Make(schema, batch.schema(), batch.num_rows() * schema.width()));
  PT_TRY(packer->Append(batch));
  const auto scan = packer->store().Scan({0, packer->rows()});
  for (int64_t at = 0; at < packer->rows();) {
    PT_LET(const auto bytes, scan->Next(packer->rows()));
    const PackedRows block(schema, bytes.data(), int64_t(bytes.size()) / schema.width());
    PT_TRY(CheckCategories(block, cardinalities));
    PT_TRY(visit(block));
    at += block.size();
  }
  return Status::OK();
}

}  // namespace protium
