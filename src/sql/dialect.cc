// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/fault.h"
#include "sql/duckdb_path.h"

namespace protium {
namespace {

std::string PathList(const Scan& scan) {
  std::string list;
  for (const std::string& path : scan.paths) {
    list += (list.empty() ? "" : ", ") + QuoteText(DuckDbPath(path), DuckDbDialect());
  }
  return "[" + list + "]";
}

// Quoted nulls of text columns become null here, because DuckDB has one rule for the null word and
// for the empty cell, and a quoted empty cell is an empty text.
std::string ScannedColumn(const arrow::Field& field, const Scan& scan) {
  const Dialect& duckdb = DuckDbDialect();
  const std::string name = QuoteName(field.name(), duckdb);
  if (scan.csv.null.empty() || field.type()->id() != arrow::Type::STRING) return name;
  return fmt::format("nullif({0}, {1}) AS {0}", name, QuoteText(scan.csv.null, duckdb));
}

// Adds no row, but how many are to be expected: local/estimate.h.
std::string Estimate(int64_t rows, const std::string& typed) {
  if (rows < 0) return "";
  return fmt::format(" UNION ALL SELECT * FROM pt_estimate({}, NULL::STRUCT({}))", rows, typed);
}

// Buffers hold two of the longest lines: by itself DuckDB takes room for sixteen, 256 MiB a file.
Result<std::string> DuckDbCsv(const Scan& scan, int64_t rows) {
  const Dialect& duckdb = DuckDbDialect();
  std::string columns, selected, typed;
  for (const auto& field : scan.schema->fields()) {
    PT_LET(std::string type, TypeText(*field->type(), duckdb));
    const std::string comma = columns.empty() ? "" : ", ";
    columns += comma + QuoteText(field->name(), duckdb) + ": " + QuoteText(type, duckdb);
    selected += comma + ScannedColumn(*field, scan);
    typed += comma + QuoteName(field->name(), duckdb) + " " + type;
  }
  const std::string nulls =
      scan.csv.null.empty() ? "['']" : "[" + QuoteText(scan.csv.null, duckdb) + ", '']";
  return fmt::format(
      "SELECT {} FROM read_csv({}, auto_detect = false, header = {}, delim = {}, quote = '\"', "
      "escape = '\"', nullstr = {}, allow_quoted_nulls = false, strict_mode = true, "
      "max_line_size = 16777216, buffer_size = 33554432, hive_partitioning = false, "
      "columns = {{{}}}){}",
      selected, PathList(scan), scan.csv.header, QuoteText(scan.csv.delimiter, duckdb), nulls,
      columns, Estimate(rows, typed));
}

Result<std::string> DuckDbScan(const Scan& scan, int64_t rows) {
  if (scan.schema == nullptr) {
    return Fail({.exit = Exit::kBug, .what = "table " + scan.table + " has no schema"});
  }
  if (scan.format == Format::kCsv) return DuckDbCsv(scan, rows);
  std::string columns;
  for (const auto& field : scan.schema->fields()) {
    columns += (columns.empty() ? "" : ", ") + QuoteName(field->name(), DuckDbDialect());
  }
  return fmt::format("SELECT {} FROM read_parquet({}, hive_partitioning = false)", columns,
                     PathList(scan));
}

constexpr Dialect kDuckDb = {.name = "duckdb",
                             .quote = '"',
                             .text_escape = "''",
                             .backslash = false,
                             .spelling = &Function::duckdb,
                             .part_side = "pt_part_side",
                             .boolean_type = "BOOLEAN",
                             .int32_type = "INTEGER",
                             .int64_type = "BIGINT",
                             .float_type = "FLOAT",
                             .double_type = "DOUBLE",
                             .text_type = "VARCHAR",
                             .scan = DuckDbScan,
                             .place = "enum_code(TRY_CAST({} AS ENUM({})))"};

constexpr Dialect kSpark = {.name = "spark",
                            .quote = '`',
                            .text_escape = "\\'",
                            .backslash = true,
                            .spelling = &Function::spark,
                            .part_side = "",
                            .boolean_type = "BOOLEAN",
                            .int32_type = "INT",
                            .int64_type = "BIGINT",
                            .float_type = "FLOAT",
                            .double_type = "DOUBLE",
                            .text_type = "STRING",
                            .scan = nullptr,
                            .place = ""};

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", value);
}

std::string LiteralText(const Literal& value, const Dialect& dialect) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "TRUE" : "FALSE";
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    // The smallest one cannot be written as a negated literal.
    return fmt::format("CAST('{}' AS {})", *whole, dialect.int64_type);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("CAST('{}' AS {})", NumberText(*number), dialect.double_type);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return QuoteText(*text, dialect);
  return "NULL";
}

