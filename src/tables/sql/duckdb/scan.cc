// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/scan.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "sources/source.h"
#include "sql/dialect.h"
#include "sql_tree/tree.h"

// How a CSV table is read: read_csv() with every option given and sniffing off, nullif() around
// text columns for the null word, a column for each key in the names of folders (key=value), and a
// branch without rows that supplies the size to the optimiser. Parquet files contain types and
// sizes themselves. hive_partitioning is off in both: DuckDB would choose the types of such columns
// itself, and let them replace columns of the files.

namespace protium {
namespace {

std::string PathList(const Scan& scan) {
  std::string list;
  for (const std::string& path : scan.paths) {
    list += (list.empty() ? "" : ", ") + QuoteText(DuckDbPath(path), DuckDbDialect());
  }
  return "[" + list + "]";
}

// The null word of a text column becomes NULL here, quoted or not. DuckDB has a single switch,
// allow_quoted_nulls, for the null word and the empty cell; it is off, because a quoted empty cell
// is an empty text.
std::string ScannedColumn(const arrow::Field& field, const Scan& scan) {
  const Dialect& duckdb = DuckDbDialect();
  const std::string name = QuoteName(field.name(), duckdb);
  if (scan.csv.null.empty() || field.type()->id() != arrow::Type::STRING) return name;
  return fmt::format("nullif({0}, {1}) AS {0}", name, QuoteText(scan.csv.null.all.front(), duckdb));
}

// A column from the names of folders: a list with one value per file, indexed by the number that
// DuckDB gives the file of a row (file_index counts from 0, lists from 1).
std::string PartitionColumn(const Scan& scan, int column, const std::string& type) {
  const Dialect& duckdb = DuckDbDialect();
  std::string values;
  for (const auto& row : scan.partitions.values) {
    const auto& value = row[static_cast<size_t>(column)];
    values += (values.empty() ? "" : ", ") + (value ? QuoteText(*value, duckdb) : "NULL");
  }
  return fmt::format("CAST([{}] AS {}[])[CAST(file_index AS BIGINT) + 1] AS {}", values, type,
                     QuoteName(scan.partitions.columns->field(column)->name(), duckdb));
}

// A column of the files called file_index would hide DuckDB's, and rows would get the partition
// values of other files.
Status CheckFileNumbers(const Scan& scan) {
  if (scan.partitions.columns == nullptr) return Status::OK();
  for (const std::string& name : scan.schema->field_names()) {
    if (Lower(name) != "file_index") continue;
    return Fail(
        {.exit = Exit::kInput,
         .what = "a table with partitions cannot have the column \"" + name + "\" on this engine",
         .where = "table " + scan.table,
         .why = "the embedded engine uses that name to number files",
         .fix = "rename the column"});
  }
  return Status::OK();
}

// The columns after those of the files, each with a comma before it.
Result<std::string> PartitionColumns(const Scan& scan) {
  std::string columns;
  const arrow::Schema* const schema = scan.partitions.columns.get();
  for (int i = 0; schema != nullptr && i < schema->num_fields(); ++i) {
    PT_LET(const std::string type, TypeText(*schema->field(i)->type(), DuckDbDialect()));
    columns += ", " + PartitionColumn(scan, i, type);
  }
  return columns;
}

// Adds no rows, only the number to expect: see local/estimate.h.
std::string Estimate(int64_t rows, const std::string& typed) {
  if (rows < 0) return "";
  return fmt::format(" UNION ALL SELECT * FROM pt_estimate({}, NULL::STRUCT({}))", rows, typed);
}

// Lines may be 16 MiB long, and a buffer holds two of them. DuckDB's default has room for sixteen,
// 256 MiB for each open file.
Result<std::string> DuckDbCsv(const Scan& scan, int64_t rows) {
  const Dialect& duckdb = DuckDbDialect();
  std::string columns, selected, typed;
  const SchemaPtr files = SchemaOfFiles(scan);
  for (const auto& field : files->fields()) {
    PT_LET(std::string type, TypeText(*field->type(), duckdb));
    const std::string comma = columns.empty() ? "" : ", ";
    columns += comma + QuoteText(field->name(), duckdb) + ": " + QuoteText(type, duckdb);
    selected += comma + ScannedColumn(*field, scan);
  }
  for (const auto& field : scan.schema->fields()) {
    PT_LET(std::string type, TypeText(*field->type(), duckdb));
    typed += (typed.empty() ? "" : ", ") + QuoteName(field->name(), duckdb) + " " + type;
  }
  PT_LET(const std::string partitions, PartitionColumns(scan));
  const std::string nulls =
      scan.csv.null.empty() ? "['']" : "[" + QuoteText(scan.csv.null.all.front(), duckdb) + ", '']";
  return fmt::format(
      "SELECT {}{} FROM read_csv({}, auto_detect = false, header = {}, delim = {}, quote = '\"', "
      "escape = '\"', nullstr = {}, allow_quoted_nulls = false, strict_mode = true, "
      "max_line_size = 16777216, buffer_size = 33554432, hive_partitioning = false, "
      "columns = {{{}}}){}",
      selected, partitions, PathList(scan), scan.csv.header, QuoteText(scan.csv.delimiter, duckdb),
      nulls, columns, Estimate(rows, typed));
}

}  // namespace

std::string AttachedName(const Source& source) {
  const Source database{.kind = source.kind,
                        .file = source.file,
                        .connection = source.connection,
                        .version = source.version};
  return "pt_" + Sha256Hex(SourceKey(database)).substr(0, 16);
}

std::string SourceView(const Source& source) {
  return fmt::format("{} ({})", DescribeSource(source), Sha256Hex(SourceKey(source)).substr(0, 8));
}

Result<std::string> DuckDbNamed(const NamedTable& table) {
  if (!table.source) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = "the embedded engine has no catalogue with a table \"" + table.name + "\"",
         .fix = "say where it lies (docs/sources.md), or run on Spark: --engine sc://HOST"});
  }
  return "SELECT * FROM " + QuoteName(SourceView(*table.source), DuckDbDialect());
}

