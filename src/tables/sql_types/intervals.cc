// SPDX-License-Identifier: Apache-2.0
// Times and intervals: moving a date, the difference of two times, multiples and parts of an
// interval. Spark has two kinds of intervals: one of days and times, which is a number of
// microseconds, and one of months. The type of either says from which unit to which it is written.
// Columns of tables hold neither, so a result must be cast.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

const SqlType kTimestamp{SqlType::kTimestamp};

Json CallOf(const char* function, Json argument) {
  const Json like = argument;
  return tree::Call(function, Json::array({std::move(argument)}), like);
}

Status RefuseTypes(const TypedCall& call) {
  return call.Refuse(fmt::format("\"{}\" is given {}", call.name, call.TypeNames()),
                     "Spark has no such operation", "cast them to numbers");
}

// A date or time moved by months is written as a call of pt_add_months: DuckDB considers INTERVAL 1
// MONTH equal to INTERVAL 30 DAY, so where both are added to the same column it computes only one
// of them.
SqlType MoveByMonths(TypedCall& call, size_t moved) {
  const SqlType type = call.types[moved];
  call.CoerceTo(moved, kTimestamp);
  Json months = tree::Take(call.argument(1 - moved));
  if (call.name == "-") months = tree::Call("-", Json::array({months}), months);
  Json operands = Json::array({tree::Take(call.argument(moved)), std::move(months)});
  tree::Replace(call.node, tree::Call("pt_add_months", std::move(operands), call.node));
  // A date moved by months stays a date in Spark; DuckDB makes it a timestamp.
  if (type == SqlType::kDate) call.CastResult(type);
  return type;
}

// `moved` is the index of the operand that is not an interval. In Spark a date moved by whole days
// stays a date; moved by a time of day it becomes a timestamp. DuckDB always makes a timestamp.
Result<SqlType> MoveByInterval(TypedCall& call, size_t moved) {
  if (call.name == "-" && moved == 1) {
    return call.Refuse("something is subtracted from an interval", "Spark has no such operation",
                       "put the date or time first");
  }
  const SqlType type = call.types[moved], interval = call.types[1 - moved];
  if (type == SqlType::kNull) {
    call.CoerceTo(moved, kTimestamp);
    return SqlType::ZonedTime();
  }
  const bool text = type == SqlType::kText && interval == SqlType::kInterval;
  // Text is read as a time, and the result is text again.
  if (text) call.CoerceTo(moved, kTimestamp);
  if (!call.types[moved].IsTime()) return RefuseTypes(call);
  if (interval == SqlType::kMonths) return MoveByMonths(call, moved);
  call.node["function_name"] = call.name;
  if (text) {
    Coerce(call.node, kTimestamp, type);
    return type;
  }
  if (type == SqlType::kTimestamp) return type;
  if (interval.last_unit() > 0) return SqlType::ZonedTime();
  call.CastResult(type);
  return type;
}

// The difference of two dates counts days, that of other times days and times. Text is read as the
// type that it is subtracted from.
SqlType TakeDifference(TypedCall& call) {
  const bool dates = call.types[0] != SqlType::kTimestamp && call.types[1] != SqlType::kTimestamp;
  for (const size_t i : {0, 1}) {
    if (dates && !call.types[i].IsTime()) call.CoerceTo(i, {SqlType::kDate});
  }
  call.CoerceAll(kTimestamp);
  Json times = Json::array({tree::Take(call.argument(0)), tree::Take(call.argument(1))});
  tree::Replace(call.node, tree::Call("pt_between_times", std::move(times), call.node));
  return dates ? SqlType::IntervalOf(0, 0) : SqlType{SqlType::kInterval};
}

// A date moved by a number of days, or the difference of two.
Result<SqlType> TypeTimes(TypedCall& call) {
  const bool first = call.types[0].IsTime(), second = call.types[1].IsTime();
  const size_t moved = first ? 0 : 1;
  const SqlType days = call.types[1 - moved];
  if (call.name == "-" && (days.IsTime() || days == SqlType::kText)) return TakeDifference(call);
  if (first && second) return RefuseTypes(call);
  const bool whole = (days.IsWhole() && days != SqlType::kBigint) || days == SqlType::kNull;
  if (call.types[moved] != SqlType::kDate || !whole || (call.name == "-" && moved == 1)) {
    return call.Refuse(fmt::format("\"{}\" is given {}", call.name, call.TypeNames()),
                       "Spark moves dates only by 32-bit numbers",
                       "use date_add(date, CAST(days AS INT))");
  }
  call.CoerceTo(1 - moved, {SqlType::kInt});
  call.node["function_name"] = call.name;
  return SqlType{SqlType::kDate};
}

