// SPDX-License-Identifier: Apache-2.0
#include "job/file_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/fault.h"
#include "job/advice.h"
#include "os/file.h"
#include "sql_text/place.h"

namespace protium {

namespace {

// A fault about the SQL has a position in the text of etl.sql. To name the line in the job file,
// that position is added to the place where the TOML string begins, which depends on the kind of
// string: in a """ string the text may begin on the line of the quotes or, if a line break follows
// them, on the next one.

// The position of a value in its file.
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

// Whether the text begins on the line after its three quotes: TOML drops a line break directly
// after them, so only the file can show this.
bool BeginsBelow(const ValuePlace& place) {
  const auto file = ReadFile(place.file);
  std::stringstream lines(file.ok() ? *file : "");
  std::string line;
  for (int64_t i = 0; i < place.line && std::getline(lines, line); ++i) continue;
  const auto quotes = static_cast<size_t>(std::max<int64_t>(place.column - 1, 0));
  const std::string rest = line.size() > quotes + 3 ? line.substr(quotes + 3) : "";
  return rest.find_first_not_of('\r') == rest.npos;
}

// Returns the position in the file of the character at `offset` of the SQL; for single-line SQL,
// that of the string.
std::string FilePlace(const std::string& begin, const std::string& sql, size_t offset) {
  const auto place = PlaceOfValue(begin);
  if (!place || sql.find('\n') == sql.npos) return begin;
  const bool below = BeginsBelow(*place);
  const auto lines = std::count(sql.begin(), sql.begin() + static_cast<ptrdiff_t>(offset), '\n');
  const size_t last = offset == 0 ? sql.npos : sql.rfind('\n', offset - 1);
  const size_t start = last == sql.npos ? 0 : last + 1;
  auto column = static_cast<int64_t>(CountCharacters(sql.substr(start, offset - start))) + 1;
  if (lines == 0 && !below) column += place->column + 2;
  return fmt::format("{}:{}:{}", place->file, place->line + lines + (below ? 1 : 0), column);
}

// Returns the position in the file if `where` points into the SQL text; otherwise none.
std::optional<std::string> SqlPlace(const Job& job, const std::string& where) {
  const Place* sql = job.settings.Find("etl.sql");
  if (sql == nullptr || sql->value.starts_with("--set")) return std::nullopt;
  if (where == "the SQL text") return sql->value;  // The position within it is unknown.
  const std::optional<size_t> offset = ReadOffset(where, job.file.etl.sql);
  if (!offset) return std::nullopt;
  // Its further lines quote the line of SQL and mark the column below it; they are left as they
  // are.
  const size_t drawn = std::min(where.find('\n'), where.size());
  return FilePlace(sql->value, job.file.etl.sql, *offset) + where.substr(drawn);
}

// Stages know only "pipeline.3.train.epochs"; the file may have said "train.epochs".
void UseShorthand(const Job& job, std::string& text) {
  if (!job.estimator) return;
  for (const char* name : kShorthand) {
    if (!job.settings.places.contains(name)) continue;
    const std::string path = PathOfShorthand(job, name);
    for (size_t at = text.find(path); at != text.npos; at = text.find(path)) {
      text.replace(at, path.size(), name);
    }
  }
}

}  // namespace

std::string PathOfShorthand(const Job& job, const char* name) {
  return fmt::format("pipeline.{}.{}", *job.estimator, name);
}

Status InFileTerms(const Job& job, const Status& status, const char* kept) {
  if (status.ok()) return status;
  Fault fault = WithAdvice(FaultOf(status), job.file.etl.sql);
  UseShorthand(job, fault.what);
  if (fault.kept.empty()) fault.kept = kept;
  if (const auto place = SqlPlace(job, fault.where)) {
    fault.where = *place;
  } else if (const Place* said = job.settings.Find(fault.where)) {
    // For an unknown key the key itself is wrong; otherwise it is the value.
    fault.where = fault.what.starts_with("unknown key") ? said->key : said->value;
  } else if (fault.where == "etl") {
    fault.where = job.settings.file.string();  // A missing setting has no position in the file.
  }
  return Fail(std::move(fault));
}

}  // namespace protium
