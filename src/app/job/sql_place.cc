// SPDX-License-Identifier: Apache-2.0
#include "app/job/sql_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/fault.h"
#include "os/file.h"
#include "sql/place.h"

namespace protium {

namespace {

// Where a value stands in its file.
struct ValuePlace {
  std::string file;
  int64_t line = 0, column = 0;
};

// Reads "etl.toml:7:7".
std::optional<ValuePlace> PlaceOfValue(const std::string& begin) {
  const size_t column_at = begin.rfind(':');
  const size_t line_at = column_at == begin.npos ? begin.npos : begin.rfind(':', column_at - 1);
  if (line_at == begin.npos) return std::nullopt;
  ValuePlace place{.file = begin.substr(0, line_at)};
  std::from_chars(begin.data() + line_at + 1, begin.data() + column_at, place.line);
  std::from_chars(begin.data() + column_at + 1, begin.data() + begin.size(), place.column);
  return place;
}

// Whether the text begins on the line below its three quotes: TOML leaves out a line break there.
bool BeginsBelow(const ValuePlace& place) {
  const auto file = ReadFile(place.file);
  std::stringstream lines(file.ok() ? *file : "");
  std::string line;
  for (int64_t i = 0; i < place.line && std::getline(lines, line); ++i) continue;
  const auto quotes = static_cast<size_t>(std::max<int64_t>(place.column - 1, 0));
  const std::string rest = line.size() > quotes + 3 ? line.substr(quotes + 3) : "";
  return rest.find_first_not_of('\r') == rest.npos;
}

std::string FilePlace(const std::string& begin, const std::string& sql, size_t offset) {
  const auto place = PlaceOfValue(begin);
  if (!place || sql.find('\n') == sql.npos) return begin;
  const bool below = BeginsBelow(*place);
  const auto lines = std::count(sql.begin(), sql.begin() + static_cast<ptrdiff_t>(offset), '\n');
  const size_t last = offset == 0 ? sql.npos : sql.rfind('\n', offset - 1);
  auto column = static_cast<int64_t>(last == sql.npos ? offset + 1 : offset - last);
  if (lines == 0 && !below) column += place->column + 2;
  return fmt::format("{}:{}:{}", place->file, place->line + lines + (below ? 1 : 0), column);
}

}  // namespace

Status PlaceInFile(const Job& job, const Status& status) {
  if (status.ok()) return status;
  Fault fault = FaultOf(status);
  const Place* place = job.settings.Find("etl.sql");
  if (fault.kept.empty()) fault.kept = "nothing was started";
  if (place == nullptr) return Fail(std::move(fault));
  const std::string& sql = job.file.etl.sql;
  const std::optional<size_t> offset = ReadOffset(fault.where, sql);
  const std::string begin = place->value;
  if (offset && !begin.starts_with("--set")) {
    const size_t drawn = std::min(fault.where.find('\n'), fault.where.size());
    fault.where = FilePlace(begin, sql, *offset) + fault.where.substr(drawn);
  } else if (fault.where.empty()) {
    fault.where = begin;
  }
  return Fail(std::move(fault));
}

}  // namespace protium
