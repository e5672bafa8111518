// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_columns.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "column/cells.h"
#include "leaks/shared_groups.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int64_t kMostClassNumbers = 10;  // Whole numbers with more distinct values are amounts.
constexpr int64_t kMostClasses = 1000;
constexpr int64_t kMostManyValues = 10'000;
constexpr int64_t kRowsOfEntity = 20;  // On average; with more rows each, they are categories.

// What a column is to the net.
enum class Use { kCategory, kNumber, kTime, kSentence, kManyValues, kLeftOut };

bool IsWhole(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT32 || type.id() == arrow::Type::INT64;
}

bool IsTime(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP;
}

// Whether at most one of many values is in enough rows to be learned.
bool OnlyRare(const TableProfile& table, const ColumnProfile& column) {
  return table.rows >= kRowsForRare && column.distinct > kFewCategories &&
         column.rare + 1 >= column.distinct;
}

Use UseOf(const TableProfile& table, const ColumnProfile& column, std::string& why) {
  const bool sentences = HoldsSentences(table, column);
  why = WhyUseless(table, column);
  // Stages never overwrite columns, so the job would be refused.
  const std::string name = Lower(column.name);
  if (name == "prediction" || name == "probability") why = "has the name of what the model adds";
  if (sentences && why.empty()) {
    constexpr const char* kSee = "see tokenizer in `protium help stages`";
    why = fmt::format("has {} distinct texts of about {:.0f} words: {}", Grouped(column.distinct),
                      column.words, kSee);
    return Use::kSentence;
  }
  if (!why.empty()) return Use::kLeftOut;
  const arrow::Type::type id = column.type->id();
  if (id == arrow::Type::BOOL) return Use::kCategory;
  if (IsTime(*column.type)) return Use::kTime;
  if (IsNumber(*column.type)) return Use::kNumber;
  const int64_t values = table.rows - column.nulls;
  if (id == arrow::Type::STRING && column.distinct > kFewCategories &&
      column.distinct * kRowsOfCategory > values) {
    why = fmt::format("has {} distinct values in {} rows: too few rows for each",
                      Grouped(column.distinct), Grouped(values));
    return Use::kLeftOut;
  }
  if (id == arrow::Type::STRING && OnlyRare(table, column)) {
    why = fmt::format("has {} distinct values, nearly all in fewer than {} rows",
                      Grouped(column.distinct), kRareBelow);
    return Use::kLeftOut;
  }
  if (id == arrow::Type::STRING && column.distinct <= kMostCategories) return Use::kCategory;
  if (id == arrow::Type::STRING) {
    why = fmt::format("has {} distinct values: see tokenizer and hasher in `protium help stages`",
                      Grouped(column.distinct));
    // Each becomes a literal, and a target_encoder keeps the means of several parts of the rows.
    return column.distinct <= kMostManyValues ? Use::kManyValues : Use::kLeftOut;
  }
  why = "is of type " + TypeText(*column.type);
  return Use::kLeftOut;
}

