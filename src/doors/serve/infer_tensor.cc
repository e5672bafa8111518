// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_tensor.h"

#include <arrow/api.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "column/lists.h"
#include "inference/json_rows.h"
#include "inference/json_text.h"
#include "inference/json_values.h"

namespace protium {
namespace {

static_assert(std::endian::native == std::endian::little);  // The protocol's order of bytes.

using Kind = JsonCursor::Kind;
using Column = std::shared_ptr<arrow::Array>;
using Type = std::shared_ptr<arrow::DataType>;

constexpr int64_t kMostValues =
    std::numeric_limits<int32_t>::max();  // Offsets of lists have 32 bits.
constexpr const char* kBytes = "BYTES";

struct Datatype {
  const char* name;
  const Type& (*type)();
};
constexpr std::array kNumbers = std::to_array<Datatype>({{"BOOL", arrow::boolean},
                                                         {"UINT8", arrow::uint8},
                                                         {"UINT16", arrow::uint16},
                                                         {"UINT32", arrow::uint32},
                                                         {"INT8", arrow::int8},
                                                         {"INT16", arrow::int16},
                                                         {"INT32", arrow::int32},
                                                         {"INT64", arrow::int64},
                                                         {"FP32", arrow::float32},
                                                         {"FP64", arrow::float64}});

// The type of a datatype's values; null for texts.
Type TypeOf(std::string_view datatype) {
  const auto found = std::ranges::find(kNumbers, datatype, &Datatype::name);
  return found == kNumbers.end() ? nullptr : found->type();
}

const Type& ValueType(const Type& type) {
  return IsList(*type) ? static_cast<const arrow::BaseListType&>(*type).value_type() : type;
}

std::string NameOfInput(const InferTensor& tensor) {
  return fmt::format("input \"{}\"", tensor.name);
}

Status Refuse(const InferTensor& tensor, std::string what, std::string fix = {}) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = NameOfInput(tensor),
               .fix = std::move(fix)});
}

Status WrongCount(const InferTensor& tensor, const InferSize& size) {
  return Refuse(tensor, fmt::format("it does not have the {} values of its shape [{}]",
                                    size.rows * size.width, fmt::join(tensor.shape, ", ")));
}

Status CheckDatatype(const InferTensor& tensor) {
  if (tensor.datatype == kBytes || TypeOf(tensor.datatype) != nullptr) return Status::OK();
  std::string known = kBytes;
  for (const Datatype& each : kNumbers) known += fmt::format(", {}", each.name);
  return Refuse(tensor, fmt::format("no values are read from datatype \"{}\"", tensor.datatype),
                "one of " + known);
}

// A column from its values: these, or lists of them.
Result<Column> InRows(const Type& type, Column values, const InferSize& size) {
  if (!IsList(*type)) return values;
  arrow::Int32Builder ends;
  PT_TRY(ends.Reserve(size.rows + 1));
  for (int64_t i = 0; i <= size.rows; ++i) ends.UnsafeAppend(int32_t(i * size.width));
  PT_LET(const auto offsets, ends.Finish());
  return arrow::ListArray::FromArrays(*offsets, *values);
}

// A column of single values takes [rows] and [rows, 1].
Status CheckWidth(const InferTensor& tensor, const InferSize& size, const arrow::Field& field) {
  if (IsList(*field.type()) || size.width == 1) return Status::OK();
  return Refuse(tensor, fmt::format("the column has one value in each row, and the shape [{}] {}",
                                    fmt::join(tensor.shape, ", "), size.width));
}

class JsonTensor {
 public:
  JsonTensor(JsonCursor values, const InferTensor& tensor, const InferSize& size,
             arrow::ArrayBuilder& builder)
      : values_(std::move(values)),
        tensor_(tensor),
        size_(size),
        count_(size.rows * size.width),
        builder_(builder) {}

  Status Read() {
    if (values_.Peek() != Kind::kList) return Refuse(tensor_, "its data is not a list");
    PT_TRY(ReadNext());
    return builder_.length() == count_ ? Status::OK() : WrongCount(tensor_, size_);
  }

 private:
  // A list, of whatever depth, or a value.
  Status ReadNext() {
    if (values_.Peek() == Kind::kList) {
      if (!values_.Enter()) return values_.Fault();
      while (values_.NextItem()) PT_TRY(ReadNext());
      return values_.broken() ? values_.Fault() : Status::OK();
    }
    if (builder_.length() == count_) return WrongCount(tensor_, size_);
    const std::string_view value = values_.rest();
    if (ReadValue(values_, builder_)) return Status::OK();
    if (values_.broken()) return values_.Fault();
    return Refuse(tensor_, fmt::format("{} is not a valid {}", ShownValue(value),
                                       TypeText(*builder_.type())));
  }

  JsonCursor values_;
  const InferTensor& tensor_;
  const InferSize& size_;
  const int64_t count_;
  arrow::ArrayBuilder& builder_;
};

Result<Column> RawFlags(std::string_view values, const InferTensor& tensor) {
  arrow::BooleanBuilder builder;
  PT_TRY(builder.Reserve(int64_t(values.size())));
  for (const char each : values) {
    if (each != 0 && each != 1) return Refuse(tensor, "a flag is neither 0 nor 1");
    builder.UnsafeAppend(each == 1);
  }
  return builder.Finish();
}

