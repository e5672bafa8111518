// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "column/schema.h"
#include "format/csv_scan.h"
#include "os/file.h"
#include "sql/dialect.h"

namespace protium {
namespace {

std::string ComparedType(const std::string& type) { return type.starts_with("int") ? "int" : type; }

// Prefix of a column that contains the type of another column.
constexpr std::string_view kTypeOf = "pt_type_of_";

bool TellsType(const std::string& name) { return name.starts_with(kTypeOf); }

template <class Number>
std::string NumberText(Number value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

std::string QuotedText(std::string_view text) { return fmt::format("\"{}\"", text); }

// 2013-12-31 23:59:00, with six digits of a fraction if it has one.
std::string TimeText(int64_t micros) {
  const arrow::TimestampScalar at(micros, arrow::timestamp(arrow::TimeUnit::MICRO));
  std::string text = at.ToString();
  if (text.ends_with(".000000")) text.resize(text.size() - 7);
  return text;
}

Result<std::string> CellText(const arrow::Scalar& cell) {
  if (!cell.is_valid) return "null";
  switch (cell.type->id()) {
    case arrow::Type::FLOAT:
      return NumberText(static_cast<const arrow::FloatScalar&>(cell).value);
    case arrow::Type::DOUBLE:
      return NumberText(static_cast<const arrow::DoubleScalar&>(cell).value);
    case arrow::Type::STRING:
      return QuotedText(static_cast<const arrow::StringScalar&>(cell).view());
    case arrow::Type::TIMESTAMP:
      return TimeText(static_cast<const arrow::TimestampScalar&>(cell).value);
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
      return cell.ToString();
    default:
      return Status::TypeError("answers do not hold ", cell.type->ToString());
  }
}

// The cell of a file as CellText writes it.
std::string NormalText(const CsvCell& cell, const std::string& type) {
  if (cell.quoted) return QuotedText(CsvText(cell));
  const std::string text(cell.text);
  if (text == "null") return text;
  if (type == "float32") return NumberText(std::strtof(text.c_str(), nullptr));
  if (type == "float64") return NumberText(std::strtod(text.c_str(), nullptr));
  return text;
}

std::string Join(const std::string& header, std::vector<std::string>& rows, bool ordered) {
  if (!ordered) std::sort(rows.begin(), rows.end());
  return fmt::format("{}\n{}\n", header, fmt::join(rows, "\n"));
}

struct ReadRows {
  std::vector<std::string> rows;
  std::map<std::string, std::string> decimals;  // Types by the names of columns.
};

// Decimals come as text and are written without quotes, like numbers.
Result<std::string> DecimalText(const arrow::Scalar& cell) {
  if (!cell.is_valid) return "null";
  return std::string(static_cast<const arrow::StringScalar&>(cell).view());
}

Status AddRow(const arrow::RecordBatch& batch, int64_t row, ReadRows& read) {
  std::vector<std::string> cells;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const std::string& name = batch.column_name(i);
    PT_LET(const auto cell, batch.column(i)->GetScalar(row));
    if (TellsType(name)) {
      PT_LET(read.decimals[name.substr(kTypeOf.size())], DecimalText(*cell));
      continue;
    }
    const bool decimal = batch.schema()->GetFieldIndex(std::string(kTypeOf) + name) >= 0;
    PT_LET(cells.emplace_back(), decimal ? DecimalText(*cell) : CellText(*cell));
  }
  read.rows.push_back(fmt::format("{}", fmt::join(cells, ",")));
  return Status::OK();
}

Result<std::string> FormatHeader(const arrow::Schema& schema, const ReadRows& read) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) {
    if (TellsType(field->name())) continue;
    const bool decimal = schema.GetFieldIndex(std::string(kTypeOf) + field->name()) >= 0;
    const auto told = read.decimals.find(field->name());
    PT_LET(std::string type, TypeName(*field->type()));
    if (decimal) type = told == read.decimals.end() ? "decimal" : told->second;
    names.push_back(field->name() + ":" + ComparedType(type));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

// The names and types in the header of an answer's file.
std::vector<std::pair<std::string, std::string>> ReadHeader(const std::vector<CsvCell>& cells) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const CsvCell& cell : cells) {
    const std::string name = CsvText(cell);
    const size_t colon = name.rfind(':');
    columns.emplace_back(name.substr(0, colon), ComparedType(name.substr(colon + 1)));
  }
  return columns;
}

}  // namespace

Result<std::string> FormatAnswer(BatchStream& stream, bool ordered) {
  ReadRows read;
  while (true) {
    PT_LET(const auto batch, stream.Next());
    if (batch == nullptr) break;
    for (int64_t row = 0; row < batch->num_rows(); ++row) PT_TRY(AddRow(*batch, row, read));
  }
  PT_LET(const std::string header, FormatHeader(*stream.schema(), read));
  return Join(header, read.rows, ordered);
}

Result<Answer> ReadAnswer(const std::filesystem::path& path, bool ordered) {
  PT_LET(const std::string text, ReadFile(path));
  if (text.starts_with("!fails")) return Answer{text, {}};
  CsvScanner scanner(text, ',', path.string());
  std::vector<CsvCell> cells;
  PT_TRY(scanner.Next(cells));
  auto columns = ReadHeader(cells);
  std::vector<std::string> rows, names;
  while (true) {
    PT_LET(const bool more, scanner.Next(cells));
    if (!more) break;
    if (cells.size() != columns.size()) return Status::Invalid(path, ": a row of another width");
    std::vector<std::string> row;
    for (size_t i = 0; i < cells.size(); ++i) {
      row.push_back(NormalText(cells[i], columns[i].second));
    }
    rows.push_back(fmt::format("{}", fmt::join(row, ",")));
  }
  Answer answer;
  for (auto& [name, type] : columns) {
    const bool decimal = type.starts_with("decimal");
    if (decimal) answer.decimals.push_back(name);
    answer.columns.push_back(name);
    // Only a row shows how wide a decimal is.
    names.push_back(name + ":" + (decimal && rows.empty() ? "decimal" : type));
  }
  answer.text = Join(fmt::format("{}", fmt::join(names, ",")), rows, ordered);
  return answer;
}

std::string ReportDecimals(const Answer& answer) {
  const auto quoted = [](const std::string& name) { return QuoteName(name, SparkDialect()); };
  std::string list;
  for (const std::string& name : answer.columns) {
    const bool decimal =
        std::find(answer.decimals.begin(), answer.decimals.end(), name) != answer.decimals.end();
    list += list.empty() ? "" : ", ";
    list += decimal ? fmt::format("CAST({0} AS STRING) AS {0}, typeof({0}) AS {1}", quoted(name),
                                  quoted(std::string(kTypeOf) + name))
                    : quoted(name);
  }
  return "SELECT " + list + " FROM answer";
}

}  // namespace protium
