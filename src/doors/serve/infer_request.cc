// SPDX-License-Identifier: Apache-2.0
#include "serve/infer_request.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "inference/json_cursor.h"
#include "inference/json_text.h"
#include "serve/infer_tensor.h"

namespace protium {
namespace {

using Kind = JsonCursor::Kind;

// A few bytes of JSON can name a tensor or a dimension.
constexpr size_t kMostTensors = 4096, kMostDimensions = 8;

Status Wrong(std::string what) { return Fail({.exit = Exit::kInput, .what = std::move(what)}); }

// Values that objects called "parameters" may have; those of other names are ignored.
struct Parameters {
  std::optional<int64_t> binary_data_size;
  std::optional<bool> binary_data, binary_data_output;
};

struct Given {
  InferTensor tensor;
  std::string_view data;  // Its values in the JSON text; empty: none.
};

class RequestReader {
 public:
  RequestReader(std::string_view json, std::string_view raw, const arrow::Schema& input,
                int64_t most_rows)
      : text_(json), raw_(raw), input_(input), most_rows_(most_rows) {
    columns_.resize(size_t(input.num_fields()));
  }

  Result<InferRequest> Read();

 private:
  Status ReadMember(std::string_view key);
  Status ReadInput();
  Status ReadInputMember(std::string_view key, Given& given);
  Status ReadShape(InferTensor& tensor);
  Status ReadOutput();
  Result<Parameters> ReadParameters();
  Result<std::string> ReadText(std::string_view what);
  Result<int64_t> ReadWhole(std::string_view what);
  Status TakeInput(const Given& given);
  std::shared_ptr<arrow::RecordBatch> Rows() const;
  Status Pass() { return text_.Pass() ? Status::OK() : text_.Fault(); }
  Status NotBroken() const { return text_.broken() ? text_.Fault() : Status::OK(); }
  Status Enter(Kind kind, std::string_view what);

