// SPDX-License-Identifier: Apache-2.0
#include "local/part_side.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

constexpr idx_t kFirstCell = 2;
constexpr size_t kDigitsCompared = 13;
constexpr size_t kRemembered = 4096;

// What was found out last for some of the rows, by their cells. Of one thread.
struct Memory {
  struct Entry {
    std::string cells;
    bool on_part = false;
  };
  std::vector<Entry> entries = std::vector<Entry>(kRemembered);
  std::string cells, text;  // Room that is used again.
};

std::string_view TextAt(duckdb_vector vector, idx_t row) {
  auto* const texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return {duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row])};
}

int64_t CodePoints(std::string_view text) {
  int64_t points = 0;
  for (const char c : text) points += (c & 0xc0) != 0x80 ? 1 : 0;
  return points;
}

// As a cast to text writes it.
std::string DateText(int32_t days) {
  const duckdb_date date{days};
  if (!duckdb_is_finite_date(date)) return days > 0 ? "infinity" : "-infinity";
  const duckdb_date_struct parts = duckdb_from_date(date);
  const bool before_christ = parts.year <= 0;
  return fmt::format("{:04}-{:02}-{:02}{}", before_christ ? 1 - parts.year : parts.year,
                     parts.month, parts.day, before_christ ? " (BC)" : "");
}

// One argument's cells in a chunk.
class Cells {
 public:
  explicit Cells(duckdb_vector vector)
      : vector_(vector),
        data_(duckdb_vector_get_data(vector)),
        valid_(duckdb_vector_get_validity(vector)) {
    const duck::Type type(duckdb_vector_get_column_type(vector));
    type_ = duckdb_get_type_id(type.get());
  }

  bool Known() const {
    switch (type_) {
      case DUCKDB_TYPE_BOOLEAN:
      case DUCKDB_TYPE_TINYINT:
      case DUCKDB_TYPE_SMALLINT:
      case DUCKDB_TYPE_INTEGER:
      case DUCKDB_TYPE_BIGINT:
      case DUCKDB_TYPE_DATE:
      case DUCKDB_TYPE_VARCHAR:
        return true;
      default:
        return false;
    }
  }

  // Adds bytes that no other cell of this column has.
  void AddBytes(idx_t row, std::string& bytes) const {
    const bool null = IsNull(row);
    bytes += null ? '-' : '+';
    if (null) return;
    if (type_ != DUCKDB_TYPE_VARCHAR) return AddWhole(Whole(row), bytes);
    const std::string_view text = TextAt(vector_, row);
    AddWhole(static_cast<int64_t>(text.size()), bytes);
    bytes += text;
  }

  // Adds the cell's part of the text that is hashed.
  void AddText(idx_t row, std::string& text) const {
    if (IsNull(row)) {
      text += '-';
    } else if (type_ == DUCKDB_TYPE_VARCHAR) {
      Add(TextAt(vector_, row), text);
    } else if (type_ == DUCKDB_TYPE_BOOLEAN) {
      Add(Whole(row) != 0 ? "true" : "false", text);
    } else if (type_ == DUCKDB_TYPE_DATE) {
      Add(DateText(static_cast<int32_t>(Whole(row))), text);
    } else {
      Add(std::to_string(Whole(row)), text);
    }
  }

 private:
  bool IsNull(idx_t row) const {
    return valid_ != nullptr && !duckdb_validity_row_is_valid(valid_, row);
  }

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

  static void AddWhole(int64_t value, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  static void Add(std::string_view cell, std::string& text) {
    text += fmt::format("+{}:{}", CodePoints(cell), cell);
  }

  duckdb_vector vector_;
  const void* data_;
  uint64_t* valid_;
  duckdb_type type_;
};

bool OnPart(const std::vector<Cells>& cells, idx_t row, duckdb_data_chunk chunk, Memory& memory) {
  memory.cells.clear();
  for (const Cells& each : cells) each.AddBytes(row, memory.cells);
  auto& entry = memory.entries[std::hash<std::string_view>()(memory.cells) % kRemembered];
  // No row without cells is asked for, so an entry that is still empty is nobody's.
  if (entry.cells == memory.cells) return entry.on_part;
  memory.text = TextAt(duckdb_data_chunk_get_vector(chunk, 0), row);
  for (const Cells& each : cells) each.AddText(row, memory.text);
  const std::string_view bound = TextAt(duckdb_data_chunk_get_vector(chunk, 1), row);
  entry.on_part = std::string_view(Md5Hex(memory.text)).substr(0, kDigitsCompared) < bound;
  entry.cells = memory.cells;
  return entry.on_part;
}

// Seed and bound are the same in all rows: they are constants of the query.
void PartSides(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  std::vector<Cells> cells;
  for (idx_t i = kFirstCell; i < duckdb_data_chunk_get_column_count(chunk); ++i) {
    cells.emplace_back(duckdb_data_chunk_get_vector(chunk, i));
    if (!cells.back().Known()) {
      return duckdb_scalar_function_set_error(info, "pt_part_side takes no such cell");
    }
  }
  if (cells.empty()) return duckdb_scalar_function_set_error(info, "pt_part_side takes cells");
  auto& memory = *static_cast<Memory*>(duckdb_scalar_function_get_state(info));
  auto* const sides = static_cast<bool*>(duckdb_vector_get_data(result));
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  for (idx_t row = 0; row < rows; ++row) sides[row] = OnPart(cells, row, chunk, memory);
}

void Remember(duckdb_init_info info) {
  duckdb_scalar_function_init_set_state(info, new Memory,
                                        [](void* memory) { delete static_cast<Memory*>(memory); });
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
  duckdb_scalar_function_set_special_handling(function.get());  // NULL is a cell like another.
  duckdb_scalar_function_set_init(function.get(), Remember);
  duckdb_scalar_function_set_function(function.get(), PartSides);
  if (duckdb_register_scalar_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function pt_part_side");
}

}  // namespace protium
