// SPDX-License-Identifier: Apache-2.0
#include "terminal/text_table.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "run/terminal.h"

namespace protium {
namespace {

// In characters, as a terminal counts columns.
constexpr size_t kPageWidth = 100;

}  // namespace

std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      const std::vector<bool>& right) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], size_t(TextWidth(row[i])));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool to_right = i < right.size() && right[i];
      // fmt would count wide characters twice, unlike the widths.
      const std::string blanks(widths[i] - size_t(TextWidth(row[i])), ' ');
      line += (i == 0 ? "" : "  ") + (to_right ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string FittedTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right) {
  constexpr int32_t kNarrowest = 7, kNarrowestFirst = 28;  // The first column identifies the row.
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

std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines = {""};
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    start = end + 1;
  }
  return lines;
}

std::string WrappedTable(const std::vector<std::vector<std::string>>& rows) {
  size_t before = 0;
  for (size_t column = 0; column + 1 < rows.front().size(); ++column) {
    size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row[column].size());
    before += widest + 2;
  }
  std::vector<std::vector<std::string>> broken;
  for (const auto& row : rows) {
    std::vector<std::string> cells = row;
    for (const std::string& line :
         Wrapped(row.back(), kPageWidth - std::min(before, kPageWidth / 2))) {
      cells.back() = line;
      broken.push_back(cells);
      // The other columns appear only in the first line.
      cells.assign(row.size(), "");
    }
  }
  return TextTable(broken);
}

}  // namespace protium
