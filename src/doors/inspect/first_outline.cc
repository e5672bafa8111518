// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_outline.h"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/text.h"
#include "column/cells.h"
#include "inspect/sql_names.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr size_t kLineWidth = 100;
constexpr double kUneven = 0.2;  // A class is rare if its share of the rows is below this.

// Decimals become doubles, since scaling rounds them anyway; infinite values cannot be learned
// from, and become NULL.
std::string ItemOf(const FirstSource& source, const ColumnProfile& column) {
  const std::string name = SqlName(column.name), from = ExpressionOf(source, column.name);
  if (arrow::is_decimal(column.type->id())) {
    return fmt::format("CAST({} AS DOUBLE) AS {}", from, name);
  }
  if (IsInfinite(column)) {
    return fmt::format("CASE WHEN abs({0}) < CAST('Infinity' AS DOUBLE) THEN {0} END AS {1}", from,
                       name);
  }
  return ReadOf(source, column.name);
}

// Columns that order rows and name series, unless they are used anyway.
std::vector<std::string> OrderItems(const FirstJobSpec& spec, const UsedColumns& columns) {
  std::vector<std::string> items;
  const auto add = [&](const std::string& name) {
    const ColumnProfile* const column = spec.source.seen.Find(name);
    if (column == nullptr) return;
    for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
      if (std::ranges::find(*group, column) != group->end()) return;
    }
    items.push_back(ReadOf(spec.source, name));
  };
  add(spec.series.by);
  add(spec.series.time);
  return items;
}

// The id of a table of a database goes along: scored rows are joined by it there.
bool KeepsId(const FirstSource& source, const UsedColumns& columns) {
  return columns.id != nullptr && source.tables.front().place.at.source.has_value();
}

std::string SqlOf(const FirstJobSpec& spec, const UsedColumns& columns, const FirstSplit& split,
                  const ColumnProfile& label) {
  const FirstSource& source = spec.source;
  std::vector<std::string> items;
  if (KeepsId(source, columns) && split.column != columns.id) {
    items.push_back(ReadOf(source, columns.id->name));
  }
  for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
    for (const ColumnProfile* each : *group) items.push_back(ItemOf(source, *each));
  }
  for (const ColumnProfile* each : columns.coded) items.push_back(ItemOf(source, *each));
  for (const ColumnProfile* each : columns.texts) {
    items.push_back(fmt::format("coalesce({}, '') AS {}", ExpressionOf(source, each->name),
                                SqlName(each->name)));
  }
  if (split.how == HeldOut::kIds || split.how == HeldOut::kEntities) {
    items.push_back(ReadOf(source, split.column->name));
  }
  for (std::string& each : OrderItems(spec, columns)) items.push_back(std::move(each));
  items.push_back(ItemOf(source, label));
  return "SELECT " + ListOf(items, 7) + "\nFROM " + source.from;
}

// Returns days since 1970 for "2024-04-01 10:26:27"; nothing for other texts.
std::optional<int64_t> DayOf(const std::string& text) {
  using namespace std::chrono;
  int y = 0;
  unsigned m = 0, d = 0;
  if (std::sscanf(text.c_str(), "%d-%u-%u", &y, &m, &d) != 3) return std::nullopt;
  const year_month_day date{year(y), month(m), day(d)};
  return date.ok() ? std::optional(sys_days(date).time_since_epoch().count()) : std::nullopt;
}

// If the last rows in time are held out, training must have seen their month in another year.
std::vector<std::string> PartsOf(const UsedColumns& columns, const FirstSplit& split,
                                 const FirstSeries& series) {
  constexpr int64_t kFewestDays = 540;
  bool months = split.how != HeldOut::kLatest, hours = false;
  for (const ColumnProfile* each : columns.times) {
    const auto from = DayOf(each->least), to = DayOf(each->greatest);
    months = months || (from && to && *to - *from >= kFewestDays);
    hours = hours || each->type->id() == arrow::Type::TIMESTAMP;
  }
  std::vector<std::string> parts;
  if (series.any()) parts.emplace_back("year");
  if (months) parts.emplace_back("month");
  if (months && series.any()) parts.emplace_back("day_of_year");
  parts.emplace_back("day_of_week");
  if (hours) parts.emplace_back("hour");
  return parts;
}

