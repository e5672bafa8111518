// SPDX-License-Identifier: Apache-2.0
#include "serve/drift_watch.h"

#include <arrow/api.h>

namespace protium {
namespace {

// Adds one to the bin of each value of `values`, whose type has arrays of this class.
template <class Array>
void CountValues(const arrow::Array& values, const DriftBins& bins, std::vector<int64_t>& rows) {
  const auto& typed = static_cast<const Array&>(values);
  for (int64_t i = 0; i < typed.length(); ++i) {
    if (typed.IsNull(i)) {
      ++rows[bins.Missing()];
    } else if constexpr (std::is_same_v<Array, arrow::StringArray>) {
      ++rows[bins.BinOf(typed.GetView(i))];
    } else {
      ++rows[bins.BinOf(double(typed.Value(i)))];
    }
  }
}

// Values of other types are not counted.
void CountBins(const arrow::Array& values, const DriftBins& bins, std::vector<int64_t>& rows) {
  const auto id = values.type_id();
  if (bins.of_texts != (id == arrow::Type::STRING)) return;
  switch (id) {
    case arrow::Type::STRING:
      return CountValues<arrow::StringArray>(values, bins, rows);
    case arrow::Type::BOOL:
      return CountValues<arrow::BooleanArray>(values, bins, rows);
    case arrow::Type::INT32:
      return CountValues<arrow::Int32Array>(values, bins, rows);
    case arrow::Type::INT64:
      return CountValues<arrow::Int64Array>(values, bins, rows);
    case arrow::Type::FLOAT:
      return CountValues<arrow::FloatArray>(values, bins, rows);
    case arrow::Type::DOUBLE:
      return CountValues<arrow::DoubleArray>(values, bins, rows);
    default:
      return;
  }
}

}  // namespace

DriftWatch::DriftWatch(const Json& kept) {
  if (!kept.is_object()) return;
  for (const Json& each : kept.value("columns", Json::array())) {
    const auto bins = DriftBinsFromJson(each.value("bins", Json()));
    if (!bins) continue;
    columns_.push_back(
        {each.value("column", std::string()), *bins, std::vector<int64_t>(bins->count())});
  }
}

void DriftWatch::Add(const arrow::RecordBatch& rows) {
  if (columns_.empty()) return;
  const std::lock_guard lock(mutex_);
  for (Column& each : columns_) {
    const auto values = rows.GetColumnByName(each.name);
    if (values != nullptr) CountBins(*values, each.bins, each.rows);
  }
  rows_ += rows.num_rows();
  if (rows_ >= kMostRows) Fade();
}

void DriftWatch::Fade() {
  for (Column& each : columns_) {
    for (int64_t& bin : each.rows) bin /= 2;
  }
  rows_ /= 2;
}

std::map<std::string, double> DriftWatch::Drifts() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, double> drifts;
  if (rows_ < kFewestRows) return drifts;
  for (const Column& each : columns_) {
    const auto drift = MeasureDrift(each.bins, each.rows);
    if (drift) drifts[each.name] = drift->psi;
  }
  return drifts;
}

}  // namespace protium
