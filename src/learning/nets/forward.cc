// SPDX-License-Identifier: Apache-2.0
#include "nets/forward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/fault.h"

namespace protium {
namespace {

class ForwardSum final : public ForwardNet {
 public:
  ForwardSum(std::unique_ptr<ForwardNet> wide, std::unique_ptr<ForwardNet> deep, int64_t outputs)
      : wide_(std::move(wide)), deep_(std::move(deep)), outputs_(outputs) {}

  void Predict(const PackedRows& rows, ForwardScratch& scratch, float* out) const override {
    const auto count = size_t(rows.size() * outputs_);
    wide_->Predict(rows, scratch, out);
    scratch.outputs.resize(count);
    deep_->Predict(rows, scratch, scratch.outputs.data());
    for (size_t i = 0; i < count; ++i) out[i] += scratch.outputs[i];
  }

 private:
  std::unique_ptr<ForwardNet> wide_, deep_;
  int64_t outputs_;
};

Result<std::unique_ptr<ForwardNet>> MakeSum(const WideAndDeepOptions& options,
                                            const ForwardShape& shape, const FindWeight& find) {
  std::vector<int64_t> embedded;
  for (size_t c = 0; c < shape.categorical.size(); ++c) {
    const auto& wide = options.wide_only;
    const bool only = std::find(wide.begin(), wide.end(), shape.categorical[c]) != wide.end();
    if (!only) embedded.push_back(int64_t(c));
  }
  const TabularMlpOptions deep{
      .hidden = options.hidden, .embedding = options.embedding, .batch_norm = options.batch_norm};
  PT_LET(auto first, MakeForwardLinear(shape, find, "wide."));
  PT_LET(auto second, MakeForwardMlp(deep, shape, embedded, find, "deep."));
  return std::make_unique<ForwardSum>(std::move(first), std::move(second), shape.outputs);
}

template <class Options>
Result<Options> OptionsOf(const Choice& net) {
  Options options;
  PT_TRY(FieldsFromJson(net.options, "net", options));
  return options;
}

}  // namespace

bool IsForward(const std::string& net) {
  constexpr std::array<const char*, 3> kNets = {"tabular_mlp", "linear", "wide_and_deep"};
  return std::find(kNets.begin(), kNets.end(), net) != kNets.end();
}

Result<std::unique_ptr<ForwardNet>> MakeForward(const Choice& net, const ForwardShape& shape,
                                                const FindWeight& find) {
  if (net.name == "linear") return MakeForwardLinear(shape, find);
  if (net.name == "wide_and_deep") {
    PT_LET(const auto options, OptionsOf<WideAndDeepOptions>(net));
    return MakeSum(options, shape, find);
  }
  if (net.name == "tabular_mlp") {
    PT_LET(const auto options, OptionsOf<TabularMlpOptions>(net));
    std::vector<int64_t> all(shape.cardinalities.size());
    std::iota(all.begin(), all.end(), 0);
    return MakeForwardMlp(options, shape, all, find);
  }
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("the net {} is computed by LibTorch, in workers alone", net.name),
       .where = "net",
       .fix = "score tables with it (protium predict); in the calling process there are "
              "tabular_mlp, linear and wide_and_deep"});
}

Result<const float*> FindShaped(const FindWeight& find, const std::string& name,
                                const std::vector<int64_t>& shape) {
  const auto found = find(name);
  if (!found) {
    return Fail({.exit = Exit::kInput, .what = fmt::format("there are no weights {}", name)});
  }
  if (found->shape != shape) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the weights {} are [{}], and the net's are [{}]", name,
                                     fmt::join(found->shape, ", "), fmt::join(shape, ", "))});
  }
  return found->values;
}

}  // namespace protium
