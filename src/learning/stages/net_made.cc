// SPDX-License-Identifier: Apache-2.0
#include "stages/net_made.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "statistics/lists.h"

namespace protium {
namespace {

constexpr int64_t kLongest = 100'000'000;

template <class T>
void AddWholes(const NetTensor& tensor, std::vector<int64_t>& to) {
  for (const T each : tensor.As<T>()) to.push_back(int64_t(each));
}

bool AddAnyWholes(const NetTensor& tensor, std::vector<int64_t>& to) {
  switch (tensor.element) {
    case NetElement::kInt64:
      AddWholes<int64_t>(tensor, to);
      return true;
    case NetElement::kInt32:
      AddWholes<int32_t>(tensor, to);
      return true;
    case NetElement::kUint32:
      AddWholes<uint32_t>(tensor, to);
      return true;
    case NetElement::kInt16:
      AddWholes<int16_t>(tensor, to);
      return true;
    case NetElement::kUint16:
      AddWholes<uint16_t>(tensor, to);
      return true;
    case NetElement::kInt8:
      AddWholes<int8_t>(tensor, to);
      return true;
    case NetElement::kUint8:
    case NetElement::kBool:
      AddWholes<uint8_t>(tensor, to);
      return true;
    default:
      return false;
  }
}

template <class Builder, class Value = typename Builder::value_type, class Values>
Result<std::shared_ptr<arrow::Array>> Build(const Values& values, const std::vector<bool>& valid) {
  Builder builder;
  PT_TRY(builder.Reserve(int64_t(values.size())));
  for (size_t i = 0; i < values.size(); ++i) {
    PT_TRY(valid[i] ? builder.Append(Value(values[i])) : builder.AppendNull());
  }
  return builder.Finish();
}

}  // namespace

std::shared_ptr<arrow::DataType> MadeColumn::type() const {
  switch (NetElement(element)) {
    case NetElement::kFloat:
      return width == 1 ? arrow::float64() : arrow::list(arrow::float32());
    case NetElement::kDouble:
      return width == 1 ? arrow::float64() : arrow::list(arrow::float64());
    case NetElement::kString:
      return arrow::utf8();
    case NetElement::kBool:
      return width == 1 ? arrow::boolean() : arrow::list(arrow::int64());
    default:
      return width == 1 ? arrow::int64() : arrow::list(arrow::int64());
  }
}

Result<MadeColumn> ColumnOf(const std::string& output, const std::string& column,
                            const NetTensor& made) {
  MadeColumn result{.output = output, .column = column, .element = int32_t(made.element)};
  result.width = made.size() / made.shape.front();
  std::vector<int64_t> ignored;
  const bool fraction = made.element == NetElement::kFloat || made.element == NetElement::kDouble;
  const bool text = made.element == NetElement::kString && result.width == 1;
  const bool known = fraction || text || AddAnyWholes(made, ignored);
  if (known && result.width >= 1 && result.width <= kLongest) return result;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("output \"{}\" is {} {} a row, which no column can be", output,
                                   result.width, NameOf(made.element)),
               .fix = "choose others by `values`"});
}

Status MadeRows::Add(const NetTensor& tensor) {
  const int64_t width = tensor.size() / tensor.shape.front();
  if (int32_t(tensor.element) != column_.element || width != column_.width) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("output \"{}\" has {} values a row here and {} elsewhere",
                                     column_.output, width, column_.width)});
  }
  if (tensor.element == NetElement::kFloat && column_.width > 1) {
    const auto numbers = tensor.As<float>();
    floats_.insert(floats_.end(), numbers.begin(), numbers.end());
  } else if (tensor.element == NetElement::kFloat) {
    for (const float each : tensor.As<float>()) doubles_.push_back(each);
  } else if (tensor.element == NetElement::kDouble) {
    const auto numbers = tensor.As<double>();
    doubles_.insert(doubles_.end(), numbers.begin(), numbers.end());
  } else if (tensor.element == NetElement::kString) {
    texts_.insert(texts_.end(), tensor.texts.begin(), tensor.texts.end());
  } else {
    AddAnyWholes(tensor, wholes_);
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::Array>> MadeRows::Finish(const std::vector<bool>& valid) const {
  const auto element = NetElement(column_.element);
  if (element == NetElement::kString)
    return Build<arrow::StringBuilder, const std::string&>(texts_, valid);
  if (column_.width == 1) {
    if (element == NetElement::kBool) return Build<arrow::BooleanBuilder, bool>(wholes_, valid);
    if (element == NetElement::kFloat || element == NetElement::kDouble) {
      return Build<arrow::DoubleBuilder>(doubles_, valid);
    }
    return Build<arrow::Int64Builder>(wholes_, valid);
  }
  if (element == NetElement::kFloat) return MakeLists(floats_, column_.width, valid);
  if (element == NetElement::kDouble) return MakeLists(doubles_, column_.width, valid);
  return MakeLists(wholes_, column_.width, valid);
}

}  // namespace protium