bool IsNumberOrFlag(const arrow::DataType& type) {
  return IsNumber(type) || type.id() == arrow::Type::BOOL;
}

std::string SplitNote(const FirstSplit& split) {
  if (split.column == nullptr) return {};
  const ColumnProfile& column = *split.column;
  switch (split.how) {
    case HeldOut::kLatest:
      return "the test rows are the last 20% by " + column.name;
    case HeldOut::kDays:
      return "rows with the same " + column.name + " stay on the same side of the split";
    case HeldOut::kEntities:
      return "rows with the same " + column.name +
             " stay on the same side of the split, so the model is tested on new ones";
    default:
      return {};
  }
}

// Returns classes with so few rows that never guessing them looks good. With many classes only the
// most frequent are known one by one; the others are counted together.
std::string RareClasses(const TableProfile& table, const ColumnProfile& label, Aim aim) {
  if (aim == Aim::kNumber || label.top.empty()) return {};
  const auto rows = double(std::max<int64_t>(table.rows - label.nulls, 1));
  const auto is_rare = [&](double share) { return share * double(label.distinct) < 2 * kUneven; };
  double rest = rows;
  for (const auto& [value, count] : label.top) rest -= double(count);
  const int64_t others = label.distinct - int64_t(label.top.size());
  const double share =
      others > 0 ? rest / rows / double(others) : double(label.top.back().second) / rows;
  if (!is_rare(share)) return {};
  if (others > 1) {
    return fmt::format("the {} least frequent classes are {:.2g}% of the rows", others,
                       100 * rest / rows);
  }
  return others == 1
             ? fmt::format("the least frequent class is {:.2g}% of the rows", 100 * share)
             : fmt::format("\"{}\" is {:.2g}% of the rows", label.top.back().first, 100 * share);
}

void AddSeriesNotes(const JobOutline& outline, std::vector<std::string>& notes) {
  const FirstSeries& series = outline.spec.series;
  if (!series.looks_back()) return;
  const std::string each = series.by.empty()
                               ? "the rows are a time series"
                               : "the rows of each " + series.by + " are a time series";
  notes.push_back(fmt::format("{}: one row per {}, by {}", each, series.step, series.time));
  if (!outline.looks_back()) return;
  const std::string ahead = series.Steps(series.horizon);
  notes.push_back(fmt::format(
      "earlier values of {}, from at least {} before, are inputs: the model predicts up to {} "
      "ahead{}",
      outline.label.name, ahead, ahead, series.asked ? "" : " (--horizon sets how far)"));
  if (series.asked || outline.columns.numbers.size() + outline.columns.categories.size() < 2)
    return;
  notes.push_back(
      "the other columns are assumed to be known in advance; with --horizon only those that are "
      "constant within a series, or that --keep names, are inputs");
}

// A file need not be in the order of its times, and a date of birth orders nothing: only people
// know whether later rows are to be predicted from earlier ones.
std::string TimeHint(const UsedColumns& columns, const FirstSplit& split) {
  if (split.how == HeldOut::kLatest) return {};
  const auto orders = [](const ColumnProfile* each) {
    return each->nulls == 0 && each->distinct >= kFewestTimes;
  };
  const auto time = std::ranges::find_if(columns.times, orders);
  if (time == columns.times.end()) return {};
  return fmt::format(
      "the test rows are from all times of {0}; --time {0} tests on the latest rows instead",
      (*time)->name);
}

