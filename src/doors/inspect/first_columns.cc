// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_columns.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/cells.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int64_t kMostClassNumbers = 10;  // Whole numbers with more distinct values are amounts.
constexpr int64_t kMostClasses = 1000;
constexpr int64_t kMostCategories = 1000;
// Columns with so few are taken even if each value has only a row or two.
constexpr int64_t kFewCategories = 20;
constexpr int64_t kRowsOfCategory = 3;  // On average; with fewer, rows are learned by heart.
constexpr int64_t kFewestEntities = 20;
constexpr int64_t kRowsOfEntity = 20;  // On average; with more rows each, they are categories.

// What a column is to the net.
enum class Use { kCategory, kNumber, kTime, kLeftOut };

bool IsWhole(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT32 || type.id() == arrow::Type::INT64;
}

bool IsTime(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP;
}

// Whether the values identify things by a number or a text, with several rows each, as in
// "patient_id".
bool NamesSomething(const TableProfile& table, const ColumnProfile& column) {
  const std::string& name = column.name;
  const bool called = Lower(name) == "id" || Lower(name).ends_with("_id") || name.ends_with("Id") ||
                      (name.size() > 2 && name.ends_with("ID"));
  const bool names = IsWhole(*column.type) || column.type->id() == arrow::Type::STRING;
  return called && names && column.nulls == 0 && column.distinct >= kFewestEntities &&
         column.distinct <= kMostCategories * kRowsOfEntity && column.distinct * 2 <= table.rows;
}

Use UseOf(const TableProfile& table, const ColumnProfile& column, std::string& why) {
  why = WhyUseless(table, column);
  // Stages never overwrite columns, so the job would be refused.
  const std::string name = Lower(column.name);
  if (name == "prediction" || name == "probability") why = "has the name of what the model adds";
  if (!why.empty()) return Use::kLeftOut;
  const arrow::Type::type id = column.type->id();
  if (id == arrow::Type::BOOL) return Use::kCategory;
  if (IsTime(*column.type)) return Use::kTime;
  if (IsNumber(*column.type)) return Use::kNumber;
  const int64_t values = table.rows - column.nulls;
  if (id == arrow::Type::STRING && column.distinct > kFewCategories &&
      column.distinct * kRowsOfCategory > values) {
    why = fmt::format("has {} different texts in {} rows: too few rows of each",
                      Grouped(column.distinct), Grouped(values));
    return Use::kLeftOut;
  }
  if (id == arrow::Type::STRING && column.distinct <= kMostCategories) return Use::kCategory;
  why =
      id == arrow::Type::STRING
          ? fmt::format("has {} different texts: see tokenizer and hasher in `protium help stages`",
                        Grouped(column.distinct))
          : "is of type " + TypeText(*column.type);
  return Use::kLeftOut;
}

UsedColumns Sort(const TableProfile& table, const ColumnProfile& label, const Leaks& leaks) {
  UsedColumns out;
  for (const ColumnProfile& each : table.columns) {
    if (&each == &label) continue;
    std::string why;
    Use use = UseOf(table, each, why);
    // A copy of the label would be the only thing learned.
    if (each.same_as == label.name || label.same_as == each.name) {
      use = Use::kLeftOut;
      why = "equals the label in every row";
    }
    if (const auto leak = leaks.find(each.name); leak != leaks.end() && why.empty()) {
      use = Use::kLeftOut;
      why = leak->second;
    }
    if (NamesSomething(table, each) && each.same_as.empty() && !leaks.contains(each.name)) {
      const bool few = each.distinct * kRowsOfEntity >= table.rows;
      use = few || each.distinct > kMostCategories ? Use::kLeftOut : Use::kCategory;
      why = fmt::format("names what the rows are about, {} of each on average",
                        Grouped(table.rows / each.distinct));
      if (use == Use::kLeftOut && out.entity == nullptr) out.entity = &each;
    }
    if (use == Use::kLeftOut) out.left_out.push_back(each.name + " " + why);
    if (out.id == nullptr && each.exact && each.nulls == 0 && each.distinct == table.rows) {
      out.id = use == Use::kLeftOut && each.same_as.empty() ? &each : nullptr;
    }
    if (use == Use::kCategory) out.categories.push_back(&each);
    if (use == Use::kNumber) out.numbers.push_back(&each);
    if (use == Use::kTime) out.times.push_back(&each);
  }
  return out;
}

