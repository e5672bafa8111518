// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/table_read.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <charconv>

#include "base/fault.h"
#include "sources/source.h"

namespace protium {

Result<TextRows> TextsOf(BatchStream& stream) {
  TextRows rows;
  while (true) {
    PT_LET(const auto batch, stream.Next());
    if (batch == nullptr) return rows;
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      auto& row = rows.emplace_back();
      for (const auto& column : batch->columns()) {
        PT_LET(const auto cell, column->GetScalar(i));
        row.push_back(cell->is_valid ? std::optional(cell->ToString()) : std::nullopt);
      }
    }
  }
}

Status NoTable(const Source& source) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("there is no table \"{}\"", source.table),
               .where = DescribeSource(source)});
}

Status NoColumn(const Source& source, const std::string& column, const std::string& type) {
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("column \"{}\" has a type that tables do not support: {}", column, type),
       .where = DescribeSource(source),
       .fix = RowOf(source.kind).query.empty()
                  ? "leave the column out of the table"
                  : "say query = \"SELECT ...\" without it, or with a cast"});
}

// A comment at the query's end must not hide the parenthesis.
std::string Nested(const std::string& query) {
  const size_t end = query.find_last_not_of("; \t\r\n");
  return "(" + query.substr(0, end == query.npos ? 0 : end + 1) + "\n)";
}

int64_t NumberIn(const std::optional<std::string>& cell) {
  int64_t number = 0;
  if (cell) std::from_chars(cell->data(), cell->data() + cell->size(), number);
  return number;
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

std::string SqlText(const std::string& text, bool backslashes) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += std::string(c == '\'' || (c == '\\' && backslashes) ? 2 : 1, c);
  }
  return quoted + "'";
}

}  // namespace protium
