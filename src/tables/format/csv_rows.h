// SPDX-License-Identifier: Apache-2.0
// Reads CSV in every form that CsvOptions describe, from a stream of text, row by row. Cells follow
// csv_scan.h and types cell_type.h: there is one set of rules.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/csv_scan.h"
#include "format/text_source.h"

namespace protium {

// One file. Holds the rows of one piece of text. One thread.
class CsvRows {
 public:
  // Reads the names of the columns. `options` have passed CheckCsvOptions().
  static Result<CsvRows> Open(const std::string& path, const CsvOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  const std::string& delimiter() const { return options_.delimiter; }  // Never "auto".
  // Reads the next row with a cell for each column; false at the end. Handles rows of another
  // length as options.ragged says.
  Result<bool> Next();
  // The cells of the last row; valid until the next one is read.
  const std::vector<CsvCell>& cells() const { return cells_; }
  int64_t line() const { return scanner_->line(); }
  int64_t skipped() const { return skipped_; }              // Rows left out so far.
  int64_t first_skipped() const { return first_skipped_; }  // The line of the first of them.
  const TextSource& source() const { return *source_; }

 private:
  CsvRows(std::string path, const CsvOptions& options)
      : path_(std::move(path)), options_(options) {}
  Status ReadNames();
  Result<bool> Scan();
  Result<bool> Settle();

  std::string path_;
  CsvOptions options_;
  std::unique_ptr<TextSource> source_;
  std::unique_ptr<std::string> text_;  // What the scanner reads; it must not move.
  std::unique_ptr<CsvScanner> scanner_;
  bool ended_ = false;
  bool pending_ = false;  // Without a header, the first row is already in `cells_`.
  std::vector<std::string> names_;
  std::vector<CsvCell> cells_;
  int64_t skipped_ = 0;
  int64_t first_skipped_ = 0;
};

}  // namespace protium
