// SPDX-License-Identifier: Apache-2.0
#include "inspect/folder_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/fault.h"
#include "base/text.h"
#include "format/csv_options.h"
#include "format/file_form.h"
#include "format/kind.h"
#include "plan/node.h"
#include "sql_words/tokens.h"
#include "terminal/printing.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

bool IsTableFile(const fs::path& path) { return FormOfName(path.string()).has_value(); }

// Whether a link points to nothing, or to itself.
bool LeadsNowhere(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_symlink(error) && !entry.exists(error);
}

// Returns possible names in a query, by their lower case: words and quoted names. Words that are
// not names do no harm.
std::map<std::string, std::string> NamesIn(const std::string& sql) {
  std::map<std::string, std::string> names;
  for (const Token& token : Tokenize(sql)) {
    const bool quoted = token.kind == Token::Kind::kName && token.size >= 2 && token.closed;
    if (!quoted && token.kind != Token::Kind::kWord) continue;
    const std::string name =
        quoted ? sql.substr(token.at + 1, token.size - 2) : sql.substr(token.at, token.size);
    names.emplace(Lower(name), name);
  }
  return names;
}

}  // namespace

bool IsOfTable(const Status& failure) {
  if (failure.ok()) return false;
  const Exit exit = FaultOf(failure).exit;
  return exit == Exit::kInput || exit == Exit::kUsage || exit == Exit::kRemote;
}

std::string ReasonOf(const BrokenTable& table) {
  const Fault fault = FaultOf(table.why);
  std::string text = fault.what;
  if (!fault.why.empty()) text += ": " + fault.why;
  if (!fault.where.empty()) text += " (" + fault.where + ")";
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool HoldsTable(const fs::path& folder) {
  std::error_code error, ignored;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool file = !LeadsNowhere(entry) && !entry.is_directory(ignored);
    if (file && IsTableFile(entry.path())) return true;
  }
  return false;
}

Result<std::vector<TablePlace>> ListTables(const fs::path& folder) {
  std::error_code error;
  std::vector<TablePlace> places;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (path.filename().string().starts_with('.')) continue;
    std::error_code wrong;
    const bool below = entry.is_directory(wrong);
    if (wrong && wrong != std::errc::no_such_file_or_directory) {
      PrintNote("note: ignored " + path.string() + ": " + wrong.message() + "\n");
    } else if (LeadsNowhere(entry)) {
      PrintNote("note: ignored " + path.string() + ": a link that leads to no file\n");
    } else if (below && HoldsTable(path)) {
      places.push_back({path.filename().string(), TypedPlace(path)});
    } else if (IsTableFile(path)) {
      places.push_back({TableNameOf(path.string()), TypedPlace(path)});
    }
  }
  if (error) {
    return Fail({.exit = Exit::kInput,
                 .what = "cannot read the folder " + folder.string(),
                 .why = error.message(),
                 .fix = "give the folder of the tables with --data DIR"});
  }
  std::ranges::sort(places, {}, [](const TablePlace& each) { return each.at.path; });
  return places;
}

Result<TablePlace> ReadTablePlace(const std::string& text, const PasswordPlace& password) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "--table takes NAME=PLACE, got \"" + text + "\"",
                 .fix = "--table flights=data/flights.csv"});
  }
  PlaceGiven given;
  const std::string typed = text.substr(equals + 1);
  // Files among several tables have none.
  if (typed.find("://") != typed.npos) given.password = password;
  PT_LET(TypedPlace place, ReadPlace(typed, given));
  PT_LET(place, WithTable(std::move(place)));
  return TablePlace{text.substr(0, equals), std::move(place)};
}

Format FormatOfPlace(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (const auto form = FormOfName(path.string())) return form->format;
    return IsParquetFile(path.string()) ? Format::kParquet : Format::kCsv;
  }
  // Spark and others write a table as a folder of Parquet files.
  std::optional<Format> found;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto form = FormOfName(entry.path().string());
    if (form && (!found || form->format == Format::kParquet)) found = form->format;
  }
  return found.value_or(Format::kCsv);
}

DataFrame OpenPlace(Session& session, const TypedPlace& place, const CsvOptions& csv,
                    const SchemaPtr& known) {
  if (place.source) return session.Read().From(*place.source, csv, known);
  return session.Read().File(place.path.string(), FormatOfPlace(place.path), csv, known);
}

Result<std::vector<BrokenTable>> NameTables(
    Session& session, const std::string& sql, const std::vector<TablePlace>& places,
    const CsvOptions& csv,
    const std::function<DataFrame(const TypedPlace&, const CsvOptions&)>& open) {
  const std::map<std::string, std::string> names = NamesIn(sql);
  std::map<std::string, std::string> taken;
  std::vector<BrokenTable> broken;
  Status unfit;
  bool any = false;
  for (const TablePlace& place : places) {
    const auto mentioned = names.find(Lower(place.name));
    if (mentioned == names.end()) continue;
    const auto [other, fresh] = taken.emplace(mentioned->first, place.at.text());
    if (!fresh) {
      return Fail(
          {.exit = Exit::kUsage,
           .what = fmt::format("\"{}\" may be {} or {}", mentioned->second, other->second,
                               place.at.text()),
           .fix = fmt::format("say which: --table {}={}", mentioned->second, place.at.text())});
    }
    // Options apply to the tables that have them, as long as one table does; sources have none.
    const Status fits =
        CheckOptionsFit(place.at.source ? Format::kParquet : FormatOfPlace(place.at.path), csv);
    unfit = unfit.ok() && !any ? fits : unfit;
    any = any || fits.ok();
    const DataFrame table = open(place.at, fits.ok() ? csv : CsvOptions{});
    const Status opened = FirstError(table.plan());
    if (IsOfTable(opened)) {
      broken.push_back({mentioned->second, opened});
      continue;
    }
    session.Table(mentioned->second, table);
  }
  if (!any) PT_TRY(unfit);
  return broken;
}

}  // namespace protium
