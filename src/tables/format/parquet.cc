// SPDX-License-Identifier: Apache-2.0
// Columns come from the footer alone, at the end of a file: a truncated file has none.
#include "format/parquet.h"

#include <arrow/io/file.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>

#include <set>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "column/schema.h"
#include "format/carried_rows.h"
#include "format/kind.h"
#include "format/parquet_guard.h"

namespace protium {
namespace {

// Skips columns of lists: no query compares them with a number.
std::vector<std::string> HashedNumbers(const parquet::FileMetaData& file) {
  std::vector<std::string> hashed;
  for (int column = 0; column < file.num_columns(); ++column) {
    const parquet::ColumnDescriptor& about = *file.schema()->Column(column);
    const bool number = about.physical_type() == parquet::Type::FLOAT ||
                        about.physical_type() == parquet::Type::DOUBLE;
    if (!number || about.max_repetition_level() > 0) continue;
    for (int group = 0; group < file.num_row_groups(); ++group) {
      if (!file.RowGroup(group)->ColumnChunk(column)->bloom_filter_offset()) continue;
      hashed.push_back(about.path()->ToDotVector().front());
      break;
    }
  }
  return hashed;
}

// Engines read such digits as other numbers.
Status TooManyDigits(const std::string& path, const std::string& column,
                     const arrow::DataType& type) {
  return Fail({.exit = Exit::kInput,
               .what = "column \"" + column + "\" is of type " + TypeText(type) +
                       ", and tables carry decimals of up to 38 digits",
               .where = path,
               .fix = "write the column with fewer digits, as float64 or as text"});
}

// Returns the type with all decimals as tables support them; null if some are unsupported.
std::shared_ptr<arrow::DataType> WithCarriedDecimals(const std::shared_ptr<arrow::DataType>& type) {
  if (arrow::is_decimal(type->id())) return CarriedDecimal(*type);
  arrow::FieldVector fields;
  for (const auto& field : type->fields()) {
    const auto carried = WithCarriedDecimals(field->type());
    if (carried == nullptr) return nullptr;
    fields.push_back(field->WithType(carried));
  }
  if (type->id() == arrow::Type::LIST) return arrow::list(fields.front());
  return type->id() == arrow::Type::STRUCT ? arrow::struct_(std::move(fields)) : type;
}

Result<SchemaPtr> WithCarriedDecimals(const arrow::Schema& schema, const std::string& path) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    const auto carried = WithCarriedDecimals(field->type());
    if (carried == nullptr) return TooManyDigits(path, field->name(), *field->type());
    fields.push_back(field->WithType(carried));
  }
  return arrow::schema(std::move(fields));
}

Result<ParquetTable> ReadTable(const std::string& path) {
  return GuardParquet([&]() -> Result<ParquetTable> {
    PT_LET(const auto file, arrow::io::ReadableFile::Open(path));
    PT_LET(const auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
    ParquetTable table;
    PT_TRY(reader->GetSchema(&table.schema));
    // Writers store notes there, by which equal columns would differ.
    table.schema = table.schema->RemoveMetadata();
    table.hashed = HashedNumbers(*reader->parquet_reader()->metadata());
    return table;
  });
}

}  // namespace

Status UnreadableParquet(const std::string& path, const std::string& why) {
  const std::string instead = WhyNotParquet(path);
  if (!instead.empty()) {
    return Fail(
        {.exit = Exit::kInput,
         .what = path + " is not Parquet",
         .why = instead,
         .fix = instead.find("text") == instead.npos ? "" : "read it as CSV: csv = \"FILE\""});
  }
  return Fail({.exit = Exit::kInput,
               .what = path + " cannot be read as Parquet",
               .why = why,
               .fix = "write the file again; it may be truncated"});
}

Status OtherColumns(const std::string& path, const arrow::Schema& schema, const std::string& first,
                    const arrow::Schema& wanted) {
  return Fail({.exit = Exit::kInput,
               .what = path + " has different columns than " + first,
               .why = Describe(schema) + " instead of " + Describe(wanted)});
}

Result<ParquetTable> ReadParquetTable(const std::vector<std::string>& paths) {
  ParquetTable all;
  std::set<std::string> hashed;
  for (const std::string& path : paths) {
    const Result<ParquetTable> table = ReadTable(path);
    if (!table.ok()) return UnreadableParquet(path, table.status().message());
    PT_TRY(CheckColumnNames(*table->schema, path));
    PT_LET(const SchemaPtr schema, WithCarriedDecimals(*table->schema, path));
    if (!all.schema) all.schema = schema;
    if (!all.schema->Equals(*schema, false)) {
      return OtherColumns(path, *schema, paths.front(), *all.schema);
    }
    hashed.insert(table->hashed.begin(), table->hashed.end());
  }
  all.hashed.assign(hashed.begin(), hashed.end());
  if (all.schema) return all;
  return Fail({.exit = Exit::kInput, .what = "no Parquet file was given"});
}

Result<SchemaPtr> ParquetSchema(const std::vector<std::string>& paths) {
  PT_LET(ParquetTable table, ReadParquetTable(paths));
  return std::move(table.schema);
}

}  // namespace protium
