// SPDX-License-Identifier: Apache-2.0
#include "format/carried_rows.h"

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/cells.h"
#include "column/schema.h"

namespace protium {
namespace {

using Type = arrow::Type;
using TypePtr = std::shared_ptr<arrow::DataType>;

// Returns the type in which a table stores values of `type`; null if there is none.
TypePtr CarriedType(const arrow::DataType& type) {
  if (arrow::is_decimal(type.id())) return CarriedDecimal(type);
  const auto list_of = [](const arrow::DataType& item) -> TypePtr {
    const TypePtr carried = CarriedType(item);
    return carried == nullptr ? nullptr : arrow::list(carried);
  };
  switch (type.id()) {
    case Type::INT8:
    case Type::INT16:
    case Type::UINT8:
    case Type::UINT16:
      return arrow::int32();
    case Type::UINT32:
    case Type::UINT64:
      return arrow::int64();
    case Type::HALF_FLOAT:
      return arrow::float32();
    // Only NULL: text, like a CSV column without a value.
    case Type::NA:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return arrow::utf8();
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::FIXED_SIZE_BINARY:
      return arrow::binary();
    case Type::DATE64:
      return arrow::date32();
    // Arrow counts times with a zone in UTC, so only the name of the zone is lost (ZoneNotes()).
    case Type::TIMESTAMP:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case Type::DICTIONARY:
      return CarriedType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
      return list_of(*type.field(0)->type());
    // The others stay as they are, if a model folder has a name for them.
    default: {
      const auto name = TypeName(type);
      return name.ok() ? *TypeNamed(*name) : nullptr;
    }
  }
}

using ArrayPtr = std::shared_ptr<arrow::Array>;

template <class Views, class Lists>
Result<ArrayPtr> ListsOf(const arrow::Array& views) {
  PT_LET(ArrayPtr lists,
         Lists::FromListView(static_cast<const Views&>(views), arrow::default_memory_pool()));
  return lists;
}

// Converts views of lists to lists, at any depth. Arrow's own cast leaves ascending offsets as they
// are, and so lacks the end of the last list.
Result<ArrayPtr> WithoutListViews(const ArrayPtr& array) {
  ArrayPtr lists = array;
  if (array->type_id() == Type::LIST_VIEW) {
    PT_LET(lists, (ListsOf<arrow::ListViewArray, arrow::ListArray>(*array)));
  } else if (array->type_id() == Type::LARGE_LIST_VIEW) {
    PT_LET(lists, (ListsOf<arrow::LargeListViewArray, arrow::LargeListArray>(*array)));
  }
  const Type::type id = lists->type_id();
  if (id != Type::LIST && id != Type::LARGE_LIST && id != Type::FIXED_SIZE_LIST) return lists;
  const ArrayPtr items = arrow::MakeArray(lists->data()->child_data[0]);
  PT_LET(const ArrayPtr plain, WithoutListViews(items));
  if (plain == items) return lists;
  auto data = lists->data()->Copy();
  data->child_data[0] = plain->data();
  if (id == Type::LIST) data->type = arrow::list(plain->type());
  if (id == Type::LARGE_LIST) data->type = arrow::large_list(plain->type());
  if (id == Type::FIXED_SIZE_LIST) {
    const auto& fixed = static_cast<const arrow::FixedSizeListType&>(*lists->type());
    data->type = arrow::fixed_size_list(plain->type(), fixed.list_size());
  }
  return arrow::MakeArray(std::move(data));
}

// By default a cast refuses what would overflow or be truncated.
Result<ArrayPtr> CarriedColumn(const ArrayPtr& column, const TypePtr& type) {
  PT_LET(const ArrayPtr plain, WithoutListViews(column));
  if (plain->type()->Equals(*type)) return plain;
  return arrow::compute::Cast(*plain, type);
}

}  // namespace

Status CheckColumnNames(const arrow::Schema& schema, const std::string& where) {
  std::set<std::string> seen;
  for (int i = 0; i < schema.num_fields(); ++i) {
    const std::string& name = schema.field(i)->name();
    const bool none = name.empty();
    if (none || name.find('\0') != name.npos) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column {} has {}", i + 1,
                                       none ? "no name" : "a NUL character in its name"),
                   .where = where,
                   .why = "SQL cannot name it",
                   .fix = "write the table with another name for it"});
    }
    if (seen.insert(Lower(name)).second) continue;
    return Fail({.exit = Exit::kInput,
                 .what = "two columns are named \"" + name + "\"",
                 .where = where,
                 .why = "column names are matched without regard to case",
                 .fix = "rename one of them"});
  }
  return Status::OK();
}

Result<SchemaPtr> CarriedSchema(const arrow::Schema& schema, const std::string& where) {
  PT_TRY(CheckColumnNames(schema, where));
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    const TypePtr type = CarriedType(*field->type());
    if (type == nullptr) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("column \"{}\" is of type {}, which tables do not carry",
                               field->name(), TypeText(*field->type())),
           .where = where,
           .fix = "leave it out, or write it as columns of numbers, texts, dates or times"});
    }
    fields.push_back(arrow::field(field->name(), type));
  }
  return arrow::schema(std::move(fields));
}

Result<std::shared_ptr<arrow::RecordBatch>> CarriedBatch(const arrow::RecordBatch& batch,
                                                         const SchemaPtr& carried,
                                                         const std::string& where) {
  arrow::ArrayVector columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const TypePtr& type = carried->field(i)->type();
    if (batch.column(i)->type()->Equals(*type)) {
      columns.push_back(batch.column(i));
      continue;
    }
    const auto cast = CarriedColumn(batch.column(i), type);
    if (!cast.ok()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column \"{}\" of type {} cannot be read as {}",
                                       carried->field(i)->name(),
                                       TypeText(*batch.column(i)->type()), TypeText(*type)),
                   .where = where,
                   .why = cast.status().message(),
                   .fix = batch.column(i)->type_id() == Type::UINT64
                              ? "write the column as decimal(20,0), which keeps all digits"
                              : "write the column in that type"});
    }
    columns.push_back(*cast);
  }
  return arrow::RecordBatch::Make(carried, batch.num_rows(), std::move(columns));
}

std::set<std::string> ZoneNotes(const arrow::Schema& schema) {
  std::set<std::string> notes;
  for (const auto& field : schema.fields()) {
    if (field->type()->id() != Type::TIMESTAMP) continue;
    const std::string& zone = static_cast<const arrow::TimestampType&>(*field->type()).timezone();
    if (zone.empty() || zone == "UTC") continue;
    notes.insert("times of column \"" + field->name() + "\" are those of UTC, not of " + zone);
  }
  return notes;
}

}  // namespace protium
