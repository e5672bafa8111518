// SPDX-License-Identifier: Apache-2.0
#include "deep/wide_and_deep.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <utility>

#include "deep/linear.h"
#include "deep/net_columns.h"
#include "deep/tabular_mlp.h"
#include "learn/built_in_nets.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// out = wide + deep, so the derivative by `out` is that by either. Each part has its own stretch of
// the parameters and of the sink.
class WideAndDeepNet final : public Net {
 public:
  WideAndDeepNet(std::unique_ptr<Net> wide, std::unique_ptr<Net> deep)
      : parts_{std::move(wide), std::move(deep)} {
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::string prefix = p == 0 ? "wide." : "deep.";
      const auto add = [&](const std::vector<Variable>& from, std::vector<Variable>& to) {
        for (Variable each : from) {
          each.name = prefix + each.name;
          to.push_back(std::move(each));
        }
      };
      add(parts_[p]->parameters(), parameters_);
      add(parts_[p]->buffers(), buffers_);
    }
  }

  const std::vector<Variable>& parameters() const override { return parameters_; }
  const std::vector<Variable>& buffers() const override { return buffers_; }
  bool runs_on_devices() const override {
    return parts_[0]->runs_on_devices() && parts_[1]->runs_on_devices();
  }
  bool rows_apart() const override { return parts_[0]->rows_apart() && parts_[1]->rows_apart(); }
  int64_t least_rows() const override {
    return std::max(parts_[0]->least_rows(), parts_[1]->least_rows());
  }

  void Bind(std::vector<at::Tensor> parameters, std::vector<at::Tensor> buffers) override {
    auto parameter = parameters.begin();
    auto buffer = buffers.begin();
    for (const auto& part : parts_) {
      const auto last = parameter + int64_t(part->parameters().size());
      const auto last_buffer = buffer + int64_t(part->buffers().size());
      part->Bind({parameter, last}, {buffer, last_buffer});
      parameter = last;
      buffer = last_buffer;
    }
  }

  void Initialise(uint64_t key) override {
    for (uint64_t p = 0; p < parts_.size(); ++p) {
      parts_[p]->Initialise(DrawKey(DrawTag::kInitialise, {key, p}));
    }
  }

  at::Tensor Forward(const Batch& rows, const uint64_t* training) override {
    // On a device the parts record their operations, and keep what they give for the backward.
    if (runs_on_devices()) {
      const at::Tensor wide = parts_[0]->Forward(rows, training);
      return wide + parts_[1]->Forward(rows, training);
    }
    const c10::InferenceMode no_graph;
    // The first tensor is this forward's own, so it may take the sum.
    at::Tensor out = parts_[0]->Forward(rows, training);
    return out.add_(parts_[1]->Forward(rows, training));
  }

  void Backward(const at::Tensor& outputs, const GradientSink& sink) override {
    size_t begin = 0;
    for (const auto& part : parts_) {
      const size_t count = part->parameters().size();
      part->Backward(outputs, {sink.parameters.subspan(begin, count), sink.add,
                               sink.defined.subspan(begin, count)});
      begin += count;
    }
  }

 private:
  std::array<std::unique_ptr<Net>, 2> parts_;  // Wide, deep.
  std::vector<Variable> parameters_;
  std::vector<Variable> buffers_;
};

TabularMlpOptions OptionsOfDeep(const WideAndDeepOptions& options) {
  return {.hidden = options.hidden,
          .dropout = options.dropout,
          .embedding = options.embedding,
          .batch_norm = options.batch_norm,
          .initial_weights = options.initial_weights};
}

}  // namespace

Result<std::unique_ptr<Net>> MakeWideAndDeep(const Json& given, const NetInputs& inputs) {
  WideAndDeepOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  const NetColumns columns = ColumnsOf(inputs);
  PT_TRY(CheckWideAndDeep(options, columns, "net"));
  std::vector<int64_t> categories;
  for (size_t c = 0; c < columns.categorical.size(); ++c) {
    const auto& wide = options.wide_only;
    const bool only = std::find(wide.begin(), wide.end(), columns.categorical[c]) != wide.end();
    if (!only) categories.push_back(int64_t(c));
  }
  PT_LET(auto wide, MakeLinear(Json::object(), inputs));
  PT_LET(auto deep, MakeTabularMlpOver(OptionsOfDeep(options), inputs, categories));
  return std::make_unique<WideAndDeepNet>(std::move(wide), std::move(deep));
}

}  // namespace protium
