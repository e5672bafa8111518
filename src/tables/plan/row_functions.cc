// SPDX-License-Identifier: Apache-2.0
#include "plan/row_functions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/murmur.h"
#include "base/strict_math.h"
#include "plan/row_dates.h"

namespace protium {
namespace {

using Kind = RowValues::Kind;

// A function of one double. NULL gives NULL.
struct Formula {
  const char* name;
  std::optional<double> (*of)(double);  // nullopt: NULL.
};
// The logarithms are NULL where they are undefined, and NaN for NaN; comparisons with NaN are
// false.
constexpr Formula kFormulas[] = {
    {"abs", [](double x) -> std::optional<double> { return std::abs(x); }},
    {"expm1", [](double x) -> std::optional<double> { return StrictExpm1(x); }},
    {"ln",
     [](double x) -> std::optional<double> {
       if (x <= 0) return std::nullopt;
       return StrictLog(x);
     }},
    {"log1p",
     [](double x) -> std::optional<double> {
       if (x <= -1) return std::nullopt;
       return StrictLog1p(x);
     }},
    {"negate", [](double x) -> std::optional<double> { return -x; }},
    {"sqrt", [](double x) -> std::optional<double> { return std::sqrt(x); }}};

// A comparison of two doubles or two whole numbers. All engines order NaN above every number and
// equal to itself.
struct Order {
  const char* name;
  bool (*of_doubles)(double, double);
  bool (*of_wholes)(int64_t, int64_t);
};
bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
constexpr Order kOrders[] = {{"<", Less, [](int64_t a, int64_t b) { return a < b; }},
                             {"<=", [](double a, double b) { return !Less(b, a); },
                              [](int64_t a, int64_t b) { return a <= b; }},
                             {"<>", [](double a, double b) { return !Same(a, b); },
                              [](int64_t a, int64_t b) { return a != b; }},
                             {"=", Same, [](int64_t a, int64_t b) { return a == b; }},
                             {">", [](double a, double b) { return Less(b, a); },
                              [](int64_t a, int64_t b) { return a > b; }},
                             {">=", [](double a, double b) { return !Less(a, b); },
                              [](int64_t a, int64_t b) { return a >= b; }}};

template <class Row, size_t kRows>
const Row* Find(const Row (&table)[kRows], const std::string& name) {
  for (const Row& each : table) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

bool IsNumeric(Kind kind) {
  return kind == Kind::kDouble || kind == Kind::kWhole || kind == Kind::kFlag ||
         kind == Kind::kSmall || kind == Kind::kNumber;
}

// Exact up to 2^53; beyond that the nearest double, like the engines' casts.
RowValues ToDoubles(RowValues values) {
  if (values.kind != Kind::kDouble && values.kind != Kind::kNumber) {
    values.doubles.assign(values.wholes.begin(), values.wholes.end());
    values.wholes.clear();
  }
  values.kind = Kind::kDouble;
  return values;
}

RowValues NanToNull(RowValues values) {
  values = ToDoubles(std::move(values));
  for (size_t i = 0; i < values.valid.size(); ++i) {
    if (std::isnan(values.doubles[i])) values.valid[i] = 0;
  }
  return values;
}

// Floor as a whole number: engines return a BIGINT, with NaN as 0 and values outside its range
// clamped.
int64_t Floor(double x) {
  if (std::isnan(x)) return 0;
  if (x >= 0x1p63) return INT64_MAX;
  return x < -0x1p63 ? INT64_MIN : static_cast<int64_t>(std::floor(x));
}

RowValues Floors(RowValues values) {
  values.kind = Kind::kWhole;
  for (const double x : values.doubles) values.wholes.push_back(Floor(x));
  values.doubles.clear();
  return values;
}

RowValues ToTexts(RowValues values) {
  if (values.kind == Kind::kText) return values;
  for (const int64_t whole : values.wholes) {
    values.texts.push_back(values.kind == Kind::kFlag ? (whole != 0 ? "true" : "false")
                                                      : std::to_string(whole));
  }
  values.kind = Kind::kText;
  values.wholes.clear();
  return values;
}

// Whether each value is NULL, or is not if `wanted` is false; never NULL itself.
RowValues Nulls(const RowValues& values, bool wanted) {
  RowValues flags{.kind = Kind::kFlag};
  for (const uint8_t valid : values.valid) flags.wholes.push_back((valid == 0) == wanted ? 1 : 0);
  flags.valid.assign(values.valid.size(), 1);
  return flags;
}

// Never NULL: NULL is not NaN.
RowValues Nans(const RowValues& values) {
  RowValues flags{.kind = Kind::kFlag};
  for (size_t i = 0; i < values.valid.size(); ++i) {
    flags.wholes.push_back(values.valid[i] != 0 && std::isnan(values.doubles[i]) ? 1 : 0);
  }
  flags.valid.assign(values.valid.size(), 1);
  return flags;
}

// A loop for each operation, which the compiler turns into vectors.
template <class Operation>
void ComputeEach(std::vector<double>& a, const std::vector<double>& b, const Operation& of) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = of(a[i], b[i]);
}

// NULL if either operand is NULL.
RowValues Computed(char op, RowValues a, const RowValues& b) {
  for (size_t i = 0; i < a.valid.size(); ++i) a.valid[i] &= b.valid[i];
  switch (op) {
    case '+':
      ComputeEach(a.doubles, b.doubles, std::plus());
      break;
    case '-':
      ComputeEach(a.doubles, b.doubles, std::minus());
      break;
    case '*':
      ComputeEach(a.doubles, b.doubles, std::multiplies());
      break;
    default:
      ComputeEach(a.doubles, b.doubles, std::divides());
  }
  return a;
}

RowValues Ordered(const Order& order, const RowValues& a, const RowValues& b) {
  RowValues flags{.kind = Kind::kFlag};
  for (size_t i = 0; i < a.valid.size(); ++i) {
    const bool holds = a.kind == Kind::kDouble ? order.of_doubles(a.doubles[i], b.doubles[i])
                                               : order.of_wholes(a.wholes[i], b.wholes[i]);
    flags.wholes.push_back(holds ? 1 : 0);
    flags.valid.push_back(a.valid[i] & b.valid[i]);
  }
  return flags;
}

RowValues Applied(const Formula& formula, RowValues values) {
  for (size_t i = 0; i < values.valid.size(); ++i) {
    if (values.valid[i] == 0) continue;
    const std::optional<double> made = formula.of(values.doubles[i]);
    values.valid[i] = made ? 1 : 0;
    values.doubles[i] = made.value_or(0);
  }
  return values;
}

// Returns the largest value of each row; NULL only if all are NULL.
RowValues Greatest(std::vector<RowValues> each) {
  RowValues most = std::move(each.front());
  for (size_t next = 1; next < each.size(); ++next) {
    for (size_t i = 0; i < most.valid.size(); ++i) {
      if (each[next].valid[i] == 0) continue;
      if (most.valid[i] == 0 || Less(most.doubles[i], each[next].doubles[i])) {
        most.doubles[i] = each[next].doubles[i];
        most.valid[i] = 1;
      }
    }
  }
  return most;
}

RowValues Parts(const DatePart& part, RowValues values) {
  for (int64_t& each : values.wholes) {
    each = values.kind == Kind::kDay ? part.OfDay(each) : part.OfTime(each);
  }
  values.kind = Kind::kSmall;
  return values;
}

RowValues UnixTimes(const RowValues& values) {
  RowValues times{.kind = Kind::kDouble};
  for (const int64_t each : values.wholes) {
    times.doubles.push_back(values.kind == Kind::kDay ? UnixTimeOfDay(each) : UnixTimeOf(each));
  }
  times.valid = values.valid;
  return times;
}

// Joins by U+001F, skipping NULLs; never NULL itself.
RowValues Joined(const std::vector<RowValues>& each) {
  RowValues joined{.kind = Kind::kText};
  const size_t rows = each.front().valid.size();
  joined.valid.assign(rows, 1);
  for (size_t i = 0; i < rows; ++i) {
    std::string& text = joined.texts.emplace_back();
    bool first = true;
    for (const RowValues& values : each) {
      if (values.valid[i] == 0) continue;
      if (!std::exchange(first, false)) text += '\x1f';
      text += values.texts[i];
    }
  }
  return joined;
}

// hash() of Spark's SQL, whose values are stored in models.
RowValues Hashed(const RowValues& texts) {
  RowValues hashes{.kind = Kind::kSmall};
  for (const std::string& text : texts.texts) hashes.wholes.push_back(SparkHash(text));
  hashes.valid = texts.valid;
  return hashes;
}

// Returns the remainder of a division, never negative; `b` is above 0.
RowValues Rests(RowValues a, const RowValues& b) {
  for (size_t i = 0; i < a.wholes.size(); ++i) {
    const int64_t rest = a.wholes[i] % b.wholes[i];
    a.wholes[i] = rest < 0 ? rest + b.wholes[i] : rest;
  }
  return a;
}

std::optional<Kind> KindOfOne(const std::string& name, Kind kind) {
  if (name == "is_null" || name == "is_not_null") {
    return kind == Kind::kNone ? std::nullopt : std::optional(Kind::kFlag);
  }
  if (IsNumeric(kind) && (name == "cast_double" || name == "nan_to_null")) return Kind::kDouble;
  const bool whole = kind == Kind::kWhole || kind == Kind::kFlag;
  if ((whole || kind == Kind::kSmall) && name == "cast_int64") return Kind::kWhole;
  if ((whole || kind == Kind::kText) && name == "cast_string") return Kind::kText;
  if (kind == Kind::kFlag && name == "not") return Kind::kFlag;
  if (kind == Kind::kDouble && name == "is_nan") return Kind::kFlag;
  if (kind == Kind::kDouble && name == "floor") return Kind::kWhole;
  if (kind == Kind::kDouble && Find(kFormulas, name) != nullptr) return Kind::kDouble;
  const bool dated = kind == Kind::kDay || kind == Kind::kTime;
  if (dated && name == "unix_time") return Kind::kDouble;
  return dated && FindDatePart(name) != nullptr ? std::optional(Kind::kSmall) : std::nullopt;
}

}  // namespace

std::optional<Kind> KindOfFunction(const std::string& name, const std::vector<Kind>& kinds) {
  const auto all = [&](Kind kind) {
    return !kinds.empty() && std::ranges::count(kinds, kind) == std::ssize(kinds);
  };
  if (all(Kind::kText) && name == "hash_text") return Kind::kSmall;
  if (all(Kind::kText) && name == "join_text") return Kind::kText;
  if (kinds.size() == 1) return KindOfOne(name, kinds.front());
  if (all(Kind::kDouble) && name == "greatest") return Kind::kDouble;
  if (kinds.size() != 2) return std::nullopt;
  if (all(Kind::kWhole) && name == "pmod") return Kind::kWhole;
  const bool arithmetic = name == "+" || name == "-" || name == "*" || name == "/";
  if (all(Kind::kDouble) && arithmetic) return Kind::kDouble;
  // All of one kind, so that no engine has to find a common type.
  const bool ordered = all(Kind::kDouble) || all(Kind::kWhole);
  return ordered && Find(kOrders, name) != nullptr ? std::optional(Kind::kFlag) : std::nullopt;
}

RowValues Called(const std::string& name, std::vector<RowValues> arguments) {
  RowValues& first = arguments.front();
  if (name == "cast_double") return ToDoubles(std::move(first));
  if (name == "nan_to_null") return NanToNull(std::move(first));
  if (name == "is_null" || name == "is_not_null") return Nulls(first, name == "is_null");
  // NOT NULL is NULL: validity is unchanged.
  if (name == "not") {
    for (int64_t& each : first.wholes) each = each == 0 ? 1 : 0;
    return std::move(first);
  }
  if (name == "cast_int64") {
    first.kind = Kind::kWhole;
    return std::move(first);
  }
  if (name == "cast_string") return ToTexts(std::move(first));
  if (name == "is_nan") return Nans(first);
  if (name == "floor") return Floors(std::move(first));
  if (name == "greatest") return Greatest(std::move(arguments));
  if (name == "join_text") return Joined(arguments);
  if (name == "hash_text") return Hashed(Joined(arguments));
  if (name == "pmod") return Rests(std::move(first), arguments[1]);
  if (name == "unix_time") return UnixTimes(first);
  if (const DatePart* const part = FindDatePart(name)) return Parts(*part, std::move(first));
  if (const Formula* const formula = Find(kFormulas, name)) {
    return Applied(*formula, std::move(first));
  }
  if (const Order* const order = Find(kOrders, name)) return Ordered(*order, first, arguments[1]);
  return Computed(name.front(), std::move(first), arguments[1]);
}

}  // namespace protium