std::string Fill(std::string_view spelling, const std::vector<std::string>& arguments) {
  std::string text;
  for (size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '$' || i + 1 == spelling.size()) {
      text += spelling[i];
    } else if (spelling[++i] == '*') {
      text += fmt::format("{}", fmt::join(arguments, ", "));
    } else {
      text += arguments[spelling[i] - '1'];
    }
  }
  return text;
}

Result<std::string> Render(const Expr& expr, const Dialect& dialect) {
  if (expr.kind == Expr::Kind::kColumn) return QuoteName(expr.name, dialect);
  if (expr.kind == Expr::Kind::kLiteral) return LiteralText(expr.value, dialect);
  std::vector<std::string> arguments;
  for (const Expr& argument : expr.arguments) {
    PT_LET(std::string text, Render(argument, dialect));
    arguments.push_back(std::move(text));
  }
  return Fill(FindFunction(expr.name)->*dialect.spelling, arguments);
}

}  // namespace

const Dialect& DuckDbDialect() { return kDuckDb; }
const Dialect& SparkDialect() { return kSpark; }

std::string QuoteName(std::string_view name, const Dialect& dialect) {
  std::string quoted(1, dialect.quote);
  for (const char c : name) quoted.append(c == dialect.quote ? 2 : 1, c);
  return quoted + dialect.quote;
}

std::string QuoteText(std::string_view text, const Dialect& dialect) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += dialect.text_escape;
    } else {
      quoted.append(c == '\\' && dialect.backslash ? 2 : 1, c);
    }
  }
  return quoted + "'";
}

Result<std::string> TypeText(const arrow::DataType& type, const Dialect& dialect) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return std::string(dialect.boolean_type);
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
      return std::string(dialect.int32_type);
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::INT64:
      return std::string(dialect.int64_type);
    case arrow::Type::FLOAT:
      return std::string(dialect.float_type);
    case arrow::Type::DOUBLE:
      return std::string(dialect.double_type);
    case arrow::Type::STRING:
      return std::string(dialect.text_type);
    case arrow::Type::BINARY:
      return std::string(dialect.backslash ? "BINARY" : "BLOB");
    case arrow::Type::DATE32:
      return std::string("DATE");
    case arrow::Type::TIMESTAMP:
      return std::string(dialect.backslash ? "TIMESTAMP_NTZ" : "TIMESTAMP");
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return fmt::format("DECIMAL({}, {})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::LIST: {
      PT_LET(std::string item,
             TypeText(*static_cast<const arrow::ListType&>(type).value_type(), dialect));
      return dialect.backslash ? "ARRAY<" + item + ">" : item + "[]";
    }
    default:
      return Fail({.exit = Exit::kInput,
                   .what = "columns of type " + type.ToString() + " are not supported"});
  }
}

std::string DuckDbPath(const std::string& path) {
  std::string literal;
  for (const char c : path) {
    literal += c == '[' || c == '*' || c == '?' ? std::string{'[', c, ']'} : std::string(1, c);
  }
  return literal;
}

Result<std::string> ExprText(const Expr& expr, const Dialect& dialect) {
  PT_TRY(Check(expr));
  return Render(expr, dialect);
}

}  // namespace protium