std::string InputsNote(const UsedColumns& columns) {
  std::vector<std::string> kinds;
  const auto add = [&](size_t count, const char* kind, const char* several) {
    if (count > 0) kinds.push_back(fmt::format("{} {}", count, count == 1 ? kind : several));
  };
  add(columns.categories.size() + columns.coded.size(), "categorical", "categorical");
  add(columns.numbers.size(), "numeric", "numeric");
  add(columns.times.size(), "date", "dates");
  add(columns.texts.size(), "text", "texts");
  return "inputs: " + (kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, ", ")));
}

std::vector<std::string> NotesOf(const JobOutline& outline) {
  std::vector<std::string> notes;
  const ColumnProfile& label = outline.label;
  notes.push_back(fmt::format(
      "predicts {} ({}){}", label.name, AimText(outline.aim),
      label.nulls > 0 ? fmt::format("; {} without a label {} left out", Counted(label.nulls, "row"),
                                    label.nulls == 1 ? "is" : "are")
                      : ""));
  if (outline.aim == Aim::kClasses && label.type->id() != arrow::Type::STRING) {
    notes.push_back("if its numbers are amounts, not classes, write loss = \"mse\" instead");
  }
  const UsedColumns& columns = outline.columns;
  notes.push_back(InputsNote(columns));
  if (!outline.rare.empty()) {
    notes.push_back(outline.rare +
                    ": a comment in the job shows class_weights = \"balanced\", which gives all "
                    "classes the same weight");
  }
  if (const std::string split = SplitNote(outline.split); !split.empty()) notes.push_back(split);
  AddSeriesNotes(outline, notes);
  if (std::string hint = TimeHint(columns, outline.split); !hint.empty()) {
    notes.push_back(std::move(hint));
  }
  for (const std::string& each : columns.left_out) notes.push_back("left out: " + each);
  if (KeepsId(outline.spec.source, columns)) {
    notes.push_back(columns.id->name + " is in the SQL nevertheless: scored rows are joined by it");
  }
  if (columns.id == nullptr && ManyEqualRows(outline.spec.source.seen, columns, label)) {
    notes.push_back(
        "most rows have duplicates: the split keeps equal rows together, so there are few test "
        "rows; a column that tells rows apart would help");
  }
  return notes;
}

void SetEffort(int64_t rows, JobOutline& outline) {
  constexpr int64_t kSteps = 1500, kFewRows = 20'000, kManyRows = 200'000;
  outline.batch = rows < kManyRows ? 256 : 512;
  while (outline.batch > 16 && outline.batch * 20 > rows) outline.batch /= 2;
  outline.epochs =
      std::clamp(kSteps * outline.batch / std::max(rows, int64_t{1}), int64_t{8}, int64_t{100});
  outline.patience = std::max(outline.epochs / 4, int64_t{5});
  outline.validation = rows < 1000 ? 0.2 : 0.1;
  outline.net_validation = rows < kFewRows ? 0.2 : 0.1;
  outline.trees.leaves = rows < kFewRows ? 15 : rows < kManyRows ? 31 : 63;
}

}  // namespace

bool JobOutline::has_rare_values() const {
  return spec.source.seen.rows >= kRowsForRare &&
         std::ranges::any_of(columns.categories, [](const auto* each) { return each->rare > 0; });
}

bool JobOutline::has_trend() const {
  // A line would go on for good.
  if (estimator == FirstEstimator::kLinear) return false;
  return spec.series.looks_back() && spec.source.seen.Find(kTrendColumn) == nullptr;
}

std::vector<const ColumnProfile*> JobOutline::Numbers(bool missing) const {
  std::vector<const ColumnProfile*> out;
  for (const ColumnProfile* each : columns.numbers) {
    if ((each->nulls > 0 || IsInfinite(*each)) == missing) out.push_back(each);
  }
  return out;
}

std::string JobOutline::Together() const {
  const bool none = split.column == nullptr || split.how == HeldOut::kLatest;
  return none ? std::string() : split.column->name;
}

