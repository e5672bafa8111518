// SPDX-License-Identifier: Apache-2.0
#include "inference/json_rows.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "base/utf8.h"
#include "column/cells.h"
#include "column/schema.h"

namespace protium {
namespace {

constexpr size_t kMostValue = 60;  // Of a value, in a message.

Status Wrong(const Json& value, const arrow::Field& field, int64_t row) {
  const std::string text = Shortened(Dump(value), kMostValue);
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} is no {}", text, TypeName(*field.type()).ValueOr("value")),
               .where = fmt::format("row {}, column \"{}\"", row + 1, field.name())});
}

// Whole numbers may be written as 7.0, as Python writes those that were floats.
template <class Builder>
bool AppendWhole(const Json& value, arrow::ArrayBuilder& builder) {
  using Value = typename Builder::value_type;
  int64_t whole = 0;
  if (value.is_number_unsigned()) {
    if (value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())) return false;
    whole = value.get<int64_t>();
  } else if (value.is_number_integer()) {
    whole = value.get<int64_t>();
  } else if (value.is_number_float()) {
    // Beyond 2^53 a double does not tell neighbours apart.
    const double number = value.get<double>();
    if (number != std::floor(number) || std::abs(number) > 0x1p53) return false;
    whole = int64_t(number);
  } else {
    return false;
  }
  if (whole < std::numeric_limits<Value>::min() || whole > std::numeric_limits<Value>::max()) {
    return false;
  }
  return static_cast<Builder&>(builder).Append(Value(whole)).ok();
}

template <class Builder>
bool AppendNumber(const Json& value, arrow::ArrayBuilder& builder) {
  using Value = typename Builder::value_type;
  return value.is_number() &&
         static_cast<Builder&>(builder).Append(Value(value.get<double>())).ok();
}

bool Append(const Json& value, arrow::ArrayBuilder& builder);

bool AppendList(const Json& value, arrow::ArrayBuilder& builder) {
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  if (!value.is_array() || !list.Append().ok()) return false;
  for (const Json& each : value) {
    // The list stays half made then; the caller drops the whole batch.
    if (!Append(each, *list.value_builder())) return false;
  }
  return true;
}

// As texts: dates, times, decimals.
bool AppendParsed(const Json& value, arrow::ArrayBuilder& builder) {
  if (!value.is_string()) return false;
  // As Arrow spells them, such as 2024-01-31 and 2024-01-31 08:15:00.
  const auto parsed = arrow::Scalar::Parse(builder.type(), value.get_ref<const std::string&>());
  return parsed.ok() && builder.AppendScalar(**parsed).ok();
}

// False for a value of another type.
bool Append(const Json& value, arrow::ArrayBuilder& builder) {
  if (value.is_null()) return builder.AppendNull().ok();
  switch (builder.type()->id()) {
    case arrow::Type::BOOL:
      return value.is_boolean() &&
             static_cast<arrow::BooleanBuilder&>(builder).Append(value.get<bool>()).ok();
    case arrow::Type::INT8:
      return AppendWhole<arrow::Int8Builder>(value, builder);
    case arrow::Type::INT16:
      return AppendWhole<arrow::Int16Builder>(value, builder);
    case arrow::Type::INT32:
      return AppendWhole<arrow::Int32Builder>(value, builder);
    case arrow::Type::INT64:
      return AppendWhole<arrow::Int64Builder>(value, builder);
    case arrow::Type::FLOAT:
      return AppendNumber<arrow::FloatBuilder>(value, builder);
    case arrow::Type::DOUBLE:
      return AppendNumber<arrow::DoubleBuilder>(value, builder);
    case arrow::Type::STRING:
      return value.is_string() && static_cast<arrow::StringBuilder&>(builder)
                                      .Append(value.get_ref<const std::string&>())
                                      .ok();
    case arrow::Type::LIST:
      return AppendList(value, builder);
    default:
      return AppendParsed(value, builder);
  }
}

