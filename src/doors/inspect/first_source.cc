// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "format/file_form.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "inspect/shared_keys.h"
#include "inspect/sql_names.h"
#include "inspect/text_dates.h"
#include "run/terminal.h"

namespace protium {
namespace {

// "notes and visits cannot be read"
std::string BrokenText(const std::vector<BrokenTable>& broken) {
  std::vector<std::string> names;
  for (const BrokenTable& each : broken) names.push_back(each.name);
  return fmt::format("{} cannot be read: protium inspect shows why", fmt::join(names, " and "));
}

// Puts the table that has the label first.
Status PutMainFirst(LookedPlace& found, const std::string& label, const std::string& named) {
  std::vector<LookedTable>& tables = found.tables;
  std::vector<std::string> names, having;
  size_t at = tables.size();
  for (size_t i = 0; i < tables.size(); ++i) {
    names.push_back(tables[i].place.name);
    const bool has = tables[i].look.table.Find(label) != nullptr;
    if (has) having.push_back(names.back());
    if (named.empty() ? has : names.back() == named) at = i;
  }
  if (!named.empty() && at == tables.size()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "there is no table \"" + named + "\" in the folder",
                 .where = "--table",
                 .fix = Suggest(named, names)});
  }
  if (named.empty() && having.size() > 1) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("\"{}\" is a column of {}", label, fmt::join(having, " and of ")),
         .fix = fmt::format("say which table to learn from: --table {}", having[0])});
  }
  if (at == tables.size()) {
    std::set<std::string> columns;
    for (const LookedTable& each : tables) {
      for (const ColumnProfile& column : each.look.table.columns) columns.insert(column.name);
    }
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("none of the tables {} has a column \"{}\" for the label",
                                     fmt::join(names, ", "), label),
                 .why = found.broken.empty() ? "" : BrokenText(found.broken),
                 .fix = Suggest(label, std::vector(columns.begin(), columns.end()))});
  }
  std::swap(tables[0], tables[at]);
  // The swap has moved another table out of its position.
  std::sort(tables.begin() + 1, tables.end(),
            [](const auto& a, const auto& b) { return a.place.name < b.place.name; });
  return Status::OK();
}

std::string SelectAll(const FirstSource& source, const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& each : columns) {
    list += (list.empty() ? "" : ", ") + ReadOf(source, each);
  }
  return "SELECT " + list + "\nFROM " + source.from;
}

std::vector<std::string> NamesOf(const TableProfile& table) {
  std::vector<std::string> names;
  for (const ColumnProfile& each : table.columns) names.push_back(each.name);
  return names;
}

std::string Qualified(const std::string& table, const std::string& column) {
  return SqlName(table) + "." + SqlName(column);
}

// Adds a joined table's columns except its keys; a column whose name is taken gets another name.
void AddColumns(const LookedTable& joined, const SharedKey& key, std::vector<std::string>& names,
                FirstSource& source) {
  const std::string& table = joined.place.name;
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(names, [&](const auto& each) { return Lower(each) == Lower(name); });
  };
  for (const std::string& column : NamesOf(joined.look.table)) {
    if (std::ranges::find(key.right, column) != key.right.end()) continue;
    std::string name = taken(column) ? table + "_" + column : column;
    // Omitted if both names are taken.
    if (taken(name)) continue;
    source.reads[name] = Qualified(table, column);
    names.push_back(std::move(name));
  }
}

// -- planes: one row for each tailnum, found for 84 % of the rows
// LEFT JOIN planes ON planes.tailnum = flights.tailnum
std::string JoinText(const std::string& main, const std::string& table, const SharedKey& key) {
  std::string on;
  for (size_t i = 0; i < key.left.size(); ++i) {
    on += fmt::format("{}{} = {}", i == 0 ? "" : "\n  AND ", Qualified(table, key.right[i]),
                      Qualified(main, key.left[i]));
  }
  return fmt::format(
      "\n-- {}: one row for each {}, found for {:.0f}% of the rows\nLEFT JOIN {} ON {}", table,
      fmt::join(key.right, ", "), 100 * key.found, SqlName(table), on);
}

