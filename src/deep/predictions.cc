// SPDX-License-Identifier: Apache-2.0
#include "deep/predictions.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "tensor/softmax.h"

namespace protium {
namespace {

// The texts of classes as values of the label's type.
Result<std::shared_ptr<arrow::Array>> ParseClasses(const std::vector<std::string>& classes,
                                                   const std::shared_ptr<arrow::DataType>& type) {
  PT_LET(const auto builder, arrow::MakeBuilder(type));
  for (const std::string& text : classes) {
    // Classes travel in the job and in the model as text; the table shows them in the type that the
    // label had.
    PT_LET(const auto value, arrow::Scalar::Parse(type, text));
    PT_TRY(builder->AppendScalar(*value));
  }
  return builder->Finish();
}

}  // namespace

Result<Predictions> Predictions::Make(const Objective& objective, const Target& target,
                                      arrow::FieldVector fields) {
  const bool values = target.kind == TargetKind::kValues;
  const size_t least = values ? size_t(target.outputs()) : 2, most = values ? least : 3;
  if (fields.size() < least || fields.size() > most) {
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format("{} columns are wanted, but predictions have {}",
                                     fields.size(), least)});
  }
  Predictions out;
  out.target_ = target;
  if (!values) {
    PT_LET(out.classes_, ParseClasses(objective.classes, fields[0]->type()));
  }
  out.fields_ = std::move(fields);
  return out;
}

Result<arrow::ArrayVector> Predictions::Columns(std::span<const float> outputs) const {
  return target_.kind == TargetKind::kValues ? Values(outputs) : Classes(outputs);
}

Result<arrow::ArrayVector> Predictions::Values(std::span<const float> outputs) const {
  std::vector<arrow::DoubleBuilder> builders(fields_.size());
  std::vector<double> values(fields_.size());
  for (size_t at = 0; at < outputs.size(); at += values.size()) {
    target_.Scores(outputs.data() + at, values);
    for (size_t i = 0; i < values.size(); ++i) PT_TRY(builders[i].Append(values[i]));
  }
  arrow::ArrayVector columns(builders.size());
  for (size_t i = 0; i < builders.size(); ++i) PT_TRY(builders[i].Finish(&columns[i]));
  return columns;
}

void Predictions::Shares(const float* outputs, std::span<double> shares) const {
  if (target_.kind == TargetKind::kTwoClasses) {
    // For a very negative logit exp() is infinite and the quotient a clean 0, so no case
    // distinction is needed.
    shares[1] = 1 / (1 + std::exp(-double(outputs[0])));
    shares[0] = 1 - shares[1];
    return;
  }
  Softmax({outputs, shares.size()}, shares);
}

Result<arrow::ArrayVector> Predictions::Classes(std::span<const float> outputs) const {
  const bool two = target_.kind == TargetKind::kTwoClasses;
  PT_LET(const auto classes, arrow::MakeBuilder(fields_[0]->type()));
  arrow::DoubleBuilder probability;
  const auto each = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder all(arrow::default_memory_pool(), each);
  std::vector<double> shares(size_t(classes_->length()));
  const auto width = size_t(target_.outputs());
  for (size_t at = 0; at < outputs.size(); at += width) {
    Shares(outputs.data() + at, shares);
    // As metrics choose: of two classes by the sign of the logit, of many the first highest output.
    const int64_t best = two ? (outputs[at] > 0 ? 1 : 0)
                             : std::max_element(&outputs[at], &outputs[at] + width) - &outputs[at];
    PT_TRY(classes->AppendArraySlice(*classes_->data(), best, 1));
    PT_TRY(probability.Append(shares[size_t(two ? 1 : best)]));
    if (fields_.size() < 3) continue;
    PT_TRY(all.Append());
    PT_TRY(each->AppendValues(shares));
  }
  arrow::ArrayVector columns(2);
  PT_TRY(classes->Finish(&columns[0]));
  PT_TRY(probability.Finish(&columns[1]));
  if (fields_.size() == 3) PT_TRY(all.Finish(&columns.emplace_back()));
  return columns;
}

}  // namespace protium
