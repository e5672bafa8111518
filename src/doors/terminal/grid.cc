// SPDX-License-Identifier: Apache-2.0
#include "terminal/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "column/cells.h"
#include "run/terminal.h"
#include "terminal/text_table.h"

namespace protium {
namespace {

constexpr int32_t kWidestCell = 32;

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
  // The first column is shown whatever its width.
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

}  // namespace protium
