// SPDX-License-Identifier: Apache-2.0
// Scans the cells of CSV text, one after another, without copies.
//
// 1. A cell may be quoted with "; inside quotes "" is a quote, and delimiters and line breaks are
//    text. After a closing quote only a delimiter or the end of the line may follow.
// 2. Lines end with \n, \r\n or \r, all in the same way: DuckDB refuses a mixture. Empty lines are
//    skipped, except in a table of one column, where each is a null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

struct CsvCell {
  std::string_view text;  // Between the quotes, "" not undone.
  bool quoted = false;
  bool doubled = false;  // Holds "" that stand for ".
};

// Returns the text that the cell stands for.
std::string CsvText(const CsvCell& cell);

struct CsvSyntax {
  char delimiter = ',';
  char comment = 0;  // Lines that begin with it are skipped; 0: none.
  bool trim =
      false;  // Blanks and tabs around cells, and around their quotes, are not part of them.
};

// Reads the text once, front to back, at memory speed. One thread.
class CsvScanner {
 public:
  // `path` is for messages only. `text` must outlive the scanner. With `more`, further text follows
  // (Continue()).
  CsvScanner(std::string_view text, CsvSyntax syntax, std::string path, bool more = false);
  CsvScanner(std::string_view text, char delimiter, std::string path)
      : CsvScanner(text, CsvSyntax{.delimiter = delimiter}, std::move(path)) {}

  // Reads one row into `cells`; false at the end, or if the text so far may end within a row. A
  // malformed cell is a fault with file and line.
  Result<bool> Next(std::vector<CsvCell>& cells);

  // Continues in `text`, which begins with rest(); `more` as above.
  void Continue(std::string_view text, bool more);

  // The text after the last row.
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }

  // How the lines read so far end; empty before the first line end.
  std::string_view line_end() const { return line_end_; }

  // Whether any cell so far held a line break.
  bool broken() const { return broken_; }

  // The line on which the last row began, from 1.
  int64_t line() const { return row_line_; }

 private:
  Result<bool> ReadRow(std::vector<CsvCell>& cells);
  Status ReadCells(std::vector<CsvCell>& cells);
  Status ReadQuoted(CsvCell& cell);
  Status SkipComment();
  void SkipBlanks();
  bool SkipPlain();
  void ReadPlain(CsvCell& cell);
  bool AtLineEnd() const { return at_ == end_ || *at_ == '\n' || *at_ == '\r'; }
  Status SkipLineEnd();

  const char* at_;
  const char* end_;
  CsvSyntax syntax_;
  std::string path_;
  bool more_;
  int64_t line_ = 1;
  int64_t row_line_ = 0;
  bool broken_ = false;
  std::string_view line_end_;
};

}  // namespace protium
