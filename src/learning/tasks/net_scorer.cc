// SPDX-License-Identifier: Apache-2.0
#include "tasks/net_scorer.h"

#include <arrow/array.h>
#include <arrow/visit_array_inline.h>

#include <limits>

#include "base/fault.h"
#include "column/decimals.h"

namespace protium {
namespace {

class ToDoubles {
 public:
  explicit ToDoubles(std::vector<double>& out) : out_(out) {}

  template <class Array>
  Status Visit(const Array& array) {
    // Arrow's visitor calls this for every array type; all types whose values convert to double are
    // accepted.
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
  Status Visit(const arrow::Decimal128Array& array) {
    for (int64_t i = 0; i < array.length(); ++i) {
      out_.push_back(array.IsNull(i) ? std::numeric_limits<double>::quiet_NaN()
                                     : NearestDouble(array, i));
    }
    return Status::OK();
  }

 private:
  std::vector<double>& out_;
};

}  // namespace

NetScorer::NetScorer(Net& net, NetInputs inputs)
    : inputs_(std::move(inputs)), predictor_(net, inputs_.outputs, inputs_.device) {}

Result<std::span<const float>> NetScorer::Predict(const arrow::RecordBatch& batch) {
  PT_LET(const auto packer,
         // The budget is exactly this batch. Bad cells fail at once, since there are no other ranks
         // to ask.
         Packer::Make(inputs_.rows, batch.schema(), batch.num_rows() * inputs_.rows.width()));
  PT_TRY(packer->Append(batch));
  outputs_.resize(size_t(packer->rows() * inputs_.outputs));
  const std::span<float> outputs(outputs_);
  const auto scan = packer->store().Scan({0, packer->rows()});
  for (int64_t at = 0; at < packer->rows();) {
    PT_LET(const auto bytes, scan->Next(packer->rows()));
    const BatchRows rows(inputs_.rows, bytes.data(), int64_t(bytes.size()) / inputs_.rows.width());
    PT_TRY(CheckCategories(rows, inputs_.cardinalities));
    PT_TRY(predictor_.Predict(rows, outputs.subspan(size_t(at * inputs_.outputs))));
    at += rows.size();
  }
  return std::span<const float>(outputs_);
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
