// SPDX-License-Identifier: Apache-2.0
#include "column/group_batches.h"

#include <arrow/api.h>

#include <cmath>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/schema.h"

namespace protium {
namespace {

using arrow::Array;
using KeyColumns = std::vector<std::shared_ptr<Array>>;

template <class ArrayType>
bool SameAt(const Array& a, int64_t i, const Array& b, int64_t j) {
  return static_cast<const ArrayType&>(a).GetView(i) == static_cast<const ArrayType&>(b).GetView(j);
}

// NaN forms a group like any other number.
template <class ArrayType>
bool SameNumberAt(const Array& a, int64_t i, const Array& b, int64_t j) {
  const auto x = static_cast<const ArrayType&>(a).Value(i);
  const auto y = static_cast<const ArrayType&>(b).Value(j);
  return x == y || (std::isnan(x) && std::isnan(y));
}

using Same = bool (*)(const Array&, int64_t, const Array&, int64_t);

// How values of a type are compared; nullptr for a type that cannot be compared.
Same ComparisonOf(arrow::Type::type type) {
  switch (type) {
    case arrow::Type::BOOL:
      return SameAt<arrow::BooleanArray>;
    case arrow::Type::INT32:
      return SameAt<arrow::Int32Array>;
    case arrow::Type::INT64:
      return SameAt<arrow::Int64Array>;
    case arrow::Type::DATE32:
      return SameAt<arrow::Date32Array>;
    case arrow::Type::TIMESTAMP:
      return SameAt<arrow::TimestampArray>;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return SameAt<arrow::BinaryArray>;
    case arrow::Type::DECIMAL128:
      return SameAt<arrow::FixedSizeBinaryArray>;
    case arrow::Type::FLOAT:
      return SameNumberAt<arrow::FloatArray>;
    case arrow::Type::DOUBLE:
      return SameNumberAt<arrow::DoubleArray>;
    default:
      return nullptr;
  }
}

// The key columns of a batch, and whether two rows agree in them.
class Keys {
 public:
  static Result<Keys> Of(const arrow::RecordBatch& batch, const std::vector<std::string>& names) {
    PT_TRY(CheckGroupKeys(*batch.schema(), names));
    Keys keys;
    for (const std::string& name : names) {
      keys.columns_.push_back(batch.column(FindField(*batch.schema(), name)));
      keys.same_.push_back(ComparisonOf(keys.columns_.back()->type_id()));
    }
    return keys;
  }

  // Compares row `i` here with row `j` of other keys of the same columns.
  bool Agree(int64_t i, const Keys& other, int64_t j) const {
    for (size_t k = 0; k < columns_.size(); ++k) {
      const Array &a = *columns_[k], &b = *other.columns_[k];
      if (a.IsNull(i) != b.IsNull(j)) return false;
      if (!a.IsNull(i) && !same_[k](a, i, b, j)) return false;
    }
    return true;
  }

  // Where the group of the last of `rows` rows begins.
  int64_t LastStart(int64_t rows) const {
    int64_t start = rows - 1;
    while (start > 0 && Agree(start - 1, *this, start)) --start;
    return start;
  }

 private:
  KeyColumns columns_;
  std::vector<Same> same_;
};

// Holds back the last group of each batch until another one begins.
class GroupStream : public BatchStream {
 public:
  GroupStream(BatchStreamPtr owned, BatchStream& input, std::vector<std::string> keys)
      : owned_(std::move(owned)), input_(input), keys_(std::move(keys)) {}

  const SchemaPtr& schema() const override { return input_.schema(); }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      PT_LET(auto batch, input_.Next());
      if (batch == nullptr) return TakeHeld();
      if (batch->num_rows() == 0) continue;
      PT_LET(auto whole, Add(std::move(batch)));
      if (whole != nullptr) return whole;
    }
  }

 private:
  // Returns what is complete now, or nullptr.
  Result<std::shared_ptr<arrow::RecordBatch>> Add(std::shared_ptr<arrow::RecordBatch> batch) {
    PT_LET(const Keys keys, Keys::Of(*batch, keys_));
    const int64_t start = keys.LastStart(batch->num_rows());
    bool goes_on = false;
    if (start == 0 && !held_.empty()) {
      PT_LET(const Keys before, Keys::Of(*held_.back(), keys_));
      goes_on = before.Agree(held_.back()->num_rows() - 1, keys, 0);
    }
    if (start > 0) held_.push_back(batch->Slice(0, start));
    std::shared_ptr<arrow::RecordBatch> whole;
    if (!goes_on) {
      PT_LET(whole, TakeHeld());
    }
    held_.push_back(batch->Slice(start));
    return whole;
  }

  Result<std::shared_ptr<arrow::RecordBatch>> TakeHeld() {
    const arrow::RecordBatchVector held = std::exchange(held_, {});
    if (held.empty()) return nullptr;
    if (held.size() == 1) return held.front();
    return arrow::ConcatenateRecordBatches(held);
  }

  const BatchStreamPtr owned_;
  BatchStream& input_;
  const std::vector<std::string> keys_;
  // The last group so far, and what preceded it in the same batch. Never without rows.
  arrow::RecordBatchVector held_;
};

}  // namespace

Status CheckGroupKeys(const arrow::Schema& schema, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const int at = FindField(schema, key);
    if (at < 0) {
      return Fail({.exit = Exit::kUsage,
                   .what = "group by \"" + key + "\": the table has no such column",
                   .fix = Suggest(key, schema.field_names())});
    }
    const auto& type = *schema.field(at)->type();
    if (ComparisonOf(type.id()) != nullptr) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "group by \"" + key + "\": values of type " + type.ToString() +
                         " are not compared",
                 .fix = "group by a column of its parts, or of its text"});
  }
  return Status::OK();
}

Result<std::vector<int64_t>> GroupStarts(const arrow::RecordBatch& batch,
                                         const std::vector<std::string>& names) {
  std::vector<int64_t> starts;
  if (batch.num_rows() == 0) return starts;
  PT_LET(const Keys keys, Keys::Of(batch, names));
  starts.push_back(0);
  for (int64_t row = 1; row < batch.num_rows(); ++row) {
    if (!keys.Agree(row - 1, keys, row)) starts.push_back(row);
  }
  return starts;
}

BatchStreamPtr WholeGroups(BatchStreamPtr input, std::vector<std::string> keys) {
  BatchStream& stream = *input;
  return std::make_unique<GroupStream>(std::move(input), stream, std::move(keys));
}

BatchStreamPtr WholeGroups(BatchStream& input, std::vector<std::string> keys) {
  return std::make_unique<GroupStream>(nullptr, input, std::move(keys));
}

}  // namespace protium
