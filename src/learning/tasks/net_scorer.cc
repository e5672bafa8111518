// SPDX-License-Identifier: Apache-2.0
#include "tasks/net_scorer.h"

#include <arrow/array.h>
#include <arrow/visit_array_inline.h>

#include <limits>

#include "base/fault.h"
#include "column/cells.h"
#include "column/decimals.h"
#include "model/net_rows.h"
#include "model/sampled_shapley.h"

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
          {.exit = Exit::kInput, .what = "type " + TypeText(*array.type()) + " is not a number"});
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
  outputs_.resize(size_t(batch.num_rows() * inputs_.outputs));
  std::span<float> rest(outputs_);
  const auto predict = [&](const PackedRows& block) -> Status {
    const BatchRows rows(block.schema(), block.row(0), block.size());
    PT_TRY(predictor_.Predict(rows, rest));
    rest = rest.subspan(size_t(block.size() * inputs_.outputs));
    return Status::OK();
  };
  PT_TRY(ForPackedRows(inputs_.rows, inputs_.cardinalities, batch, predict));
  return std::span<const float>(outputs_);
}

Result<RowExplanations> NetScorer::Explain(const arrow::RecordBatch& batch,
                                           std::span<const int32_t> outputs, const ExplainBy& by) {
  const auto predict = [&](const PackedRows& rows, std::span<float> out) {
    return predictor_.Predict(BatchRows(rows.schema(), rows.row(0), rows.size()), out);
  };
  return ExplainPacked(inputs_.rows, inputs_.cardinalities, batch, outputs,
                       int32_t(inputs_.outputs), by, predict);
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