Status RefuseLabel(const ColumnProfile& label, const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("\"{}\" cannot be learned: {}", label.name, why),
               .fix = "name another column with --label"});
}

}  // namespace

bool IsInfinite(const ColumnProfile& column) {
  return column.least == "-inf" || column.greatest == "inf";
}

Result<const ColumnProfile*> FindLabel(const TableProfile& table, const std::string& label) {
  if (const ColumnProfile* found = table.Find(label)) return found;
  std::vector<std::string> names;
  for (const ColumnProfile& each : table.columns) names.push_back(each.name);
  return Fail({.exit = Exit::kUsage,
               .what = "the table has no column \"" + label + "\" to be the label",
               .fix = Suggest(label, names)});
}

Result<Aim> AimOf(const ColumnProfile& label) {
  if (label.distinct < 2) return RefuseLabel(label, "it has the same value in every row");
  const arrow::Type::type id = label.type->id();
  const bool classes = id == arrow::Type::STRING || id == arrow::Type::BOOL;
  if (classes || IsWhole(*label.type)) {
    if (label.distinct == 2) return Aim::kTwoClasses;
    if (IsWhole(*label.type) && label.distinct > kMostClassNumbers) return Aim::kNumber;
    if (label.distinct <= kMostClasses) return Aim::kClasses;
    return RefuseLabel(label, fmt::format("it has {} different texts", Grouped(label.distinct)));
  }
  if (IsNumber(*label.type)) return Aim::kNumber;
  return RefuseLabel(label, "it is of type " + TypeText(*label.type));
}

bool IsOfClasses(const ColumnProfile& label) {
  const Result<Aim> aim = AimOf(label);
  return aim.ok() && *aim != Aim::kNumber;
}

const char* AimText(Aim aim) {
  if (aim == Aim::kTwoClasses) return "one of two classes";
  return aim == Aim::kClasses ? "one of several classes" : "a number";
}

Result<UsedColumns> SortColumns(const TableProfile& table, const ColumnProfile& label,
                                const Leaks& leaks) {
  UsedColumns columns = Sort(table, label, leaks);
  if (!columns.any()) columns = Sort(table, label, {});
  if (columns.any()) return columns;
  return Fail({.exit = Exit::kInput,
               .what = "there is no column to learn \"" + label.name + "\" from",
               .why = columns.left_out.empty() ? "the table has no other column"
                                               : columns.left_out.front()});
}

bool ManyEqualRows(const TableProfile& table, const UsedColumns& columns,
                   const ColumnProfile& label) {
  double different = double(label.distinct);
  for (const auto* group : {&columns.categories, &columns.numbers, &columns.times}) {
    for (const ColumnProfile* each : *group) {
      different *= double(each->distinct + (each->nulls > 0 ? 1 : 0));
    }
  }
  return different * 2 < double(table.rows);
}

// If the rows are in the order of a date, it says when they happened. Otherwise a date that enough
// rows share keeps them together, since rows of one day often resemble each other.
FirstSplit SplitFor(const TableProfile& table, const UsedColumns& columns,
                    const ColumnProfile& label, const std::string& time) {
  constexpr int64_t kFewestTimes = 20;
  if (!time.empty()) return {HeldOut::kLatest, table.Find(time)};
  for (const ColumnProfile* each : columns.times) {
    if (each->nulls > 0 || each->distinct < kFewestTimes) continue;
    if (each->ascending && !each->last_fifth.empty()) return {HeldOut::kLatest, each};
  }
  if (columns.entity != nullptr) return {HeldOut::kEntities, columns.entity};
  for (const ColumnProfile* each : columns.times) {
    if (each->type->id() != arrow::Type::DATE32 || each->nulls > 0) continue;
    if (each->distinct >= kFewestTimes && each->distinct * 3 <= table.rows) {
      return {HeldOut::kDays, each};
    }
  }
  const bool equal = columns.id != nullptr && ManyEqualRows(table, columns, label);
  return equal ? FirstSplit{HeldOut::kIds, columns.id} : FirstSplit{};
}

}  // namespace protium
