// SPDX-License-Identifier: Apache-2.0
#include "nets/wide_and_deep.h"

#include <algorithm>
#include <array>
#include <utility>

#include "nets/linear.h"
#include "nets/mlp_kernels.h"
#include "nets/net_columns.h"
#include "nets/tabular_mlp.h"
#include "recipe/net_columns.h"
#include "tensor/philox.h"

namespace protium {
namespace {

// out = wide + deep, so the derivative by `out` is that by either. Each part has its own stretch of
// the parameters and of the sink.
class WideAndDeepNet final : public Net {
 public:
  WideAndDeepNet(std::unique_ptr<Net> wide, std::unique_ptr<Net> deep, const ComputeDevice& device)
      : parts_{std::move(wide), std::move(deep)}, device_(device) {
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

  void Bind(std::vector<FloatValues> parameters, std::vector<FloatValues> buffers) override {
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

  FloatValues Forward(const BatchRows& rows, const uint64_t* training) override {
    const FloatValues wide = parts_[0]->Forward(rows, training);
    const FloatValues deep = parts_[1]->Forward(rows, training);
    if (!device_.staged()) {
      // The first values are this forward's own, so they may take the sum.
      AddTo(wide.host(), deep.host());
      return wide;
    }
    // On a device the parts record their operations, and keep what they gave for the backward.
    sum_ = device_.DeviceFloats(wide.count());
    device_.Add(wide.data, sum_.get(), wide.count());
    device_.Add(deep.data, sum_.get(), wide.count());
    return {sum_.get(), wide.shape};
  }

  void Backward(const FloatValues& outputs, const GradientSink& sink) override {
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
  ComputeDevice device_;
  std::shared_ptr<float> sum_;  // On a staged device.
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
  return MakeWideAndDeepOf(given, inputs, MakeLinear, MakeTabularMlpOver);
}

Result<std::unique_ptr<Net>> MakeWideAndDeepOf(const Json& given, const NetInputs& inputs,
                                               const NetBuilder& make_wide,
                                               const DeepPartBuilder& make_deep) {
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
  PT_LET(auto wide, make_wide(Json::object(), inputs));
  PT_LET(auto deep, make_deep(OptionsOfDeep(options), inputs, categories));
  return std::make_unique<WideAndDeepNet>(std::move(wide), std::move(deep), inputs.device);
}

}  // namespace protium
