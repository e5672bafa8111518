// SPDX-License-Identifier: Apache-2.0
#include "duckdb/chunk_batches.h"

#include <arrow/builder.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>

#include <type_traits>

#include "duckdb/handles.h"

// DuckDB supplies flat vectors: one value after another, validity as bits in Arrow's order (least
// significant first), and no bits at all if every row is valid. Fixed-width values are copied as
// blocks. Booleans are bytes in DuckDB and bits in Arrow; texts are duckdb_string_t, with short
// ones inside the value.

namespace protium {
namespace {

// Rows [begin, begin + count) of a flat vector.
struct Part {
  duckdb_vector vector = nullptr;
  int64_t begin = 0;
  int64_t count = 0;

  template <class T>
  const T* Values() const {
    return static_cast<const T*>(duckdb_vector_get_data(vector)) + begin;
  }
  // Bits in Arrow's order for the whole vector, not from `begin` on; nullptr if every row is valid.
  const uint8_t* Validity() const {
    return reinterpret_cast<const uint8_t*>(duckdb_vector_get_validity(vector));
  }
};

// Which rows of a part are valid. The pointer is looked up once per part, the bits for every row.
class Validity {
 public:
  explicit Validity(const Part& part) : bits_(part.Validity()), begin_(part.begin) {}
  bool operator[](int64_t i) const {
    const int64_t at = begin_ + i;
    return bits_ == nullptr || (bits_[at / 8] >> (at % 8) & 1) != 0;
  }