Result<Column> RawNumbers(std::string_view values, const InferTensor& tensor,
                          const InferSize& size) {
  const Type type = TypeOf(tensor.datatype);
  const bool flags = type->id() == arrow::Type::BOOL;
  const int64_t count = size.rows * size.width;
  if (int64_t(values.size()) != count * (flags ? 1 : type->byte_width())) {
    return WrongCount(tensor, size);
  }
  if (flags) return RawFlags(values, tensor);
  // A copy: the bytes of a body lie at any address.
  PT_LET(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(int64_t(values.size())));
  if (!values.empty()) std::memcpy(buffer->mutable_data(), values.data(), values.size());
  return arrow::MakeArray(arrow::ArrayData::Make(type, count, {nullptr, std::move(buffer)}, 0));
}

Status AppendText(std::string_view text, const InferTensor& tensor, arrow::ArrayBuilder& builder) {
  const Type type = builder.type();
  if (type->id() == arrow::Type::BINARY) {
    return static_cast<arrow::BinaryBuilder&>(builder).Append(text);
  }
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return Refuse(tensor, "a text is not UTF-8");
  if (type->id() == arrow::Type::STRING) {
    return static_cast<arrow::StringBuilder&>(builder).Append(text);
  }
  // Dates, times and decimals, as in JSON rows.
  const auto parsed = arrow::Scalar::Parse(type, text);
  if (parsed.ok()) return builder.AppendScalar(**parsed);
  return Refuse(tensor,
                fmt::format("\"{}\" is not a valid {}", text.substr(0, 60), TypeText(*type)));
}

// The next text, taken from the front; none if the bytes end before it does.
std::optional<std::string_view> TakeText(std::string_view& values) {
  uint32_t length = 0;
  if (values.size() < sizeof(length)) return std::nullopt;
  std::memcpy(&length, values.data(), sizeof(length));
  values.remove_prefix(sizeof(length));
  if (values.size() < length) return std::nullopt;
  const std::string_view text = values.substr(0, length);
  values.remove_prefix(length);
  return text;
}

Result<Column> RawTexts(std::string_view values, const InferTensor& tensor, const InferSize& size,
                        const Type& type) {
  if (IsNumber(*type) && type->id() != arrow::Type::DECIMAL128) {
    return Refuse(tensor, fmt::format("the column is {}, not BYTES", TypeText(*type)));
  }
  std::unique_ptr<arrow::ArrayBuilder> builder;
  PT_TRY(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  const int64_t count = size.rows * size.width;
  while (builder->length() < count) {
    const auto text = TakeText(values);
    if (!text) return WrongCount(tensor, size);
    PT_TRY(AppendText(*text, tensor, *builder));
  }
  if (!values.empty()) return WrongCount(tensor, size);
  return builder->Finish();
}

}  // namespace

Result<InferSize> SizeOf(const InferTensor& tensor, int64_t most_rows) {
  if (tensor.shape.empty()) {
    return Refuse(tensor, "its shape has no dimension for rows", "\"shape\": [1]");
  }
  InferSize size{.rows = tensor.shape[0]};
  bool fits = size.rows >= 0;
  for (size_t i = 1; i < tensor.shape.size() && fits; ++i) {
    fits =
        tensor.shape[i] >= 0 && !__builtin_mul_overflow(size.width, tensor.shape[i], &size.width);
  }
  int64_t values = 0;
  fits = fits && !__builtin_mul_overflow(size.rows, size.width, &values) && values <= kMostValues;
  if (!fits) {
    return Refuse(tensor, fmt::format("its shape [{}] is not one of a tensor in memory",
                                      fmt::join(tensor.shape, ", ")));
  }
  if (size.rows > most_rows) {
    Fault fault = FaultOf(TooManyRows(most_rows));
    fault.where = NameOfInput(tensor);
    return Fail(std::move(fault));
  }
  return size;
}

Result<std::string> DatatypeOf(const arrow::Field& column) {
  const Type& type = ValueType(column.type());
  for (const Datatype& each : kNumbers) {
    if (type->id() == each.type()->id()) return each.name;
  }
  if (!IsList(*type)) return kBytes;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" has lists of lists, which are not a tensor",
                                   column.name()),
               .fix = "POST /v1/score takes them"});
}

Result<Column> ReadJsonTensor(JsonCursor values, const InferTensor& tensor, const InferSize& size,
                              const arrow::Field& field) {
  PT_TRY(CheckDatatype(tensor));
  PT_TRY(CheckWidth(tensor, size, field));
  std::unique_ptr<arrow::ArrayBuilder> builder;
  PT_TRY(arrow::MakeBuilder(arrow::default_memory_pool(), ValueType(field.type()), &builder));
  PT_TRY(JsonTensor(std::move(values), tensor, size, *builder).Read());
  PT_LET(Column read, builder->Finish());
  return InRows(field.type(), std::move(read), size);
}

Result<Column> ReadRawTensor(std::string_view values, const InferTensor& tensor,
                             const InferSize& size, const arrow::Field& field) {
  PT_TRY(CheckDatatype(tensor));
  PT_TRY(CheckWidth(tensor, size, field));
  PT_LET(Column read, tensor.datatype == kBytes
                          ? RawTexts(values, tensor, size, ValueType(field.type()))
                          : RawNumbers(values, tensor, size));
  return InRows(field.type(), std::move(read), size);
}

}  // namespace protium
