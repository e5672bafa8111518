// SPDX-License-Identifier: Apache-2.0
#include "local/source_listing.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "base/fault.h"
#include "local/source_faults.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// When something became current, in microseconds.
struct Moment {
  int64_t micros = 0;
  int64_t version = 0;
};

// The version that was current at the time; `all` are lines of a moment and a version's name.
Result<int64_t> NewestBefore(const Source& source, const std::vector<std::string>& all,
                             const std::string& as_of) {
  std::optional<Moment> found;
  int64_t wanted = 0;
  std::from_chars(as_of.data(), as_of.data() + as_of.size(), wanted);
  for (const std::string& line : all) {
    Moment moment;
    std::string version;
    std::istringstream(line) >> moment.micros >> version;
    std::string_view rest;
    moment.version = NumberOf(version, rest);
    if (moment.micros > wanted) continue;
    if (!found || moment.micros >= found->micros) found = moment;
  }
  if (found) return found->version;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the {} table has no version as old as {}",
                                   RowOf(source.kind).title, source.as_of),
               .where = source.file});
}

}  // namespace

std::string ObjectList(const Source& source) {
  std::string list;
  for (const SourceObject& object : source.objects) {
    list += (list.empty() ? "" : ", ") + DuckDbText(DuckDbPath(object.place));
  }
  return "[" + list + "]";
}

Status NoTable(const Source& source, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{} is not a {} table", source.file, RowOf(source.kind).title),
               .why = std::move(why)});
}

Result<std::vector<std::string>> AskSource(const duck::Connection& connection, const Source& source,
                                           const std::string& column, const std::string& from) {
  auto text = duck::AskText(connection, fmt::format("SELECT coalesce(string_agg({0}, chr(10) ORDER "
                                                    "BY {0}), '') FROM {1}",
                                                    column, from));
  PT_TRY(PlaceFault(source, text.status()));
  std::vector<std::string> lines;
  std::istringstream all(*text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

int64_t NumberOf(const std::string& file, std::string_view& rest) {
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  int64_t number = -1;
  const char* const begin = name.data() + name.starts_with('v');
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
  rest = std::string_view(end, static_cast<size_t>(name.data() + name.size() - end));
  return error == std::errc() ? number : -1;
}

Result<int64_t> VersionAt(const duck::Connection& connection, const Source& source,
                          const std::string& column, const std::string& from) {
  const auto wanted =
      duck::AskText(connection, "SELECT CAST(epoch_us(CAST(" + DuckDbText(source.as_of) +
                                    " AS TIMESTAMP)) AS VARCHAR)");
  if (!wanted.ok()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + source.as_of + "\" is no time",
                 .where = source.file,
                 .fix = "write it as 2026-11-01 or 2026-11-01 12:30:00, in UTC"});
  }
  PT_LET(const auto lines, AskSource(connection, source, column, from));
  return NewestBefore(source, lines, *wanted);
}

}  // namespace protium