std::string JobOutline::InTime() const {
  return split.how == HeldOut::kLatest ? split.column->name : std::string();
}

Result<JobOutline> OutlineOf(const FirstJobSpec& spec) {
  const TableProfile& table = spec.source.seen;
  PT_LET(const ColumnProfile* const label, FindLabel(table, spec.label));
  PT_LET(const Aim aim, AimOf(*label));
  PT_LET(UsedColumns columns, SortColumns(table, *label, spec.leaks, spec.wishes));
  const FirstSplit split = SplitFor(table, columns, *label, spec.series.time);
  JobOutline outline{
      .spec = spec, .label = *label, .aim = aim, .columns = std::move(columns), .split = split};
  outline.sql = SqlOf(spec, outline.columns, split, *label);
  outline.parts = PartsOf(outline.columns, split, spec.series);
  outline.rare = RareClasses(table, *label, aim);
  SetEffort(table.rows, outline);
  outline.notes = NotesOf(outline);
  // There is nothing else.
  if (!outline.columns.any()) ReadWords(outline);
  return outline;
}

namespace {

// A column that was left out is used after all.
void UseAfterAll(JobOutline& outline, const ColumnProfile& column, const char* use,
                 const std::string& why) {
  for (ColumnReason& reason : outline.columns.reasons) {
    if (reason.column != column.name) continue;
    std::erase(outline.columns.left_out, column.name + " " + reason.why);
    reason.use = use;
    reason.why = why;
  }
}

}  // namespace

void ReadWords(JobOutline& outline) {
  UsedColumns& columns = outline.columns;
  for (const ColumnProfile* each : std::exchange(columns.sentences, {})) {
    columns.texts.push_back(each);
    UseAfterAll(outline, *each, "text",
                fmt::format("{} distinct texts of about {:.0f} words", Grouped(each->distinct),
                            each->words));
  }
  outline.sql = SqlOf(outline.spec, columns, outline.split, outline.label);
  outline.notes = NotesOf(outline);
}

bool JobOutline::has_mean_label() const { return IsNumberOrFlag(*label.type); }

void ReadManyValues(JobOutline& outline) {
  UsedColumns& columns = outline.columns;
  for (const ColumnProfile* each : std::exchange(columns.many, {})) {
    columns.coded.push_back(each);
    UseAfterAll(outline, *each, "category",
                fmt::format("{} distinct values, each by {}", Grouped(each->distinct),
                            outline.has_mean_label() ? "its mean label" : "how often it occurs"));
  }
  outline.sql = SqlOf(outline.spec, columns, outline.split, outline.label);
  outline.notes = NotesOf(outline);
}

std::string FileOf(const LookedTable& table) { return table.place.at.path.filename().string(); }

CsvOptions OptionsOf(const LookedTable& table) {
  CsvOptions options = table.look.csv;
  const bool tabs = Lower(FileOf(table)).find(".tsv") != std::string::npos;
  if (options.delimiter == "\t" && tabs) options.delimiter = ",";
  return options;
}

std::vector<std::string> WhyLines(const JobOutline& outline) {
  const bool trees = outline.grows_trees();
  std::string why = outline.why;
  if (!why.empty()) why.front() = char(std::toupper(why.front()));
  std::vector<std::string> lines;
  if (!why.empty()) lines.push_back(std::move(why));
  lines.push_back(fmt::format("For {} instead: protium init --estimator {}",
                              trees ? "a net" : "trees", trees ? "net" : "trees"));
  return lines;
}

std::string ListOf(const std::vector<std::string>& items, size_t indent) {
  std::string text;
  size_t width = indent;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? ", " : "");
    if (i > 0 && width + item.size() > kLineWidth) {
      text.pop_back();
      text += "\n" + std::string(indent, ' ');
      width = indent;
    }
    text += item;
    width += item.size();
  }
  return text;
}

}  // namespace protium
