// SPDX-License-Identifier: Apache-2.0
#include "inspect/codes.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "format/csv_rows.h"

namespace protium {
namespace {

constexpr int64_t kMostRows = 100'000;  // Codes begin with 0 soon.

// Two digits are a month or an hour.
bool IsCode(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && std::ranges::all_of(text, IsDigit);
}

// Reads at most `left` rows of a file.
Status ReadFrom(const std::string& file, const CsvOptions& csv, const TableProfile& table,
                int64_t& left, std::map<std::string, std::string>& found) {
  PT_LET(CsvRows rows, CsvRows::Open(file, csv));
  std::vector<size_t> asked;
  for (size_t i = 0; i < rows.names().size(); ++i) {
    const ColumnProfile* const column = table.Find(rows.names()[i]);
    if (column != nullptr && arrow::is_integer(column->type->id())) asked.push_back(i);
  }
  while (!asked.empty() && left-- > 0) {
    PT_LET(const bool more, rows.Next());
    if (!more) return Status::OK();
    for (const size_t place : asked) {
      const std::string_view text = rows.cells()[place].text;
      if (IsCode(text)) found.emplace(rows.names()[place], text);
    }
  }
  return Status::OK();
}

}  // namespace

Result<std::vector<CodeColumn>> FindCodes(const std::vector<std::string>& files,
                                          const CsvOptions& csv, const TableProfile& table) {
  std::map<std::string, std::string> found;
  int64_t left = kMostRows;
  for (const std::string& each : files) {
    if (left > 0) PT_TRY(ReadFrom(each, csv, table, left, found));
  }
  std::vector<CodeColumn> codes;
  for (const auto& [column, example] : found) codes.push_back({column, example});
  return codes;
}

}  // namespace protium
