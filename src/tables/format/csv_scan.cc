// SPDX-License-Identifier: Apache-2.0
#include "format/csv_scan.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/fault.h"

namespace protium {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string CsvText(const CsvCell& cell) {
  std::string text;
  text.reserve(cell.text.size());
  for (size_t i = 0; i < cell.text.size(); ++i) {
    text += cell.text[i];
    // Within `text` quotes come in pairs only, so the second of each is skipped.
    if (cell.doubled && cell.text[i] == '"') ++i;
  }
  return text;
}

CsvScanner::CsvScanner(std::string_view text, CsvSyntax syntax, std::string path, bool more)
    : at_(text.data()),
      end_(text.data() + text.size()),
      syntax_(syntax),
      path_(std::move(path)),
      more_(more) {}

void CsvScanner::Continue(std::string_view text, bool more) {
  at_ = text.data();
  end_ = text.data() + text.size();
  more_ = more;
}

Status CsvScanner::SkipLineEnd() {
  if (at_ == end_) return Status::OK();
  // Its second half may come with the text that follows.
  if (more_ && *at_ == '\r' && at_ + 1 == end_) {
    at_ = end_;
    return Status::OK();
  }
  const bool two = *at_ == '\r' && at_ + 1 < end_ && at_[1] == '\n';
  const std::string_view line_end = two ? "\r\n" : *at_ == '\r' ? "\r" : "\n";
  if (line_end_.empty()) line_end_ = line_end;
  if (line_end_ != line_end) {
    return Fail({.exit = Exit::kInput,
                 .what = "mixed line endings: this line ends differently from those before it",
                 .where = fmt::format("{}:{}", path_, line_),
                 .fix = fmt::format("use one line ending: sed -i 's/\\r$//' {}", path_)});
  }
  at_ += line_end.size();
  ++line_;
  return Status::OK();
}

// Reads from quote to quote. Also counts lines: a cell may span many.
Status CsvScanner::ReadQuoted(CsvCell& cell) {
  const int64_t opened = line_;
  const char* const start = ++at_;
  cell.quoted = true;
  while (true) {
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', end_ - at_));
    if (quote == nullptr) {
      at_ = end_;
      if (more_) return Status::OK();
      return Fail({.exit = Exit::kInput,
                   .what = "a quoted cell is never closed",
                   .where = fmt::format("{}:{}", path_, opened),
                   .fix = "close the quote, or write a quote inside a cell as \"\""});
    }
    for (const char* c = at_; c < quote; ++c) {
      broken_ = broken_ || *c == '\n' || *c == '\r';
      // c[1] is readable: a quote follows at the latest.
      line_ += *c == '\n' || (*c == '\r' && c[1] != '\n') ? 1 : 0;
    }
    at_ = quote + 1;
    if (at_ == end_ || *at_ != '"') break;
    cell.doubled = true;
    ++at_;
  }
  cell.text = {start, static_cast<size_t>(at_ - 1 - start)};
  if (syntax_.trim) SkipBlanks();
  if (AtLineEnd() || *at_ == syntax_.delimiter) return Status::OK();
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("text follows the closing quote of \"{}\"", cell.text),
               .where = fmt::format("{}:{}", path_, line_),
               .fix = "quote the whole cell, and write a quote inside it as \"\""});
}

// Goes to the end of a plain cell, 16 characters at a time; returns false if fewer than 16 are left
// and the end is not before them. Each comparison sets the bytes that are equal, movemask makes a
// bit of each byte, and the lowest bit is the first of them.
bool CsvScanner::SkipPlain() {
#if defined(__SSE2__)
  const __m128i delimiter = _mm_set1_epi8(syntax_.delimiter);
  const __m128i feed = _mm_set1_epi8('\n'), back = _mm_set1_epi8('\r');
  for (; end_ - at_ >= 16; at_ += 16) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
    const __m128i line = _mm_or_si128(_mm_cmpeq_epi8(text, feed), _mm_cmpeq_epi8(text, back));
    const __m128i found = _mm_or_si128(line, _mm_cmpeq_epi8(text, delimiter));
    const auto places = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (places == 0) continue;
    at_ += std::countr_zero(places);
    return true;
  }
#endif
  return false;
}

void CsvScanner::ReadPlain(CsvCell& cell) {
  const char* const start = at_;
  if (!SkipPlain()) {
    while (at_ < end_ && *at_ != syntax_.delimiter && *at_ != '\n' && *at_ != '\r') ++at_;
  }
  const char* end = at_;
  while (syntax_.trim && end > start && IsBlank(end[-1])) --end;
  cell.text = {start, static_cast<size_t>(end - start)};
}

void CsvScanner::SkipBlanks() {
  while (at_ < end_ && IsBlank(*at_) && *at_ != syntax_.delimiter) ++at_;
}

Status CsvScanner::SkipComment() {
  while (!AtLineEnd()) ++at_;
  return SkipLineEnd();
}

Status CsvScanner::ReadCells(std::vector<CsvCell>& cells) {
  while (true) {
    CsvCell& cell = cells.emplace_back();
    if (syntax_.trim) SkipBlanks();
    if (at_ < end_ && *at_ == '"') {
      PT_TRY(ReadQuoted(cell));
    } else {
      ReadPlain(cell);
    }
    if (AtLineEnd()) break;
    ++at_;
  }
  return SkipLineEnd();
}

// The size of `cells` shows whether this is a table of one column, where an empty line is a row.
Result<bool> CsvScanner::ReadRow(std::vector<CsvCell>& cells) {
  const bool one_column = cells.size() == 1;
  while (at_ < end_) {
    if (syntax_.comment != 0 && *at_ == syntax_.comment) {
      PT_TRY(SkipComment());
    } else if (AtLineEnd() && !one_column) {
      PT_TRY(SkipLineEnd());
    } else {
      break;
    }
  }
  cells.clear();
  if (at_ == end_) return false;
  row_line_ = line_;
  PT_TRY(ReadCells(cells));
  return true;
}

// A row that reaches the end of the text may continue after it, so it is taken back if more text
// may follow.
Result<bool> CsvScanner::Next(std::vector<CsvCell>& cells) {
  if (!more_) return ReadRow(cells);
  const char* const start = at_;
  const int64_t line = line_;
  const bool broken = broken_;
  const size_t columns = cells.size();
  PT_TRY(ReadRow(cells).status());
  if (at_ < end_) return true;
  at_ = start;
  line_ = line;
  broken_ = broken;
  cells.resize(columns);
  return false;
}

}  // namespace protium
