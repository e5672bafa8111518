// SPDX-License-Identifier: Apache-2.0
#include "format/cell_value.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>

namespace protium {
namespace {

constexpr int64_t kMicrosOfDay = int64_t{86'400} * 1'000'000;

int64_t WholeOf(std::string_view digits) {
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

double DoubleOf(std::string_view text) {
  using Limits = std::numeric_limits<double>;
  if (text == "NaN") return Limits::quiet_NaN();
  if (text == "Inf") return Limits::infinity();
  if (text == "-Inf") return -Limits::infinity();
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  // It reads inf and nan in any case. Unlike strtod, it gives no value for numbers out of range.
  if (read.ec == std::errc::result_out_of_range)
    return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

// Returns the days since 1970 of a text that begins with 2013-12-31.
int32_t DaysOf(std::string_view text) {
  using namespace std::chrono;
  const year_month_day date(year(static_cast<int>(WholeOf(text.substr(0, 4)))),
                            month(static_cast<unsigned>(WholeOf(text.substr(5, 2)))),
                            day(static_cast<unsigned>(WholeOf(text.substr(8, 2)))));
  return static_cast<int32_t>(sys_days(date).time_since_epoch().count());
}

// Returns the microseconds since 1970 of 2013-12-31, 2013-12-31T23:59, ...:58.123456Z.
int64_t MicrosOf(std::string_view text) {
  int64_t micros = DaysOf(text) * kMicrosOfDay;
  if (text.size() < 16) return micros;
  micros += (WholeOf(text.substr(11, 2)) * 60 + WholeOf(text.substr(14, 2))) * 60'000'000;
  if (text.size() >= 19) micros += WholeOf(text.substr(17, 2)) * 1'000'000;
  if (text.size() <= 20 || text[19] != '.') return micros;
  int64_t unit = 100'000;
  for (size_t i = 20; i < text.size() && text[i] != 'Z'; ++i, unit /= 10) {
    micros += (text[i] - '0') * unit;
  }
  return micros;
}

}  // namespace

Status AppendCell(std::string_view text, CellType type, arrow::ArrayBuilder& builder) {
  switch (type) {
    case CellType::kInt64:
      return static_cast<arrow::Int64Builder&>(builder).Append(WholeOf(text));
    case CellType::kDouble:
    case CellType::kLooseDouble:
      return static_cast<arrow::DoubleBuilder&>(builder).Append(DoubleOf(text));
    case CellType::kBool:
      return static_cast<arrow::BooleanBuilder&>(builder).Append(text.front() == 't' ||
                                                                 text.front() == 'T');
    case CellType::kDate:
      return static_cast<arrow::Date32Builder&>(builder).Append(DaysOf(text));
    case CellType::kTimestamp:
      return static_cast<arrow::TimestampBuilder&>(builder).Append(MicrosOf(text));
    case CellType::kNone:
    case CellType::kText:
      break;
  }
  return static_cast<arrow::StringBuilder&>(builder).Append(text);
}

}  // namespace protium
