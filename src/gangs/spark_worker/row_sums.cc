// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/row_sums.h"

#include <arrow/array.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "sql/dialect.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace protium {
namespace {

// The default seed of Spark's XxHash64.
constexpr uint64_t kSeed = 42;
constexpr uint64_t kMask = (uint64_t{1} << 30) - 1;
static_assert(std::endian::native == std::endian::little);

template <class Number>
uint64_t Hash(Number number, uint64_t seed) {
  return XXH64(&number, sizeof number, seed);
}

uint64_t Hash(std::string_view text, uint64_t seed) {
  return XXH64(text.data(), text.size(), seed);
}

// Spark normalises floats before hashing them: one NaN, and no -0.0.
template <class Real>
Real Canonical(Real value) {
  if (std::isnan(value)) return std::numeric_limits<Real>::quiet_NaN();
  return value == 0 ? Real(0) : value;
}

bool IsText(const arrow::DataType& type) { return arrow::is_base_binary_like(type.id()); }

bool IsHashed(const arrow::DataType& type) {
  return arrow::is_signed_integer(type.id()) || IsText(type) || type.id() == arrow::Type::FLOAT ||
         type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::BOOL ||
         type.id() == arrow::Type::DATE32 ||
         (type.id() == arrow::Type::TIMESTAMP &&
          static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::MICRO);
}

// Adds a column to the hashes of its rows, value by value.
class ColumnHasher {
 public:
  explicit ColumnHasher(std::vector<uint64_t>& hashes) : hashes_(hashes) {}

  void Add(const arrow::Array& column) {
    switch (column.type_id()) {
      // Spark hashes booleans and small integers as 32-bit integers.
      case arrow::Type::BOOL:
        return Each<arrow::BooleanArray>(column, [](bool v) { return int32_t{v}; });
      case arrow::Type::INT8:
        return Each<arrow::Int8Array>(column, [](int8_t v) { return int32_t{v}; });
      case arrow::Type::INT16:
        return Each<arrow::Int16Array>(column, [](int16_t v) { return int32_t{v}; });
      case arrow::Type::INT32:
        return Each<arrow::Int32Array>(column, [](int32_t v) { return v; });
      case arrow::Type::DATE32:
        return Each<arrow::Date32Array>(column, [](int32_t v) { return v; });
      case arrow::Type::INT64:
        return Each<arrow::Int64Array>(column, [](int64_t v) { return v; });
      case arrow::Type::TIMESTAMP:
        return Each<arrow::TimestampArray>(column, [](int64_t v) { return v; });
      case arrow::Type::FLOAT:
        return Each<arrow::FloatArray>(column, Canonical<float>);
      case arrow::Type::DOUBLE:
        return Each<arrow::DoubleArray>(column, Canonical<double>);
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return Each<arrow::LargeBinaryArray>(column, [](std::string_view v) { return v; });
      default:
        return Each<arrow::BinaryArray>(column, [](std::string_view v) { return v; });
    }
  }

 private:
  template <class Array, class Spelling>
  void Each(const arrow::Array& column, Spelling spelling) {
    const auto& values = static_cast<const Array&>(column);
    const bool whole = values.null_count() == 0;
    for (size_t i = 0; i < hashes_.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (whole || values.IsValid(at)) hashes_[i] = Hash(spelling(values.GetView(at)), hashes_[i]);
    }
  }

  std::vector<uint64_t>& hashes_;
};

}  // namespace

std::vector<std::string> RowSumsInSql(const arrow::Schema& schema) {
  std::string columns;
  for (const auto& field : schema.fields()) {
    if (!IsHashed(*field->type())) continue;
    const std::string name = QuoteName(field->name(), SparkDialect());
    if (!columns.empty()) columns += ", ";
    columns += IsText(*field->type()) ? "CAST(" + name + " AS BINARY)" : name;
  }
  const std::string hash =
      columns.empty() ? std::to_string(kSeed) : fmt::format("xxhash64({})", columns);
  // An empty table's sum would be NULL.
  return {"count(1) AS rows", fmt::format("coalesce(sum({} & {}), 0) AS hashes", hash, kMask)};
}

RowSums SumRows(const arrow::RecordBatch& batch) {
  std::vector<uint64_t> hashes(static_cast<size_t>(batch.num_rows()), kSeed);
  ColumnHasher hasher(hashes);
  for (const auto& column : batch.columns()) {
    if (IsHashed(*column->type())) hasher.Add(*column);
  }
  RowSums sums{.rows = batch.num_rows()};
  for (const uint64_t hash : hashes) sums.hashes += static_cast<int64_t>(hash & kMask);
  return sums;
}

Result<RowSums> RowSumsFromJson(const Json& json) {
  const auto number = [&](const char* key) -> Result<int64_t> {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_integer()) {
      return Status::UnknownError("rows were not counted: ", key, " is missing in ", Dump(json));
    }
    return found->get<int64_t>();
  };
  RowSums sums;
  PT_LET(sums.rows, number("rows"));
  PT_LET(sums.hashes, number("hashes"));
  return sums;
}

Json ToJson(const RowSums& sums) { return {{"rows", sums.rows}, {"hashes", sums.hashes}}; }

}  // namespace protium