// DuckDB expands *, ? and [...] in every path it reads; a single letter in brackets stands for
// itself.
std::string DuckDbPath(const std::string& path) {
  std::string literal;
  for (const char c : path) {
    literal += c == '[' || c == '*' || c == '?' ? std::string{'[', c, ']'} : std::string(1, c);
  }
  return literal;
}

Result<std::string> DuckDbScan(const Scan& scan, int64_t rows) {
  if (scan.schema == nullptr) {
    return Fail({.exit = Exit::kBug, .what = "table " + scan.table + " has no schema"});
  }
  PT_TRY(CheckFileNumbers(scan));
  if (scan.format == Format::kCsv) return DuckDbCsv(scan, rows);
  std::string columns;
  const SchemaPtr files = SchemaOfFiles(scan);
  for (const auto& field : files->fields()) {
    const std::string name = QuoteName(field->name(), DuckDbDialect());
    // DuckDB looks up the hash of 0.0 in a bloom filter and skips rows with -0.0, which equals it.
    // It does not use the filter if a column is computed; x - 0.0 is x for every x.
    const bool hashed = std::ranges::find(scan.hashed, field->name()) != scan.hashed.end();
    const bool single = field->type()->id() == arrow::Type::FLOAT;
    columns +=
        (columns.empty() ? "" : ", ") +
        (hashed ? fmt::format("{0} - 0.0::{1} AS {0}", name, single ? "FLOAT" : "DOUBLE") : name);
  }
  PT_LET(const std::string partitions, PartitionColumns(scan));
  // Most writers leave NaN out of a column's bounds. By default DuckDB takes these for complete,
  // and drops rows with NaN that a comparison should return: NaN is the greatest number.
  return fmt::format(
      "SELECT {}{} FROM read_parquet({}, hive_partitioning = false, can_have_nan = true)", columns,
      partitions, PathList(scan));
}

}  // namespace protium