  JsonCursor text_;
  std::string_view raw_;  // What no tensor has taken yet.
  const arrow::Schema& input_;
  const int64_t most_rows_;
  std::optional<int64_t> rows_;
  bool has_inputs_ = false;
  size_t tensors_ = 0;
  arrow::ArrayVector columns_;  // Of `input_`; null where none came.
  InferRequest request_;
};

Status RequestReader::Enter(Kind kind, std::string_view what) {
  if (text_.Peek() == kind) return text_.Enter() ? Status::OK() : text_.Fault();
  if (text_.broken()) return text_.Fault();
  return Wrong(fmt::format("{} is not {}", what, kind == Kind::kList ? "a list" : "an object"));
}

Result<std::string> RequestReader::ReadText(std::string_view what) {
  if (text_.Peek() != Kind::kText) {
    return text_.broken() ? text_.Fault() : Wrong(fmt::format("{} is not a text", what));
  }
  const auto text = text_.TakeText();
  return text ? Result<std::string>(std::string(*text)) : text_.Fault();
}

Result<int64_t> RequestReader::ReadWhole(std::string_view what) {
  const bool number = text_.Peek() == Kind::kNumber;
  const auto taken = number ? text_.TakeNumber() : std::nullopt;
  const auto whole = taken ? WholeValue(*taken) : std::nullopt;
  if (whole) return *whole;
  return text_.broken() ? text_.Fault() : Wrong(fmt::format("{} is not a whole number", what));
}

Result<Parameters> RequestReader::ReadParameters() {
  Parameters read;
  PT_TRY(Enter(Kind::kObject, "\"parameters\""));
  std::string_view key;
  while (text_.NextMember(key)) {
    if (key == "binary_data_size") {
      PT_LET(read.binary_data_size, ReadWhole("\"binary_data_size\""));
    } else if ((key == "binary_data" || key == "binary_data_output") &&
               text_.Peek() == Kind::kFlag) {
      auto& flag = key == "binary_data" ? read.binary_data : read.binary_data_output;
      flag = text_.TakeFlag();
    } else {
      PT_TRY(Pass());
    }
  }
  PT_TRY(NotBroken());
  return read;
}

Status RequestReader::ReadShape(InferTensor& tensor) {
  PT_TRY(Enter(Kind::kList, "\"shape\""));
  while (text_.NextItem()) {
    if (tensor.shape.size() == kMostDimensions) {
      return Wrong(fmt::format("a shape has more than {} dimensions", kMostDimensions));
    }
    PT_LET(const int64_t length, ReadWhole("a dimension of \"shape\""));
    tensor.shape.push_back(length);
  }
  return NotBroken();
}

Status RequestReader::ReadInputMember(std::string_view key, Given& given) {
  InferTensor& tensor = given.tensor;
  if (key == "name") {
    PT_LET(tensor.name, ReadText("an input's \"name\""));
  } else if (key == "datatype") {
    PT_LET(tensor.datatype, ReadText("\"datatype\""));
  } else if (key == "shape") {
    tensor.shape.clear();
    return ReadShape(tensor);
  } else if (key == "parameters") {
    PT_LET(const Parameters parameters, ReadParameters());
    tensor.bytes = parameters.binary_data_size;
  } else if (key == "data") {
    // Read once the datatype and the shape are known.
    text_.Peek();
    const std::string_view from = text_.rest();
    PT_TRY(Pass());
    given.data = from.substr(0, from.size() - text_.rest().size());
  } else {
    return Pass();
  }
  return Status::OK();
}

Status RequestReader::ReadInput() {
  Given given;
  PT_TRY(Enter(Kind::kObject, "an input"));
  std::string_view key;
  while (text_.NextMember(key)) PT_TRY(ReadInputMember(key, given));
  PT_TRY(NotBroken());
  if (++tensors_ > kMostTensors) return Wrong(fmt::format("more than {} inputs", kMostTensors));
  return TakeInput(given);
}

// Binary tensors lie behind the JSON text in the order of the inputs, ignored ones as well.
Status RequestReader::TakeInput(const Given& given) {
  const InferTensor& tensor = given.tensor;
  const auto size = size_t(tensor.bytes.value_or(0));
  if (tensor.bytes.value_or(0) < 0 || size > raw_.size()) {
    return Wrong(fmt::format("input \"{}\" has {} bytes, and {} follow the JSON text", tensor.name,
                             *tensor.bytes, raw_.size()));
  }
  const std::string_view raw = raw_.substr(0, size);
  raw_.remove_prefix(size);
  const int column = input_.GetFieldIndex(tensor.name);
  if (column < 0) return Status::OK();
  if (columns_[size_t(column)] != nullptr) {
    return Wrong(fmt::format("input \"{}\" comes twice", tensor.name));
  }
  PT_LET(const InferSize shape, SizeOf(tensor, most_rows_));
  if (shape.rows != rows_.value_or(shape.rows)) {
    return Wrong(
        fmt::format("input \"{}\" has {} rows, others {}", tensor.name, shape.rows, *rows_));
  }
  rows_ = shape.rows;
  if (!tensor.bytes && given.data.empty()) {
    return Wrong(fmt::format("input \"{}\" has no \"data\"", tensor.name));
  }
  const arrow::Field& field = *input_.field(column);
  PT_LET(columns_[size_t(column)],
         tensor.bytes ? ReadRawTensor(raw, tensor, shape, field)
                      : ReadJsonTensor(JsonCursor(given.data), tensor, shape, field));
  return Status::OK();
}

Status RequestReader::ReadOutput() {
  InferRequest::Output output;
  PT_TRY(Enter(Kind::kObject, "an output"));
  std::string_view key;
  while (text_.NextMember(key)) {
    if (key == "name") {
      PT_LET(output.name, ReadText("an output's \"name\""));
    } else if (key == "parameters") {
      PT_LET(const Parameters parameters, ReadParameters());
      output.binary = parameters.binary_data;
    } else {
      PT_TRY(Pass());
    }
  }
  PT_TRY(NotBroken());
  if (request_.outputs.size() == kMostTensors) {
    return Wrong(fmt::format("more than {} outputs", kMostTensors));
  }
  request_.outputs.push_back(std::move(output));
  return Status::OK();
}

Status RequestReader::ReadMember(std::string_view key) {
  if (key == "id") {
    PT_LET(request_.id, ReadText("\"id\""));
  } else if (key == "parameters") {
    PT_LET(const Parameters parameters, ReadParameters());
    request_.binary = parameters.binary_data_output.value_or(false);
  } else if (key == "inputs") {
    has_inputs_ = true;
    PT_TRY(Enter(Kind::kList, "\"inputs\""));
    while (text_.NextItem()) PT_TRY(ReadInput());
  } else if (key == "outputs") {
    PT_TRY(Enter(Kind::kList, "\"outputs\""));
    while (text_.NextItem()) PT_TRY(ReadOutput());
  } else {
    return Pass();
  }
  return NotBroken();
}

Result<InferRequest> RequestReader::Read() {
  PT_TRY(Enter(Kind::kObject, "the body"));
  std::string_view key;
  while (text_.NextMember(key)) PT_TRY(ReadMember(key));
  PT_TRY(NotBroken());
  if (!text_.AtEnd()) return text_.Fault();
  if (!has_inputs_) {
    return Fail(
        {.exit = Exit::kInput,
         .what = "the body has no \"inputs\"",
         .fix = R"({"inputs": [{"name": "x", "datatype": "FP64", "shape": [1], "data": [1]}]})"});
  }
  if (!raw_.empty()) {
    return Wrong(fmt::format("{} bytes follow the JSON text that no input has", raw_.size()));
  }
  request_.rows = Rows();
  return std::move(request_);
}

std::shared_ptr<arrow::RecordBatch> RequestReader::Rows() const {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (int i = 0; i < input_.num_fields(); ++i) {
    const auto& column = columns_[size_t(i)];
    if (column == nullptr) continue;
    fields.push_back(input_.field(i)->WithType(column->type()));
    columns.push_back(column);
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows_.value_or(0),
                                  std::move(columns));
}

}  // namespace

Result<InferRequest> ReadInferRequest(std::string_view body, std::optional<size_t> json_bytes,
                                      const arrow::Schema& input, int64_t most_rows) {
  const size_t json = json_bytes.value_or(body.size());
  if (json > body.size()) {
    return Wrong(fmt::format("Inference-Header-Content-Length is {}, and the body has {} bytes",
                             json, body.size()));
  }
  return RequestReader(body.substr(0, json), body.substr(json), input, most_rows).Read();
}

}  // namespace protium