// Columns that grow value by value.
class Growing {
 public:
  Status Add(const std::shared_ptr<arrow::Field>& field) {
    fields_.push_back(field);
    return arrow::MakeBuilder(arrow::default_memory_pool(), field->type(),
                              &builders_.emplace_back());
  }
  const arrow::FieldVector& fields() const { return fields_; }
  Status Append(size_t column, int64_t row, const Json& value) {
    if (protium::Append(value, *builders_[column])) return Status::OK();
    return Wrong(value, *fields_[column], row);
  }
  Result<std::shared_ptr<arrow::RecordBatch>> Finish(int64_t rows) {
    arrow::ArrayVector columns;
    for (const auto& builder : builders_) {
      PT_LET(columns.emplace_back(), builder->Finish());
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields_)), rows, std::move(columns));
  }

 private:
  arrow::FieldVector fields_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
};

Status NoRows(const char* must) { return Fail({.exit = Exit::kInput, .what = must}); }

Status AppendRow(const Json& row, int64_t i, Growing& columns) {
  if (!row.is_object()) return NoRows("a row is an object with a value for each column");
  for (size_t c = 0; c < columns.fields().size(); ++c) {
    const std::string& name = columns.fields()[c]->name();
    const auto cell = row.find(name);
    if (cell == row.end()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the row has no column \"{}\", and others have", name),
                   .where = fmt::format("row {}", i + 1),
                   .fix = "write null where a value is missing"});
    }
    PT_TRY(columns.Append(c, i, *cell));
  }
  return Status::OK();
}

// Whether a column that is missing everywhere is needed is up to who takes the batch.
bool AnyHas(const Json& list, const std::string& name) {
  for (const Json& row : list) {
    if (row.is_object() && row.contains(name)) return true;
  }
  return false;
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> RowsFromJson(const Json& list,
                                                         const arrow::Schema& columns) {
  if (!list.is_array()) return NoRows("rows are a list of objects");
  Growing growing;
  for (const auto& field : columns.fields()) {
    // No rows have no keys to go by: they get all columns.
    if (list.empty() || AnyHas(list, field->name())) PT_TRY(growing.Add(field));
  }
  for (size_t i = 0; i < list.size(); ++i) PT_TRY(AppendRow(list[i], int64_t(i), growing));
  return growing.Finish(int64_t(list.size()));
}

Result<std::shared_ptr<arrow::RecordBatch>> ColumnsFromJson(const Json& lists,
                                                            const arrow::Schema& columns) {
  if (!lists.is_object()) return NoRows("columns are an object with a list for each column");
  Growing growing;
  std::optional<size_t> rows;
  for (const auto& field : columns.fields()) {
    const auto cells = lists.find(field->name());
    if (cells == lists.end()) continue;
    if (!cells->is_array() || cells->size() != rows.value_or(cells->size())) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("column \"{}\" is no list as long as the others", field->name())});
    }
    rows = cells->size();
    PT_TRY(growing.Add(field));
    for (size_t i = 0; i < cells->size(); ++i) {
      PT_TRY(growing.Append(growing.fields().size() - 1, int64_t(i), (*cells)[i]));
    }
  }
  return growing.Finish(int64_t(rows.value_or(0)));
}

Json RowsToJson(const arrow::RecordBatch& batch) {
  Json list = Json::array();
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    Json row = Json::object();
    for (int c = 0; c < batch.num_columns(); ++c) {
      row[batch.column_name(c)] = CellJson(*batch.column(c), i);
    }
    list.push_back(std::move(row));
  }
  return list;
}

Json ColumnsToJson(const arrow::RecordBatch& batch) {
  Json lists = Json::object();
  for (int c = 0; c < batch.num_columns(); ++c) {
    Json& cells = lists[batch.column_name(c)] = Json::array();
    for (int64_t i = 0; i < batch.num_rows(); ++i) cells.push_back(CellJson(*batch.column(c), i));
  }
  return lists;
}

}  // namespace protium