// How an interval of one kind is converted to a number and back.
struct Count {
  const char* read;
  const char* make;
  SqlType digits;  // Holds every such number.
  SqlType type;    // Of the argument of `make`.
};

Count CountOf(const SqlType& interval) {
  if (interval == SqlType::kMonths) {
    return {"pt_interval_months", "to_months", SqlType::Decimal(10, 0), {SqlType::kInt}};
  }
  return {
      "pt_interval_micros", "pt_interval_of_micros", SqlType::Decimal(19, 0), {SqlType::kBigint}};
}

// An interval multiplied or divided by a number, rounded once to whole microseconds or months.
Result<SqlType> Scale(TypedCall& call) {
  const size_t number = call.types[0].IsInterval() ? 1 : 0;
  const bool divided = call.name == "/";
  const SqlType by = call.types[number];
  if (!(divided || call.name == "*") || (divided && number == 0) || !by.IsNumber()) {
    return RefuseTypes(call);
  }
  const Count count = CountOf(call.types[1 - number]);
  Json value = CallOf(count.read, tree::Take(call.argument(1 - number)));
  if (by.IsReal()) {
    call.CoerceTo(number, {SqlType::kDouble});
    value = tree::Call(
        "pt_interval_scaled",
        Json::array({value, tree::Take(call.argument(number)), tree::BooleanConstant(divided)}),
        call.node);
  } else {
    call.CoerceTo(number, AsDecimal(by));
    value = DecimalCall(call.name[0], tree::Cast(std::move(value), count.digits),
                        tree::Take(call.argument(number)), SqlType::Decimal(kMostDigits, 0));
  }
  const SqlType kind{call.types[1 - number].kind};
  tree::Replace(call.node, CallOf(count.make, tree::Cast(std::move(value), count.type)));
  return kind;
}

// -x, +x and abs(x).
Result<SqlType> TypeSign(TypedCall& call) {
  if (call.name != "abs") return call.types[0];
  const Count count = CountOf(call.types[0]);
  call.argument(0) = tree::Cast(CallOf(count.read, tree::Take(call.argument(0))), count.type);
  tree::Replace(call.node, CallOf(count.make, tree::Take(call.node)));
  return call.types[0];
}

struct Part {
  std::string_view name;
  int unit;  // Of kMonths or of kInterval.
  bool months;
  SqlType type;
};

const Part* FindPart(std::string_view name) {
  static const Part kParts[] = {
      {"year", 0, true, {SqlType::kInt}},        {"month", 1, true, {SqlType::kTinyint}},
      {"day", 0, false, {SqlType::kInt}},        {"hour", 1, false, {SqlType::kTinyint}},
      {"minute", 2, false, {SqlType::kTinyint}}, {"second", 3, false, SqlType::Decimal(8, 6)}};
  const auto* const found = std::ranges::find(kParts, name, &Part::name);
  return found == std::end(kParts) ? nullptr : found;
}

// extract(HOUR FROM interval), which accepts the parts that the interval's type has.
Result<SqlType> PartOfInterval(TypedCall& call, const std::string& name, size_t interval) {
  const SqlType type = call.types[interval];
  const Part* const part = FindPart(name);
  if (part == nullptr || part->months != (type == SqlType::kMonths) ||
      part->unit < type.first_unit() || part->unit > type.last_unit()) {
    return call.Refuse(fmt::format("\"{}\" is asked of an {}", name, type.SparkName()),
                       "Spark takes only the parts that the interval has",
                       "use a part that the interval's type names");
  }
  Json value = tree::Call(
      "pt_interval_part",
      Json::array({tree::TextConstant(name), tree::Take(call.argument(interval))}), call.node);
  if (part->unit == 3) {  // Microseconds.
    value =
        DecimalCall('/', tree::Cast(std::move(value), SqlType::Decimal(10, 0)),
                    tree::Cast(tree::WholeConstant(1000000), SqlType::Decimal(7, 0)), part->type);
  } else {
    value = tree::Cast(std::move(value), part->type);
  }
  tree::Replace(call.node, std::move(value));
  return part->type;
}

}  // namespace

