// SPDX-License-Identifier: Apache-2.0
#include "model/predictions.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "metrics/decision.h"
#include "nets/softmax.h"

namespace protium {
namespace {

// Parses the texts of classes as values of the label's type.
Result<std::shared_ptr<arrow::Array>> ParseClasses(const std::vector<std::string>& classes,
                                                   const std::shared_ptr<arrow::DataType>& type) {
  PT_LET(const auto builder, arrow::MakeBuilder(type));
  for (const std::string& text : classes) {
    // The job and the model store classes as text; the table shows them in the label's type.
    PT_LET(const auto value, arrow::Scalar::Parse(type, text));
    PT_TRY(builder->AppendScalar(*value));
  }
  return builder->Finish();
}

}  // namespace

Result<Predictions> Predictions::Make(const Objective& objective, const Target& target,
                                      arrow::FieldVector fields) {
  const bool classes = OfClasses(target.kind);
  const size_t columns_per_output = target.kind == TargetKind::kFlags ? 2 : 1;
  const size_t least = classes ? 2 : columns_per_output * size_t(target.outputs());
  const size_t most = classes ? 3 : least;
  if (fields.size() < least || fields.size() > most) {
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format("{} columns are wanted, but predictions have {}",
                                     fields.size(), least)});
  }
  Predictions out;
  out.target_ = target;
  if (classes) {
    PT_LET(out.classes_, ParseClasses(objective.classes, fields[0]->type()));
  }
  out.fields_ = std::move(fields);
  return out;
}

Result<arrow::ArrayVector> Predictions::Columns(std::span<const float> outputs) const {
  if (target_.kind == TargetKind::kFlags) return Flags(outputs);
  return OfClasses(target_.kind) ? Classes(outputs) : Values(outputs);
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

Result<arrow::ArrayVector> Predictions::Flags(std::span<const float> outputs) const {
  const auto labels = size_t(target_.outputs());
  std::vector<arrow::BooleanBuilder> answers(labels);
  std::vector<arrow::DoubleBuilder> probabilities(labels);
  std::vector<double> scores(labels);
  for (size_t at = 0; at < outputs.size(); at += labels) {
    target_.Scores(outputs.data() + at, scores);
    for (size_t l = 0; l < labels; ++l) {
      PT_TRY(answers[l].Append(scores[l] > target_.decision.cut));
      PT_TRY(probabilities[l].Append(Sigmoid(scores[l])));
    }
  }
  arrow::ArrayVector columns(2 * labels);
  for (size_t l = 0; l < labels; ++l) {
    PT_TRY(answers[l].Finish(&columns[2 * l]));
    PT_TRY(probabilities[l].Finish(&columns[2 * l + 1]));
  }
  return columns;
}

void Predictions::Shares(std::span<const double> scores, std::span<double> shares) const {
  if (target_.kind == TargetKind::kTwoClasses) {
    shares[1] = Sigmoid(scores[0]);
    shares[0] = 1 - shares[1];
    return;
  }
  Softmax(scores, shares);
}

Result<arrow::ArrayVector> Predictions::Classes(std::span<const float> outputs) const {
  const bool two = target_.kind == TargetKind::kTwoClasses;
  PT_LET(const auto classes, arrow::MakeBuilder(fields_[0]->type()));
  arrow::DoubleBuilder probability;
  const auto each = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder all(arrow::default_memory_pool(), each);
  std::vector<double> shares(size_t(classes_->length())), scores(size_t(target_.outputs()));
  for (size_t at = 0; at < outputs.size(); at += scores.size()) {
    target_.Scores(outputs.data() + at, scores);
    Shares(scores, shares);
    // As in metrics: for two classes by the cut, for many the first highest score.
    const int64_t best = two ? (scores[0] > target_.decision.cut ? 1 : 0)
                             : std::max_element(scores.begin(), scores.end()) - scores.begin();
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
