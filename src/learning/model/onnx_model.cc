// SPDX-License-Identifier: Apache-2.0
#include "model/onnx_model.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "onnx_runtime/net.h"
#include "pipeline/learned.h"

namespace protium {
namespace {

// How many values a row has; 0 where the net does not say.
int64_t WidthOf(const NetValue& input) {
  int64_t width = 1;
  for (size_t i = 1; i < input.shape.size(); ++i) width *= std::max(input.shape[i], int64_t{0});
  return width;
}

std::shared_ptr<arrow::DataType> NumberType(NetElement element) {
  if (element == NetElement::kString) return arrow::utf8();
  if (element == NetElement::kBool) return arrow::boolean();
  const bool fraction = element == NetElement::kFloat || element == NetElement::kDouble;
  return fraction ? arrow::float64() : arrow::int64();
}

// The column of an input's own name.
Result<std::shared_ptr<arrow::Field>> FieldOf(const NetValue& input) {
  const auto type = NumberType(input.element);
  const int64_t width = WidthOf(input);
  if (width == 1) return arrow::field(input.name, type);
  if (width > 1) return arrow::field(input.name, arrow::list(type));
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("input \"{}\" takes {}: how many values is not known",
                                   input.name, Describe(input)),
               .fix = "name the columns that it reads: --inputs a,b,c"});
}

// With given columns each is a number; the first input says of which type.
Result<SchemaPtr> ColumnsOf(const OnnxNet& net, const Columns& inputs) {
  arrow::FieldVector fields;
  if (inputs.empty()) {
    for (const NetValue& each : net.inputs()) {
      PT_LET(fields.emplace_back(), FieldOf(each));
    }
    return arrow::schema(std::move(fields));
  }
  size_t at = 0;
  for (const NetValue& each : net.inputs()) {
    const int64_t width = WidthOf(each);
    const bool last = &each == &net.inputs().back();
    for (int64_t i = 0; at < inputs.size() && (i < width || last); ++i) {
      fields.push_back(arrow::field(inputs[at++], NumberType(each.element)));
    }
  }
  return arrow::schema(std::move(fields));
}

}  // namespace

Result<PipelineModel> LoadOnnxModel(Session& session, const std::filesystem::path& given,
                                    const Columns& inputs) {
  const std::filesystem::path file = std::filesystem::absolute(given);
  SessionState& own = StateOf(session);
  own.AlsoReads(file);
  PT_LET(const OnnxNet net, OnnxNet::Open(file));
  ModelState state{.session = &session};
  PT_LET(state.input, ColumnsOf(net, inputs));
  Columns outputs;
  for (const NetValue& each : net.outputs()) outputs.push_back(each.name);
  const StageOptions stage = {
      "net_features",
      {{"inputs", state.input->field_names()}, {"model", file.string()}, {"columns", outputs}}};
  PT_LET(Catalogue catalogue, WithBuiltIns(own.options().catalogue));
  PT_LET(Chain chain, PlaceStages({stage}, *state.input, std::move(catalogue), AnalyzeWith(own)));
  chain.base = own.options().base;
  state.chain = std::make_shared<const Chain>(std::move(chain));
  return PipelineModel(std::make_shared<const ModelState>(std::move(state)));
}

}  // namespace protium
