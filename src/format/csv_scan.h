// SPDX-License-Identifier: Apache-2.0
// Cells of CSV text, one after another, without copies.
//
// 1. A cell may be quoted with "; inside quotes "" is a quote, and delimiters and line breaks are
//    text. After a closing quote only a delimiter or the end of the line may follow.
// 2. Lines end with \n, \r\n or \r, all in one way: DuckDB refuses a mixture. Lines without a
//    character are skipped, except in a table of one column, where each is a null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct CsvCell {
  std::string_view text;  // Between the quotes, "" not undone.
  bool quoted = false;
  bool doubled = false;  // Holds "" that stand for ".
};

// The text the cell stands for.
std::string CsvText(const CsvCell& cell);

// Reads the text once, front to back, at the memory's speed. One thread.
class CsvScanner {
 public:
  // `path` is for messages only. `text` must outlive the scanner.
  CsvScanner(std::string_view text, char delimiter, std::string path);

  // Reads one row into `cells`; false at the end. A malformed cell is a fault with file and line.
  Result<bool> Next(std::vector<CsvCell>& cells);

  // The text behind the last row.
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }

  // How lines end as far as they were read; empty before the first end.
  std::string_view line_end() const { return line_end_; }

  // Whether a cell so far held a line break.
  bool broken() const { return broken_; }

  // The line on which the last row began, from 1.
  int64_t line() const { return row_line_; }

 private:
  Status ReadQuoted(CsvCell& cell);
  bool SkipPlain();
  void ReadPlain(CsvCell& cell);
  bool AtLineEnd() const { return at_ == end_ || *at_ == '\n' || *at_ == '\r'; }
  Status SkipLineEnd();

  const char* at_;
  const char* end_;
  char delimiter_;
  std::string path_;
  int64_t line_ = 1;
  int64_t row_line_ = 0;
  bool broken_ = false;
  std::string_view line_end_;
};

}  // namespace protium
