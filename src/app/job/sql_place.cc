// SPDX-License-Identifier: Apache-2.0
#include "app/job/sql_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/fault.h"

namespace protium {

namespace {

// The shown piece of the line and how far into it the mark points.
struct Shown {
  std::string text;
  size_t mark = 0;
};

std::optional<Shown> ShownLine(const std::string& where) {
  const size_t line = where.find("LINE ");
  const size_t start = line == where.npos ? where.npos : where.find(": ", line);
  if (start == where.npos) return std::nullopt;
  const size_t end = std::min(where.find('\n', start), where.size());
  const size_t mark = where.find('^', end);
  const size_t mark_line = mark == where.npos ? mark : where.rfind('\n', mark);
  Shown shown{.text = where.substr(start + 2, end - start - 2)};
  if (mark_line != where.npos) {
    const size_t column = mark - mark_line - 1, indent = start + 2 - line;
    shown.mark = column > indent ? column - indent : 0;
  }
  if (shown.text.starts_with("...")) {
    shown.text.erase(0, 3);
    shown.mark -= std::min<size_t>(3, shown.mark);
  }
  if (shown.text.ends_with("...")) shown.text.resize(shown.text.size() - 3);
  return shown;
}

// Text that opens with three quotes begins on the next line of the file.
std::string FilePlace(const std::string& begin, const std::string& sql, size_t offset) {
  const size_t column_at = begin.rfind(':');
  const size_t line_at = column_at == begin.npos ? begin.npos : begin.rfind(':', column_at - 1);
  int64_t line = 0;
  if (line_at == begin.npos) return begin;
  std::from_chars(begin.data() + line_at + 1, begin.data() + column_at, line);
  if (sql.find('\n') == sql.npos) return begin;
  const auto lines = std::count(sql.begin(), sql.begin() + static_cast<ptrdiff_t>(offset), '\n');
  const size_t last = sql.rfind('\n', offset == 0 ? 0 : offset - 1);
  const size_t column = last == sql.npos ? offset + 1 : offset - last;
  return fmt::format("{}:{}:{}", begin.substr(0, line_at), line + 1 + lines, column);
}

}  // namespace

Status PlaceInFile(const Job& job, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  const Place* place = job.settings.Find("etl.sql");
  if (fault.kept.empty()) fault.kept = "nothing was started";
  if (place == nullptr) return Fail(std::move(fault));
  const std::optional<Shown> shown = ShownLine(fault.where);
  const std::string& sql = job.file.etl.sql;
  const size_t found = shown && !shown->text.empty() ? sql.find(shown->text) : sql.npos;
  const std::string begin = place->value;
  if (found != sql.npos && !begin.starts_with("--set")) {
    const size_t offset = std::min(found + shown->mark, sql.size());
    fault.where = FilePlace(begin, sql, offset) + fault.where.substr(fault.where.find('\n'));
  } else if (fault.where.empty()) {
    fault.where = begin;
  }
  return Fail(std::move(fault));
}

}  // namespace protium
