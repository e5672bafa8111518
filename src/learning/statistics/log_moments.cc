// SPDX-License-Identifier: Apache-2.0
// The state behind labels that are learned as ln(1 + x).
#include <arrow/array.h>

#include <algorithm>

#include "base/fault.h"
#include "base/strict_math.h"
#include "statistics/state.h"

namespace protium {
namespace {

struct LogSums {
  Json moments;
  int64_t outside = 0;
  double lowest = -1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("moments", moments);
    visit("outside", outside);
    visit("lowest", lowest);
  }
};

}  // namespace

Status LogMoments::Add(const arrow::Array& values) {
  if (values.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers must be doubles");
  const auto& array = static_cast<const arrow::DoubleArray&>(values);
  arrow::DoubleBuilder logs;
  for (int64_t i = 0; i < array.length(); ++i) {
    const double x = array.IsValid(i) ? array.Value(i) : 0;
    const bool outside = array.IsValid(i) && x <= -1;
    if (outside) {
      ++outside_;
      lowest_ = std::min(lowest_, x);
    }
    PT_TRY(array.IsNull(i) || outside ? logs.AppendNull() : logs.Append(StrictLog1p(x)));
  }
  PT_LET(const auto taken, logs.Finish());
  return moments_.Add(*taken);
}

// The row of the moments, wrapped in a row of this state.
Status LogMoments::Emit(const EmitRow& emit) const {
  return moments_.Emit([&](const StateRow& row) -> Status {
    PT_LET(const Json moments, ParseJson(row.text.value_or("")));
    const LogSums sums{moments, outside_, lowest_};
    return emit({.text = Dump(FieldsToJson(sums)), .count = row.count});
  });
}

Status LogMoments::Merge(const StateRow& row) {
  PT_LET(const Json json, ParseJson(row.text.value_or("")));
  LogSums sums;
  PT_TRY(FieldsFromJson(json, "state", sums));
  outside_ += sums.outside;
  lowest_ = std::min(lowest_, sums.lowest);
  return moments_.Merge({.text = Dump(sums.moments), .count = row.count});
}

}  // namespace protium