// Joins the tables that share a key; returns the names of the result's columns.
Result<std::vector<std::string>> AddJoins(Session& session, std::vector<LookedTable> others,
                                          const std::string& label, FirstSource& source) {
  // A copy: `source.tables` grows below.
  const LookedTable main = source.tables.front();
  std::vector<std::string> names = NamesOf(main.look.table);
  for (LookedTable& each : others) {
    PT_LET(const KeySearch search, FindSharedKey(session, main, each, label));
    source.notes.push_back(search.says);
    if (!search.key) continue;
    source.from += JoinText(main.place.name, each.place.name, *search.key);
    AddColumns(each, *search.key, names, source);
    source.tables.push_back(std::move(each));
  }
  // Columns of a single table need no table prefix.
  if (source.tables.size() == 1) return names;
  for (const std::string& column : NamesOf(main.look.table)) {
    source.reads[column] = Qualified(main.place.name, column);
  }
  return names;
}

std::string DateNote(const std::string& name, const TextDate& date) {
  if (date.iso) return name + " is read as a time in UTC, to the microsecond";
  const char* const kind = date.time ? "time" : "date";
  std::string note = fmt::format("{} is read as a {} written {}", name, kind, date.pattern);
  if (date.short_year) note += ", of the years 1969 to 2068";
  if (!date.other.empty()) {
    note += fmt::format("; {} fits, too: if that is meant, change the pattern", date.other);
  }
  return note;
}

// A text column remains text if some of its values are not such dates.
std::string OddDateNote(const FirstSource& source, const std::string& name, const TextDate& date) {
  const std::string written = date.iso ? "" : " written " + date.pattern;
  return fmt::format("{} would be a {}{} but for {} cell{} such as \"{}\": {} reads it", name,
                     date.time ? "time" : "date", written, Grouped(date.odd_values),
                     date.odd_values == 1 ? "" : "s", CutToWidth(date.odd, 30),
                     LooseReadingOf(date, ExpressionOf(source, name)));
}

// Whether some column is now read as a date.
bool AddDates(const std::map<std::string, TextDate>& dates, FirstSource& source) {
  bool any = false;
  for (const auto& [name, date] : dates) {
    if (date.odd_values > 0) {
      source.notes.push_back(OddDateNote(source, name, date));
      continue;
    }
    source.reads[name] = ReadingOf(date, ExpressionOf(source, name));
    source.notes.push_back(DateNote(name, date));
    any = true;
  }
  return any;
}

// A join may change the order of rows: the order by date is that of the first table alone.
Status FindOrders(Session& session, const FirstSource& source, TableProfile& seen) {
  const LookedTable& main = source.tables.front();
  std::vector<std::string> dates;
  for (ColumnProfile& each : seen.columns) {
    const ColumnProfile* const before = main.look.table.Find(each.name);
    const bool is_date = !each.last_fifth.empty() && before != nullptr;
    each.ascending = before != nullptr && before->ascending;
    if (is_date && before->last_fifth.empty()) dates.push_back(each.name);
  }
  if (dates.empty()) return Status::OK();
  FirstSource alone = source;
  alone.from = SqlName(main.place.name);
  PT_LET(const BatchStreamPtr rows, session.Sql(SelectAll(alone, dates)).Stream());
  PT_LET(const TableProfile orders, ProfileRows(*rows, 0));
  for (ColumnProfile& each : seen.columns) {
    const ColumnProfile* const order = orders.Find(each.name);
    if (order != nullptr) each.ascending = order->ascending;
  }
  return Status::OK();
}

}  // namespace

Result<std::unique_ptr<Session>> OpenTables(const std::vector<LookedTable>& tables,
                                            SessionOptions options) {
  options.base = std::filesystem::current_path();
  for (const LookedTable& each : tables) {
    if (options.store.empty()) options.store = LookOptions(each.place.at).store;
  }
  PT_LET(std::unique_ptr<Session> session, OpenSession(std::move(options)));
  PT_TRY(TakeNoNotes(*session));
  for (const LookedTable& each : tables) {
    session->Table(each.place.name, OpenPlace(*session, each.place.at, each.look.csv));
  }
  return session;
}

std::string ExpressionOf(const FirstSource& source, const std::string& column) {
  const auto read = source.reads.find(column);
  return read == source.reads.end() ? SqlName(column) : read->second;
}

