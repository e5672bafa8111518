// SPDX-License-Identifier: Apache-2.0
#include <arrow/type.h>

#include <set>

#include "stages/column_stage.h"
#include "stages/row.h"

// Fields of a date or timestamp as int64 columns, one for each input and part; `unix_time` alone is
// a double, the seconds since 1970 with their fractions. Learns nothing. NULL
// stays NULL in every part; a date has hour, minute and second 0. Spark ML has no such class; the
// parts are Spark SQL's year(), quarter(), month(), weekofyear() (ISO 8601), day(), dayofyear(),
// dayofweek() (Sunday is 1), hour(), minute() and second(); `weekend` is dayofweek() 1 or 7. They
// are whole numbers, so engines can differ only in their type: hence the casts to int64.

namespace protium {
namespace {

enum class Part {
  kYear,
  kQuarter,
  kMonth,
  kWeekOfYear,
  kDay,
  kDayOfYear,
  kDayOfWeek,
  kWeekend,
  kHour,
  kMinute,
  kSecond,
  kUnixTime
};
EnumNames<Part> Names(Part) {
  return {{{Part::kYear, "year"},
           {Part::kQuarter, "quarter"},
           {Part::kMonth, "month"},
           {Part::kWeekOfYear, "week_of_year"},
           {Part::kDay, "day"},
           {Part::kDayOfYear, "day_of_year"},
           {Part::kDayOfWeek, "day_of_week"},
           {Part::kWeekend, "weekend"},
           {Part::kHour, "hour"},
           {Part::kMinute, "minute"},
           {Part::kSecond, "second"},
           {Part::kUnixTime, "unix_time"}}};
}

// A part's name in options, output columns and expressions alike (plan/functions.h), except
// weekend, which is no function.
std::string NameOf(Part part) {
  for (const auto& [each, name] : Names(Part()).all) {
    if (each == part) return std::string(name);
  }
  return {};
}

struct DatetimePartsOptions {
  std::string id;
  Inputs inputs;
  std::vector<Part> parts = {Part::kMonth, Part::kDayOfWeek, Part::kHour};
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = kInputsHelp});
    visit(
        "parts", parts,
        {.help = "the columns to make: year, quarter, month, week_of_year (ISO), day, "
                 "day_of_year, day_of_week (1 is Sunday), weekend (1 or 0), hour, minute, second, "
                 "unix_time (seconds since 1970, with fractions)"});
  }

  Status Check(const std::string& path) const {
    if (!parts.empty() && std::set<Part>(parts.begin(), parts.end()).size() == parts.size()) {
      return Status::OK();
    }
    return Fail({.exit = Exit::kUsage,
                 .what = parts.empty() ? "no parts are named" : "a part is named twice",
                 .where = path + ".parts"});
  }
};

class DatetimePartsStage : public FormulaStage {
 public:
  DatetimePartsStage(const DatetimePartsOptions& options, StageNames names)
      : FormulaStage(std::move(names)), parts_(options.parts) {
    // All parts of the first input, then all of the second: inputs_of() and ExprOf() rely on this.
    Columns outputs;
    for (const std::string& input : inputs()) {
      for (const Part part : parts_) outputs.push_back(input + "__" + id() + "__" + NameOf(part));
    }
    SetOutputs(std::move(outputs));
  }

  std::vector<size_t> inputs_of(size_t i) const override { return {i / parts_.size()}; }
  std::shared_ptr<arrow::DataType> output_type(size_t i) const override {
    return PartOf(i) == Part::kUnixTime ? arrow::float64() : arrow::int64();
  }

  // Text that looks like a date is refused: the SQL has to cast it.
  Status CheckType(const arrow::DataType& type) const override {
    const auto id = type.id();
    if (id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP) return Status::OK();
    return Status::TypeError("a date or a time");
  }

 protected:
  Expr ExprOf(size_t i) const override {
    const Expr time = Col(inputs()[i / parts_.size()]);
    const Part part = PartOf(i);
    if (part == Part::kUnixTime) return MakeCall(NameOf(part), {time});
    const bool weekend = part == Part::kWeekend;
    const Expr number =
        MakeCall("cast_int64", {MakeCall(weekend ? "day_of_week" : NameOf(part), {time})});
    if (!weekend) return number;
    // Without this, NULL would be neither day and become 0.
    const Expr is = number == Lit(int64_t{1}) || number == Lit(int64_t{7});
    return IfNull(time, number, MakeCall("if", {is, Lit(int64_t{1}), Lit(int64_t{0})}));
  }

 private:
  Part PartOf(size_t i) const { return parts_[i % parts_.size()]; }

  std::vector<Part> parts_;
};

}  // namespace

StageRow DatetimePartsRow() {
  return MakeStageRow<DatetimePartsStage, DatetimePartsOptions>(
      "datetime_parts", "parts of dates and times as numbers: <input>__<id>__<part>");
}

}  // namespace protium
