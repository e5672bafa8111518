// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "column/schema.h"
#include "format/csv_scan.h"
#include "os/file.h"

namespace protium {
namespace {

std::string ComparedType(const std::string& type) {
  if (type.starts_with("int")) return "int";
  return type.starts_with("decimal") ? "float64" : type;
}

template <class Number>
std::string NumberText(Number value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

std::string QuotedText(std::string_view text) { return fmt::format("\"{}\"", text); }

// 2013-12-31 23:59:00, or with six digits of a fraction where there is one.
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
    case arrow::Type::DECIMAL128:
      return NumberText(std::strtod(cell.ToString().c_str(), nullptr));
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

Status AddRows(const arrow::RecordBatch& batch, std::vector<std::string>& rows) {
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    std::vector<std::string> cells;
    for (const auto& column : batch.columns()) {
      PT_LET(const auto cell, column->GetScalar(row));
      PT_LET(cells.emplace_back(), CellText(*cell));
    }
    rows.push_back(fmt::format("{}", fmt::join(cells, ",")));
  }
  return Status::OK();
}

}  // namespace

Result<std::string> TextOf(BatchStream& stream, bool ordered) {
  std::vector<std::string> names, rows;
  for (const auto& field : stream.schema()->fields()) {
    PT_LET(const std::string type, TypeName(*field->type()));
    names.push_back(field->name() + ":" + ComparedType(type));
  }
  while (true) {
    PT_LET(const auto batch, stream.Next());
    if (batch == nullptr) return Join(fmt::format("{}", fmt::join(names, ",")), rows, ordered);
    PT_TRY(AddRows(*batch, rows));
  }
}

Result<std::string> ReadAnswer(const std::filesystem::path& path, bool ordered) {
  PT_LET(const std::string text, ReadFile(path));
  if (text.starts_with("!fails")) return text;
  CsvScanner scanner(text, ',', path.string());
  std::vector<CsvCell> cells;
  PT_TRY(scanner.Next(cells));
  std::vector<std::string> names, types, rows;
  for (const CsvCell& cell : cells) {
    const std::string name = CsvText(cell);
    const size_t colon = name.rfind(':');
    types.push_back(ComparedType(name.substr(colon + 1)));
    names.push_back(name.substr(0, colon + 1) + types.back());
  }
  while (true) {
    PT_LET(const bool more, scanner.Next(cells));
    if (!more) return Join(fmt::format("{}", fmt::join(names, ",")), rows, ordered);
    if (cells.size() != types.size()) return Status::Invalid(path, ": a row of another width");
    std::vector<std::string> row;
    for (size_t i = 0; i < cells.size(); ++i) row.push_back(NormalText(cells[i], types[i]));
    rows.push_back(fmt::format("{}", fmt::join(row, ",")));
  }
}

}  // namespace protium