std::string ReadOf(const FirstSource& source, const std::string& column) {
  const std::string name = SqlName(column), expression = ExpressionOf(source, column);
  // SQL names t.c "c" automatically.
  const bool named = expression == name || expression.ends_with("." + name);
  return named ? expression : expression + " AS " + name;
}

Result<bool> AreParts(const std::vector<TablePlace>& places, const CsvGiven& given) {
  constexpr size_t kMostLookedAt = 5;
  std::vector<std::string> first;
  SessionOptions options;
  options.base = std::filesystem::current_path();
  PT_LET(const std::unique_ptr<Session> session, OpenSession(options));
  size_t looked = 0;
  for (const TablePlace& each : places) {
    std::error_code unknown;  // A place that cannot be examined is refused with its reason below.
    if (std::filesystem::is_directory(each.at.path, unknown)) return false;
    const Result<SchemaPtr> schema = OpenPlace(*session, each.at, given.options).Schema();
    if (IsOfTable(schema.status())) continue;
    PT_TRY(schema.status());
    if (looked == 0) first = (*schema)->field_names();
    if ((*schema)->field_names() != first) return false;
    if (++looked == kMostLookedAt) break;
  }
  return looked > 1;
}

Result<LookedPlace> LookForTables(const TypedPlace& place, const CsvGiven& given,
                                  const std::string& label, const std::string& named) {
  LookedPlace found;
  std::error_code error;
  std::vector<TablePlace> places;
  if (!place.source && std::filesystem::is_directory(place.path, error)) {
    PT_LET(places, ListTables(place.path));
  }
  bool one = places.size() < 2;
  if (!one) {
    PT_LET(one, AreParts(places, given));
  }
  if (one) places = {{place.name(), place}};
  for (const TablePlace& each : places) {
    Result<FirstLook> look = LookAndFix(each.at, given, 0);
    if (!one && each.name != named && IsOfTable(look.status())) {
      found.broken.push_back({each.name, look.status()});
      continue;
    }
    PT_TRY(look.status());
    found.tables.push_back({each, *std::move(look)});
  }
  if (found.tables.empty()) return found.broken.front().why;
  if (!one) PT_TRY(PutMainFirst(found, label, named));
  return found;
}

Result<FirstSource> FindSource(LookedTable table, std::vector<LookedTable> others,
                               const std::string& label) {
  // In this order: joins, a look at the joined rows, dates among their texts, and another look if
  // some column is read as a date.
  FirstSource source{.from = SqlName(table.place.name)};
  source.tables.push_back(std::move(table));
  // The search for keys reads all tables before it is known which of them are joined.
  std::vector<LookedTable> all = source.tables;
  all.insert(all.end(), others.begin(), others.end());
  PT_LET(const std::unique_ptr<Session> session, OpenTables(all));
  PT_LET(const std::vector<std::string> names,
         AddJoins(*session, std::move(others), label, source));
  const TableProfile& main = source.tables.front().look.table;
  source.seen = main;
  const auto look = [&]() -> Status {
    PT_LET(const BatchStreamPtr rows, session->Sql(SelectAll(source, names)).Stream());
    PT_LET(source.seen, ProfileRows(*rows, 0));
    return source.tables.size() > 1 ? FindOrders(*session, source, source.seen) : Status::OK();
  };
  if (source.tables.size() > 1) PT_TRY(look());
  if (!MayHoldTextDates(source.seen)) return source;
  PT_LET(const BatchStreamPtr rows, session->Sql(SelectAll(source, names)).Stream());
  PT_LET(const auto dates, FindTextDates(*rows, source.seen));
  if (AddDates(dates, source)) PT_TRY(look());
  return source;
}

Result<Leaks> FindLeaksIn(const FirstSource& source, const std::string& label, bool classes) {
  PT_LET(const std::unique_ptr<Session> session, OpenTables(source.tables));
  const std::string sql = SelectAll(source, NamesOf(source.seen));
  PT_LET(const BatchStreamPtr rows, session->Sql(sql).Stream());
  return FindLeaks(*rows, source.seen, label, classes);
}

}  // namespace protium
