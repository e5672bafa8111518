// SPDX-License-Identifier: Apache-2.0
#include "format/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/csv_options.h"

namespace protium {
Result<CsvRows> CsvRows::Open(const std::string& path, const CsvOptions& options) {
  CsvRows rows(path, options);
  PT_LET(rows.source_, TextSource::Open(path, options.encoding));
  rows.text_ = std::make_unique<std::string>();
  PT_LET(const bool any, rows.source_->Append(*rows.text_));
  rows.ended_ = !any;
  if (options.delimiter == "auto") {
    rows.options_.delimiter = std::string(1, FindDelimiter(*rows.text_, options));
  } else if (MayHaveTabs(path, options) &&
             std::string_view(*rows.text_).substr(0, rows.text_->find('\n')).find('\t') !=
                 std::string_view::npos) {
    rows.options_.delimiter = "\t";
  }
  rows.scanner_ =
      std::make_unique<CsvScanner>(*rows.text_, SyntaxOf(rows.options_), path, /*more=*/any);
  PT_TRY(rows.ReadNames());
  return rows;
}

Status CsvRows::ReadNames() {
  PT_LET(const bool any, Scan());
  if (!any) return Fail({.exit = Exit::kInput, .what = "the file is empty", .where = path_});
  PT_LET(names_, CsvNames(cells_, options_, path_, line()));
  pending_ = !options_.header;
  return Status::OK();
}

// Retains the text from the row that its end may have cut, and reads on after it.
Result<bool> CsvRows::Scan() {
  while (true) {
    cells_.resize(names_.size());  // Shows the scanner whether this is a table of one column.
    PT_LET(const bool row, scanner_->Next(cells_));
    if (row || ended_) return row;
    text_->erase(0, text_->size() - scanner_->rest().size());
    if (text_->size() > kLongestCsvRow) return RowTooLong(path_, line() + 1);
    PT_LET(const bool more, source_->Append(*text_));
    ended_ = !more;
    scanner_->Continue(*text_, more);
  }
}

// Whether the row in `cells_` counts, after it was padded if requested.
Result<bool> CsvRows::Settle() {
  const size_t wanted = names_.size();
  if (cells_.size() == wanted) return true;
  const bool spare =
      std::all_of(cells_.begin() + std::ptrdiff_t(std::min(wanted, cells_.size())), cells_.end(),
                  [](const CsvCell& cell) { return cell.text.empty(); });
  if (options_.ragged == Ragged::kPad && spare) {
    cells_.resize(wanted);
    return true;
  }
  if (options_.ragged != Ragged::kSkip) {
    return WrongCellCount(path_, line(), cells_.size(), wanted);
  }
  if (++skipped_ == 1) first_skipped_ = line();
  return false;
}

Result<bool> CsvRows::Next() {
  if (std::exchange(pending_, false)) return true;
  while (true) {
    PT_LET(const bool row, Scan());
    if (!row) return false;
    PT_LET(const bool counts, Settle());
    if (counts) return true;
  }
}

}  // namespace protium