// What a column of this type is to the net, whatever its values are.
Use UseByType(const arrow::DataType& type) {
  if (type.id() == arrow::Type::BOOL || type.id() == arrow::Type::STRING) return Use::kCategory;
  if (IsTime(type)) return Use::kTime;
  return IsNumber(type) ? Use::kNumber : Use::kLeftOut;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Years are not grouped.
std::string Whole(int64_t number) {
  return std::abs(number) < 10'000 ? std::to_string(number) : Grouped(number);
}

// Why a column that is used is used so: "4 distinct values", "whole numbers from 0 to 80; 177
// missing".
std::string WhyUsed(const ColumnProfile& column, Use use) {
  std::string why;
  if (use == Use::kCategory) {
    why = Counted(column.distinct, "distinct value");
    if (column.leading_zeros > 0) why += ", codes with leading zeros among them";
    if (column.rare > 0) {
      why += fmt::format(", {} of them in fewer than {} rows", Grouped(column.rare), kRareBelow);
    }
  } else {
    const bool days = column.type->id() == arrow::Type::DATE32;
    const char* const kind = use == Use::kTime       ? (days ? "dates" : "times")
                             : IsWhole(*column.type) ? "whole numbers"
                                                     : "numbers";
    const bool whole = IsWhole(*column.type);
    const auto shown = [&](const std::string& value) {
      if (whole) return Whole(std::strtoll(value.c_str(), nullptr, 10));
      const auto number = AllAsNumber<double>(value);
      return number && IsNumber(*column.type) ? Figure(*number, 6) : value;
    };
    why = fmt::format("{} from {} to {}", kind, shown(column.least), shown(column.greatest));
  }
  return column.nulls > 0 ? why + fmt::format("; {} missing", Grouped(column.nulls)) : why;
}

const char* UseText(Use use) {
  switch (use) {
    case Use::kCategory:
      return "category";
    case Use::kNumber:
      return "number";
    case Use::kTime:
      return "date";
    default:
      return "left out";
  }
}

// Sorts the columns of a table, one after the other.
class Sorting {
 public:
  Sorting(const TableProfile& table, const ColumnProfile& label, const Leaks& leaks,
          const ColumnWishes& wishes)
      : table_(table), label_(label), leaks_(leaks), wishes_(wishes) {}

  UsedColumns Run() {
    for (const ColumnProfile& each : table_.columns) {
      if (&each == &label_) {
        out_.reasons.push_back({each.name, "label", ""});
      } else {
        Put(each);
      }
    }
    return std::move(out_);
  }

 private:
  void Put(const ColumnProfile& column) {
    std::string why;
    Use use = Decide(column, why);
    if (use == Use::kSentence) out_.sentences.push_back(&column);
    if (use == Use::kManyValues) out_.many.push_back(&column);
    if (use == Use::kSentence || use == Use::kManyValues) use = Use::kLeftOut;
    if (use == Use::kLeftOut) out_.left_out.push_back(column.name + " " + why);
    const bool sentence = !out_.sentences.empty() && out_.sentences.back() == &column;
    if (out_.id == nullptr && !sentence && column.exact && column.nulls == 0 &&
        column.distinct == table_.rows) {
      out_.id = use == Use::kLeftOut && column.same_as.empty() ? &column : nullptr;
    }
    if (use == Use::kCategory) out_.categories.push_back(&column);
    if (use == Use::kNumber) out_.numbers.push_back(&column);
    if (use == Use::kTime) out_.times.push_back(&column);
    if (use != Use::kLeftOut) why = WhyUsed(column, use) + (why.empty() ? "" : "; " + why);
    out_.reasons.push_back({column.name, UseText(use), why});
  }

  Use Decide(const ColumnProfile& column, std::string& why) {
    if (Contains(wishes_.dropped, column.name)) {
      why = "is dropped by --drop";
      return Use::kLeftOut;
    }
    if (Contains(wishes_.kept, column.name)) {
      why = "kept by --keep";
      return UseByType(*column.type);
    }
    const Use use = UseOf(table_, column, why);
    // A copy of the label would be the only thing learned.
    if (column.same_as == label_.name || label_.same_as == column.name) {
      why = "equals the label in every row";
      return Use::kLeftOut;
    }
    if (const auto leak = leaks_.find(column.name); leak != leaks_.end()) {
      if (why.empty() || use == Use::kSentence) why = leak->second;
      return Use::kLeftOut;
    }
    return NamesGroups(table_, column) && column.same_as.empty() ? UseOfGroup(column, why) : use;
  }

  Use UseOfGroup(const ColumnProfile& column, std::string& why) {
    const bool few = column.distinct * kRowsOfEntity >= table_.rows;
    why = fmt::format("identifies what the rows are about: {} rows each on average",
                      Grouped(table_.rows / column.distinct));
    if (!few && column.distinct <= kMostCategories) return Use::kCategory;
    if (out_.entity == nullptr) out_.entity = &column;
    return Use::kLeftOut;
  }

  const TableProfile& table_;
  const ColumnProfile& label_;
  const Leaks& leaks_;
  const ColumnWishes& wishes_;
  UsedColumns out_;
};

Status RefuseLabel(const ColumnProfile& label, const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("\"{}\" cannot be predicted: {}", label.name, why),
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
               .what = "the table has no column \"" + label + "\" for the label",
               .fix = Suggest(label, names)});
}

Result<Aim> AimOf(const ColumnProfile& label) {
  if (label.distinct == 0) return RefuseLabel(label, "it has no values");
  if (label.distinct < 2) return RefuseLabel(label, "it has the same value in every row");
  const arrow::Type::type id = label.type->id();
  const bool classes = id == arrow::Type::STRING || id == arrow::Type::BOOL;
  if (classes || IsWhole(*label.type)) {
    if (label.distinct == 2) return Aim::kTwoClasses;
    if (IsWhole(*label.type) && label.distinct > kMostClassNumbers) return Aim::kNumber;
    if (label.distinct <= kMostClasses) return Aim::kClasses;
    return RefuseLabel(label, fmt::format("it has {} distinct values", Grouped(label.distinct)));
  }
  if (IsNumber(*label.type)) return Aim::kNumber;
  return RefuseLabel(label, "it is of type " + TypeText(*label.type));
}

bool IsOfClasses(const ColumnProfile& label) {
  const Result<Aim> aim = AimOf(label);
  return aim.ok() && *aim != Aim::kNumber;
}

const char* AimText(Aim aim) {
  if (aim == Aim::kTwoClasses) return "binary classification";
  return aim == Aim::kClasses ? "multiclass classification" : "regression";
}

Result<UsedColumns> SortColumns(const TableProfile& table, const ColumnProfile& label,
                                const Leaks& leaks, const ColumnWishes& wishes) {
  for (const std::string& name : wishes.kept) {
    const ColumnProfile* const column = table.Find(name);
    const bool empty = column != nullptr && column->nulls == table.rows;
    if (column == nullptr || (!empty && UseByType(*column->type) != Use::kLeftOut)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" cannot be an input: it is {}", name,
                                     empty ? "empty" : "of type " + TypeText(*column->type)),
                 .where = "--keep"});
  }
  UsedColumns columns = Sorting(table, label, leaks, wishes).Run();
  if (!columns.any()) columns = Sorting(table, label, {}, wishes).Run();
  if (columns.any() || !columns.sentences.empty()) return columns;
  return Fail({.exit = Exit::kInput,
               .what = "there is no column to predict \"" + label.name + "\" from",
               .why = columns.left_out.empty() ? "the table has no other column"
                                               : columns.left_out.front()});
}

bool ManyEqualRows(const TableProfile& table, const UsedColumns& columns,
                   const ColumnProfile& label) {
  double different = double(label.distinct);
  for (const auto* group :
       {&columns.categories, &columns.numbers, &columns.times, &columns.texts, &columns.coded}) {
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