 private:
  const uint8_t* const bits_;
  const int64_t begin_;
};

// Appends a part to a builder; returns roughly how many bytes were added.
Result<int64_t> Append(const Part& part, arrow::ArrayBuilder& builder);

template <class Builder>
Result<int64_t> AppendFixed(const Part& part, arrow::ArrayBuilder& builder) {
  using Value = typename Builder::value_type;
  const auto* values = part.Values<Value>();
  auto& to = static_cast<Builder&>(builder);
  const uint8_t* validity = part.Validity();
  PT_TRY(validity == nullptr ? to.AppendValues(values, part.count)
                             : to.AppendValues(values, part.count, validity, part.begin));
  return part.count * int64_t(sizeof(Value));
}

Result<int64_t> AppendFlags(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<arrow::BooleanBuilder&>(builder);
  const auto* values = part.Values<bool>();
  const Validity valid(part);
  PT_TRY(to.Reserve(part.count));
  for (int64_t i = 0; i < part.count; ++i) {
    if (valid[i]) {
      to.UnsafeAppend(values[i]);
    } else {
      to.UnsafeAppendNull();
    }
  }
  return (part.count + 7) / 8;
}

// Lengths are added up first: one reservation instead of growing for every text.
template <class Builder>
Result<int64_t> AppendTexts(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<Builder&>(builder);
  const auto* values = part.Values<duckdb_string_t>();
  const Validity valid(part);
  int64_t bytes = 0;
  for (int64_t i = 0; i < part.count; ++i) bytes += valid[i] ? duck::ViewText(values[i]).size() : 0;
  PT_TRY(to.Reserve(part.count));
  PT_TRY(to.ReserveData(bytes));
  for (int64_t i = 0; i < part.count; ++i) {
    if (valid[i]) {
      to.UnsafeAppend(duck::ViewText(values[i]));
    } else {
      to.UnsafeAppendNull();
    }
  }
  return bytes + part.count * int64_t(sizeof(int32_t));
}

// Decimals are stored in the narrowest whole numbers that hold their digits.
template <class Whole>
Result<int64_t> AppendDecimals(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<arrow::Decimal128Builder&>(builder);
  const auto* values = part.Values<Whole>();
  const Validity valid(part);
  PT_TRY(to.Reserve(part.count));
  for (int64_t i = 0; i < part.count; ++i) {
    if (!valid[i]) {
      to.UnsafeAppendNull();
    } else if constexpr (std::is_same_v<Whole, duckdb_hugeint>) {
      to.UnsafeAppend(arrow::Decimal128(values[i].upper, values[i].lower));
    } else {
      to.UnsafeAppend(arrow::Decimal128(values[i]));
    }
  }
  return part.count * int64_t(sizeof(arrow::Decimal128));
}

Result<int64_t> AppendDecimals(const Part& part, arrow::ArrayBuilder& builder) {
  const duck::Type type(duckdb_vector_get_column_type(part.vector));
  switch (duckdb_decimal_internal_type(type.get())) {
    case DUCKDB_TYPE_SMALLINT:
      return AppendDecimals<int16_t>(part, builder);
    case DUCKDB_TYPE_INTEGER:
      return AppendDecimals<int32_t>(part, builder);
    case DUCKDB_TYPE_BIGINT:
      return AppendDecimals<int64_t>(part, builder);
    default:
      return AppendDecimals<duckdb_hugeint>(part, builder);
  }
}

// Lists and maps: the elements of each are a range of one child vector; `append` takes its start
// and length.
template <class Builder, class AppendRange>
Result<int64_t> AppendRanges(const Part& part, Builder& to, AppendRange append) {
  const auto* entries = part.Values<duckdb_list_entry>();
  const Validity valid(part);
  int64_t bytes = part.count * int64_t(sizeof(int32_t));
  for (int64_t i = 0; i < part.count; ++i) {
    if (!valid[i]) {
      PT_TRY(to.AppendNull());
      continue;
    }
    PT_TRY(to.Append());
    PT_LET(const int64_t added, append(int64_t(entries[i].offset), int64_t(entries[i].length)));
    bytes += added;
  }
  return bytes;
}

// Lists of lists recurse.
Result<int64_t> AppendLists(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<arrow::ListBuilder&>(builder);
  const duckdb_vector items = duckdb_list_vector_get_child(part.vector);
  return AppendRanges(part, to, [&](int64_t begin, int64_t count) {
    return Append({items, begin, count}, *to.value_builder());
  });
}

// Rows of a struct are rows of each of its fields; those under a null are appended, too.
Result<int64_t> AppendStructs(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<arrow::StructBuilder&>(builder);
  const Validity valid(part);
  std::vector<uint8_t> there(static_cast<size_t>(part.count));
  for (int64_t i = 0; i < part.count; ++i) there[static_cast<size_t>(i)] = valid[i] ? 1 : 0;
  PT_TRY(to.AppendValues(part.count, there.data()));
  int64_t bytes = (part.count + 7) / 8;
  for (int i = 0; i < to.num_fields(); ++i) {
    const Part field{duckdb_struct_vector_get_child(part.vector, static_cast<idx_t>(i)), part.begin,
                     part.count};
    PT_LET(const int64_t added, Append(field, *to.field_builder(i)));
    bytes += added;
  }
  return bytes;
}

// A map is a list of structs of key and value.
Result<int64_t> AppendMaps(const Part& part, arrow::ArrayBuilder& builder) {
  auto& to = static_cast<arrow::MapBuilder&>(builder);
  const duckdb_vector pairs = duckdb_list_vector_get_child(part.vector);
  const duckdb_vector keys = duckdb_struct_vector_get_child(pairs, 0);
  const duckdb_vector items = duckdb_struct_vector_get_child(pairs, 1);
  return AppendRanges(part, to, [&](int64_t begin, int64_t count) -> Result<int64_t> {
    PT_LET(const int64_t of_keys, Append({keys, begin, count}, *to.key_builder()));
    PT_LET(const int64_t of_items, Append({items, begin, count}, *to.item_builder()));
    return of_keys + of_items;
  });
}

Result<int64_t> Append(const Part& part, arrow::ArrayBuilder& builder) {
  switch (builder.type()->id()) {
    case arrow::Type::BOOL:
      return AppendFlags(part, builder);
    case arrow::Type::INT8:
      return AppendFixed<arrow::Int8Builder>(part, builder);
    case arrow::Type::INT16:
      return AppendFixed<arrow::Int16Builder>(part, builder);
    case arrow::Type::INT32:
      return AppendFixed<arrow::Int32Builder>(part, builder);
    case arrow::Type::INT64:
      return AppendFixed<arrow::Int64Builder>(part, builder);
    case arrow::Type::FLOAT:
      return AppendFixed<arrow::FloatBuilder>(part, builder);
    case arrow::Type::DOUBLE:
      return AppendFixed<arrow::DoubleBuilder>(part, builder);
    case arrow::Type::DATE32:
      return AppendFixed<arrow::Date32Builder>(part, builder);
    case arrow::Type::TIMESTAMP:
      return AppendFixed<arrow::TimestampBuilder>(part, builder);
    case arrow::Type::STRING:
      return AppendTexts<arrow::StringBuilder>(part, builder);
    case arrow::Type::BINARY:
      return AppendTexts<arrow::BinaryBuilder>(part, builder);
    case arrow::Type::DECIMAL128:
      return AppendDecimals(part, builder);
    case arrow::Type::LIST:
      return AppendLists(part, builder);
    case arrow::Type::STRUCT:
      return AppendStructs(part, builder);
    case arrow::Type::MAP:
      return AppendMaps(part, builder);
    default:
      return Status::TypeError("cannot read a column of type ", builder.type()->ToString());
  }
}

}  // namespace

Result<std::unique_ptr<ChunkBatches>> ChunkBatches::Make(std::shared_ptr<arrow::Schema> schema) {
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> columns;
  for (const auto& field : schema->fields()) {
    PT_LET(auto builder, arrow::MakeBuilder(field->type()));
    columns.push_back(std::move(builder));
  }
  return std::unique_ptr<ChunkBatches>(new ChunkBatches(std::move(schema), std::move(columns)));
}

Status ChunkBatches::Add(duckdb_data_chunk chunk) {
  const auto rows = int64_t(duckdb_data_chunk_get_size(chunk));
  for (size_t i = 0; i < columns_.size(); ++i) {
    // Reserves the size of the previous batch at once: a builder that grows copies what it has.
    if (rows_ == 0) PT_TRY(columns_[i]->Reserve(usual_rows_ + rows));
    const Part part{duckdb_data_chunk_get_vector(chunk, idx_t(i)), 0, rows};
    PT_LET(const int64_t added, Append(part, *columns_[i]));
    bytes_ += added;
  }
  rows_ += rows;
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> ChunkBatches::Take() {
  if (rows_ == 0) return nullptr;
  arrow::ArrayVector arrays(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) PT_TRY(columns_[i]->Finish(&arrays[i]));
  auto batch = arrow::RecordBatch::Make(schema_, rows_, std::move(arrays));
  usual_rows_ = rows_;
  rows_ = bytes_ = 0;
  return batch;
}

}  // namespace protium
