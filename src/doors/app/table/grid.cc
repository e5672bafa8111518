// SPDX-License-Identifier: Apache-2.0
#include "app/table/grid.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "app/reference/pages.h"
#include "app/verb.h"
#include "column/cells.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int32_t kWidestCell = 32;
constexpr int32_t kGap = 2;  // Between columns, as TextTable() has it.

// Name, type and cells of one column.
std::vector<std::string> TextsOf(const arrow::RecordBatch& rows, int column) {
  const auto& field = *rows.schema()->field(column);
  std::vector<std::string> texts = {CutToWidth(field.name(), kWidestCell),
                                    CutToWidth(TypeText(*field.type()), kWidestCell)};
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    texts.push_back(CutToWidth(CellText(*rows.column(column), i), kWidestCell));
  }
  return texts;
}

int32_t WidthOf(const std::vector<std::string>& texts) {
  int32_t width = 0;
  for (const std::string& text : texts) width = std::max(width, TextWidth(text));
  return width;
}

// "3 more columns: a, b, c"
std::string RestText(const arrow::Schema& schema, int from, int32_t width) {
  const int left = schema.num_fields() - from;
  std::string text = fmt::format("{} more column{}: ", left, left == 1 ? "" : "s");
  for (int c = from; c < schema.num_fields(); ++c) {
    text += (c > from ? ", " : "") + schema.field(c)->name();
  }
  return CutToWidth(text, width) + "\n";
}

}  // namespace

std::string DrawGrid(const arrow::RecordBatch& rows, int32_t width) {
  if (rows.num_columns() == 0) return {};
  std::vector<std::vector<std::string>> lines(size_t(rows.num_rows()) + 2);
  std::vector<bool> right;
  int32_t used = 0;
  int column = 0;
  // The first column is shown however wide it is.
  for (; column < rows.num_columns(); ++column) {
    const std::vector<std::string> texts = TextsOf(rows, column);
    const int32_t needed = WidthOf(texts) + (column > 0 ? kGap : 0);
    if (column > 0 && used + needed > width) break;
    used += needed;
    right.push_back(IsNumber(*rows.schema()->field(column)->type()));
    for (size_t i = 0; i < texts.size(); ++i) lines[i].push_back(texts[i]);
  }
  const std::string text = TextTable(lines, right);
  return column == rows.num_columns() ? text : text + RestText(*rows.schema(), column, width);
}

std::string FittedTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right) {
  constexpr int32_t kNarrowest = 7, kNarrowestFirst = 28;  // The first column says what a row is.
  if (isatty(STDOUT_FILENO) == 0) return TextTable(rows, right);
  std::vector<int32_t> widths(1);
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], TextWidth(row[i]));
  }
  int32_t over = kGap * (int32_t(widths.size()) - 1) - Terminal::Of(STDOUT_FILENO).width;
  for (const int32_t each : widths) over += each;
  for (; over > 0; --over) {
    const auto rest = std::ranges::max_element(widths.begin() + 1, widths.end());
    const bool first = widths[0] > kNarrowestFirst && (rest == widths.end() || *rest < widths[0]);
    if (!first && (rest == widths.end() || *rest <= kNarrowest)) break;
    --(first ? widths[0] : *rest);
  }
  for (auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = CutToWidth(row[i], widths[i]);
  }
  return TextTable(rows, right);
}

std::string FittedLines(const std::string& text) {
  if (isatty(STDOUT_FILENO) == 0) return text;
  const auto width = size_t(Terminal::Of(STDOUT_FILENO).width);
  std::stringstream lines(text);
  std::string fitted;
  for (std::string line; std::getline(lines, line);) {
    if (size_t(TextWidth(line)) <= width) {
      fitted += line + "\n";
      continue;
    }
    const size_t blanks = std::min(line.find_first_not_of(' '), width / 2);
    std::string indent(blanks, ' ');
    for (const std::string& each : Wrapped(line.substr(blanks), width - blanks - 2)) {
      fitted += indent + each + "\n";
      indent.resize(blanks + 2, ' ');
    }
  }
  return fitted;
}

std::string Shown(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.5g}", value.get<double>());
  if (value.is_number_integer()) return Grouped(value.get<int64_t>());
  if (!value.is_array()) return Dump(value);
  std::string list;
  for (const Json& each : value) list += (list.empty() ? "" : ", ") + Shown(each);
  return list;
}

}  // namespace protium