Result<SqlType> TypeInterval(TypedCall& call) {
  if (call.types.size() == 1) return TypeSign(call);
  const bool first = call.types[0].IsInterval(), second = call.types[1].IsInterval();
  if (!first && !second) return TypeTimes(call);
  if (call.name != "+" && call.name != "-") return Scale(call);
  if (!first || !second) return MoveByInterval(call, first ? 1 : 0);
  const auto common = CommonType(call.types[0], call.types[1]);
  call.node["function_name"] = call.name;
  if (common) return *common;
  return call.Refuse("an interval mixes months and days",
                     "Spark keeps intervals of months and of days apart",
                     "move the date or time by each in turn");
}

Result<SqlType> TypeUnits(TypedCall& call) {
  if (call.name == "to_months") return SqlType::MonthsOf(1, 1);
  if (call.name == "to_years") return SqlType::MonthsOf(0, 0);
  const int unit = call.name == "to_hours"          ? 1
                   : call.name == "to_minutes"      ? 2
                   : call.name.ends_with("seconds") ? 3  // Also parts of a second.
                                                    : 0;
  return SqlType::IntervalOf(unit, unit);
}

// date_part(name, x), and pt_second(x) for its part SECOND.
Result<SqlType> TypeDatePart(TypedCall& call) {
  const bool seconds = call.name == "pt_second";
  const size_t of = seconds ? 0 : 1;
  const std::string* const name = seconds ? nullptr : tree::ConstantText(call.argument(0));
  const SqlType result = seconds ? SqlType::Decimal(8, 6) : SqlType{SqlType::kInt};
  if (call.types.size() != of + 1 || (!seconds && name == nullptr)) return SqlType{};
  const SqlType type = call.types[of];
  if (type.IsInterval()) return PartOfInterval(call, seconds ? "second" : Lower(*name), of);
  if (type == SqlType::kText || type == SqlType::kNull || seconds) call.CoerceTo(of, kTimestamp);
  if (type != SqlType::kUnknown && !call.types[of].IsTime()) {
    return call.Refuse("a part of a date is asked of " + type.SparkName(),
                       "Spark takes parts of dates, times and intervals", "cast it to a timestamp");
  }
  if (!seconds) call.CastResult(result);
  return result;
}

// Takes year, month, day, hour, minute and second, and optionally a zone as the seventh argument.
// Seconds have a fraction: Spark makes them a DECIMAL(16, 6).
Result<SqlType> TypeMadeTime(TypedCall& call) {
  if (call.types.size() < 6) {
    return call.Refuse(fmt::format("{}() is given {} values", call.name, call.types.size()),
                       "the embedded engine makes times of six fields",
                       "write (year, month, day, hour, minute, second)");
  }
  for (size_t i = 0; i < 6; ++i) {
    const SqlType type = call.types[i];
    if (type == SqlType::kUnknown) return SqlType{};
    if (type.IsNumber() || type == SqlType::kText || type == SqlType::kNull) continue;
    return call.Refuse(call.name + "() is given " + type.SparkName(), "Spark takes only numbers",
                       "cast it to a number");
  }
  for (size_t i = 0; i < 5; ++i) call.CoerceTo(i, {SqlType::kInt});
  call.CoerceTo(5, SqlType::Decimal(16, 6));
  Json fields = Json::array();
  for (size_t i = 0; i < 5; ++i) fields.push_back(tree::Take(call.argument(i)));
  fields.push_back(CallOf("pt_micros_of_seconds", tree::Take(call.argument(5))));
  const bool tried = call.name.starts_with("try_");
  Json made = tree::Call(tried ? "pt_try_make_time" : "pt_make_time", std::move(fields), call.node);
  if (call.types.size() > 6) {
    call.CoerceTo(6, {SqlType::kText});
    made = tree::Call("pt_to_utc", Json::array({made, tree::Take(call.argument(6))}), call.node);
  }
  tree::Replace(call.node, std::move(made));
  return call.name.ends_with("_ntz") ? SqlType::LocalTime() : SqlType::ZonedTime();
}

}  // namespace protium
