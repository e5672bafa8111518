// SPDX-License-Identifier: Apache-2.0
#include "score/scorer.h"

#include <arrow/array.h>
#include <arrow/visit_array_inline.h>

#include <limits>

#include "base/fault.h"

namespace protium {
namespace {

class ToDoubles {
 public:
  explicit ToDoubles(std::vector<double>& out) : out_(out) {}

  template <class Array>
  Status Visit(const Array& array) {
    if constexpr (requires { double(array.Value(0)); }) {
      for (int64_t i = 0; i < array.length(); ++i) {
        out_.push_back(array.IsNull(i) ? std::numeric_limits<double>::quiet_NaN()
                                       : double(array.Value(i)));
      }
      return Status::OK();
    } else {
      return Fail(
          {.exit = Exit::kInput, .what = "type " + array.type()->ToString() + " is not a number"});
    }
  }

 private:
  std::vector<double>& out_;
};

}  // namespace

Scorer::Scorer(Net& net, RowLayout layout, std::vector<int64_t> cardinalities)
    : layout_(std::move(layout)),
      cardinalities_(std::move(cardinalities)),
      shape_{int64_t(layout_.numeric.size()), int64_t(layout_.categories.size())},
      predictor_(net, shape_) {}

Result<std::vector<double>> Scorer::Predict(const arrow::RecordBatch& batch) {
  PT_LET(const auto packer,
         Packer::Make(layout_, batch.schema(), batch.num_rows() * layout_.width()));
  PT_TRY(packer->Append(batch));
  const RowBlock rows{reinterpret_cast<const float*>(packer->bytes().data()), packer->rows(),
                      shape_};
  PT_TRY(CheckCategories(rows, cardinalities_, layout_.categories));
  outputs_.resize(size_t(rows.rows));
  PT_TRY(predictor_.Predict(rows, outputs_));
  std::vector<double> out;
  out.reserve(outputs_.size());
  for (const float output : outputs_) {
    out.push_back(double(output) * layout_.label_deviation + layout_.label_mean);
  }
  return out;
}

Result<std::vector<double>> Doubles(const arrow::RecordBatch& batch, const std::string& column) {
  const auto array = batch.GetColumnByName(column);
  if (array == nullptr) {
    return Fail({.exit = Exit::kInput, .what = "no column " + column, .where = "column " + column});
  }
  std::vector<double> out;
  out.reserve(size_t(array->length()));
  ToDoubles to(out);
  PT_TRY(Annotate(arrow::VisitArrayInline(*array, &to), "column " + column));
  return out;
}

}  // namespace protium
