// SPDX-License-Identifier: Apache-2.0
#include "local/part_side.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/part_side.h"

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

constexpr idx_t kFirstCell = 2;

std::string_view TextAt(duckdb_vector vector, idx_t row) {
  return duck::ViewText(static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector))[row]);
}

// The kind of an argument's cells; kNull for a type that is not supported.
CutKind ToCutKind(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return CutKind::kFlag;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
      return CutKind::kWhole;
    case DUCKDB_TYPE_DATE:
      return CutKind::kDate;
    case DUCKDB_TYPE_VARCHAR:
      return CutKind::kText;
    default:
      return CutKind::kNull;
  }
}

// One argument's values in a chunk.
class Cells {
 public:
  explicit Cells(duckdb_vector vector)
      : vector_(vector),
        data_(duckdb_vector_get_data(vector)),
        valid_(duckdb_vector_get_validity(vector)) {
    const duck::Type type(duckdb_vector_get_column_type(vector));
    type_ = duckdb_get_type_id(type.get());
    kind_ = ToCutKind(type_);
  }

  bool supported() const { return kind_ != CutKind::kNull; }

  CutCell At(idx_t row) const {
    if (valid_ != nullptr && !duckdb_validity_row_is_valid(valid_, row)) return {};
    if (kind_ == CutKind::kText) return {.kind = kind_, .text = TextAt(vector_, row)};
    return {.kind = kind_, .whole = Whole(row)};
  }

 private:
  int64_t Whole(idx_t row) const {
    switch (type_) {
      case DUCKDB_TYPE_BOOLEAN:
        return static_cast<const bool*>(data_)[row] ? 1 : 0;
      case DUCKDB_TYPE_TINYINT:
        return static_cast<const int8_t*>(data_)[row];
      case DUCKDB_TYPE_SMALLINT:
        return static_cast<const int16_t*>(data_)[row];
      case DUCKDB_TYPE_BIGINT:
        return static_cast<const int64_t*>(data_)[row];
      default:
        return static_cast<const int32_t*>(data_)[row];
    }
  }

  duckdb_vector vector_;
  const void* data_;
  uint64_t* valid_;
  duckdb_type type_;
  CutKind kind_;
};

// The state of one thread; unset before its first rows.
using Sides = std::optional<PartSides>;

// Seed and bound are constants of the query, so they are read from the first row.
void ComputePartSides(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  std::vector<Cells> cells;
  for (idx_t i = kFirstCell; i < duckdb_data_chunk_get_column_count(chunk); ++i) {
    cells.emplace_back(duckdb_data_chunk_get_vector(chunk, i));
    if (!cells.back().supported()) {
      return duckdb_scalar_function_set_error(info,
                                              "pt_part_side does not take a cell of this type");
    }
  }
  if (cells.empty()) return duckdb_scalar_function_set_error(info, "pt_part_side takes cells");
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  if (rows == 0) return;
  auto& sides = *static_cast<Sides*>(duckdb_scalar_function_get_state(info));
  const auto text = [&](idx_t i) {
    return std::string(TextAt(duckdb_data_chunk_get_vector(chunk, i), 0));
  };
  if (!sides) sides.emplace(text(0), text(1));
  auto* const on_part = static_cast<bool*>(duckdb_vector_get_data(result));
  std::vector<CutCell> of_row(cells.size());
  for (idx_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < cells.size(); ++i) of_row[i] = cells[i].At(row);
    on_part[row] = sides->OnPart(of_row);
  }
}

void Remember(duckdb_init_info info) {
  duckdb_scalar_function_init_set_state(info, new Sides,
                                        [](void* sides) { delete static_cast<Sides*>(sides); });
}

}  // namespace

Status RegisterPartSide(const duck::Connection& connection) {
  const ScalarFunction function(duckdb_create_scalar_function());
  const duck::Type text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const duck::Type any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  const duck::Type side(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_scalar_function_set_name(function.get(), "pt_part_side");
  for (idx_t i = 0; i < kFirstCell; ++i) {
    duckdb_scalar_function_add_parameter(function.get(), text.get());
  }
  duckdb_scalar_function_set_varargs(function.get(), any.get());
  duckdb_scalar_function_set_return_type(function.get(), side.get());
  // A NULL is a value like any other here: its row has a side, too.
  duckdb_scalar_function_set_special_handling(function.get());
  duckdb_scalar_function_set_init(function.get(), Remember);
  duckdb_scalar_function_set_function(function.get(), ComputePartSides);
  if (duckdb_register_scalar_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function pt_part_side");
}

}  // namespace protium
