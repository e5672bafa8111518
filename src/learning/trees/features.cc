// SPDX-License-Identifier: Apache-2.0
#include "trees/features.h"

#include <limits>

namespace protium {
namespace {

int64_t Elements(const RowSchema& schema, std::string_view field) {
  const RowField* const found = schema.Find(field);
  return found == nullptr ? 0 : found->elements();
}

float FromCode(int32_t code) {
  return code < 0 ? std::numeric_limits<float>::quiet_NaN() : float(code);
}

}  // namespace

int64_t CountFeatures(const RowSchema& schema) {
  return Elements(schema, kNumericField) + Elements(schema, kCategoriesField);
}

void CopyFeatures(const PackedRows& rows, std::span<float> out) {
  const int64_t numbers = Elements(rows.schema(), kNumericField);
  const int64_t codes = Elements(rows.schema(), kCategoriesField);
  const FieldRows<float> numeric = rows.floats(kNumericField);
  const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
  float* at = out.data();
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (numbers > 0) at = std::copy_n(numeric.at(i), numbers, at);
    for (int64_t c = 0; c < codes; ++c) *at++ = FromCode(categories.at(i)[c]);
  }
}

void CopyFeature(const PackedRows& rows, int64_t column, std::span<float> out) {
  const int64_t numbers = Elements(rows.schema(), kNumericField);
  if (column < numbers) {
    const FieldRows<float> numeric = rows.floats(kNumericField);
    for (int64_t i = 0; i < rows.size(); ++i) out[size_t(i)] = numeric.at(i)[column];
    return;
  }
  const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    out[size_t(i)] = FromCode(categories.at(i)[column - numbers]);
  }
}

Status ForOwnRows(const ShardedRows& rows, const std::function<Status(const PackedRows&)>& visit) {
  constexpr int64_t kBlockRows = 1024;
  for (int32_t shard = rows.own().begin; shard < rows.own().end; ++shard) {
    const auto scan = rows.Scan(shard);
    while (true) {
      PT_LET(const auto block, scan->Next(kBlockRows));
      if (block.empty()) break;
      const int64_t count = int64_t(block.size()) / rows.schema().width();
      PT_TRY(visit(PackedRows(rows.schema(), block.data(), count)));
    }
  }
  return Status::OK();
}

int64_t CountOwnRows(const ShardedRows& rows) {
  int64_t count = 0;
  for (int32_t shard = rows.own().begin; shard < rows.own().end; ++shard) {
    count += rows.rows(shard);
  }
  return count;
}

}  // namespace protium
