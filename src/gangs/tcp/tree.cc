// SPDX-License-Identifier: Apache-2.0
#include "tcp/tree.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "collective/combine.h"
#include "collective/subtrees.h"
#include "collective/tree_sum.h"
#include "tcp/sum.h"

namespace protium {
namespace {

// A tree whose subtrees are this rank's plain memory. Each rank contributes its subtrees, all
// ranks' together in the order of leaves, and the shared TreeSum combines them.
//
// With rounded elements a vector travels as 16-bit units: one for each of them, two for every other
// float behind. Their number is a multiple of 16, as slices and chunks are: no float is cut.
class TcpTree : public SumTree {
 public:
  TcpTree(std::shared_ptr<Traffic> traffic, const TreeSpec& spec)
      : traffic_(std::move(traffic)), count_(spec.count), rounded_(spec.rounded) {
    std::vector<Subtree> all;
    for (int32_t r = 0; r < traffic_->world(); ++r) {
      const auto subtrees = Subtrees(spec.leaves, spec.first[size_t(r)], spec.first[size_t(r) + 1]);
      plan_.inputs.push_back(int32_t(subtrees.size()));
      all.insert(all.end(), subtrees.begin(), subtrees.end());
      if (r == traffic_->rank()) own_ = subtrees;
    }
    sum_.emplace(all, spec.leaves);
    PlanOver();
  }

  std::span<const Subtree> own() const override { return own_; }

  Result<std::span<const float>> Reduce() override {
    const Request request{.operation = Operation::kTreeReduce, .length = count_};
    for (size_t s = 0; s < packed_.size(); ++s) Pack(own_[s].sum.data(), packed_[s].data());
    PT_TRY(SumOverRanks(request, plan_, *traffic_, scratch_));
    if (rounded_ > 0) Unpack(packed_result_.data(), result_.data());
    return std::span<const float>(result_);
  }

 private:
  void PlanOver() {
    memory_.resize(own_.size() * size_t(count_));
    result_.resize(size_t(count_));
    for (size_t s = 0; s < own_.size(); ++s) {
      own_[s].sum = std::span(memory_).subspan(s * size_t(count_), size_t(count_));
    }
    if (rounded_ > 0) return PlanOverUnits();
    for (const Subtree& own : own_) {
      plan_.own.push_back(reinterpret_cast<const std::byte*>(own.sum.data()));
    }
    plan_.count = count_;
    plan_.width = sizeof(float);
    plan_.result = reinterpret_cast<std::byte*>(result_.data());
    plan_.combine = [this](auto sources, int64_t, int64_t count, std::byte* out) {
      SumFloats(sources, 0, count, out);
    };
  }

  void PlanOverUnits() {
    const int64_t units = rounded_ + 2 * (count_ - rounded_);
    packed_.assign(own_.size(), std::vector<Bfloat16>(size_t(units)));
    packed_result_.resize(size_t(units));
    for (const auto& own : packed_) {
      plan_.own.push_back(reinterpret_cast<const std::byte*>(own.data()));
    }
    plan_.count = units;
    plan_.width = sizeof(Bfloat16);
    plan_.result = reinterpret_cast<std::byte*>(packed_result_.data());
    plan_.combine = [this](auto sources, int64_t at, int64_t count, std::byte* out) {
      const int64_t narrow = std::clamp<int64_t>(rounded_ - at, 0, count);
      SumNarrow(sources, narrow, out);
      const int64_t offset = narrow * int64_t(sizeof(Bfloat16));
      SumFloats(sources, offset, (count - narrow) / 2, out + offset);
    };
  }

  void Pack(const float* from, Bfloat16* to) const {
    NarrowAll(from, rounded_, to);
    std::memcpy(static_cast<void*>(to + rounded_), from + rounded_,
                size_t(count_ - rounded_) * sizeof(float));
  }
  void Unpack(const Bfloat16* from, float* to) const {
    WidenAll(from, rounded_, to);
    std::memcpy(static_cast<void*>(to + rounded_), from + rounded_,
                size_t(count_ - rounded_) * sizeof(float));
  }

  // `offset`: of the floats in each source, in bytes.
  void SumFloats(std::span<const std::byte* const> sources, int64_t offset, int64_t count,
                 std::byte* out) {
    floats_.clear();
    for (const std::byte* source : sources) {
      floats_.push_back(reinterpret_cast<const float*>(source + offset));
    }
    sum_->Sum(floats_, count, reinterpret_cast<float*>(out));
  }

  void SumNarrow(std::span<const std::byte* const> sources, int64_t count, std::byte* out) {
    wide_.resize((sources.size() + 1) * size_t(kWide));
    float* const sum = wide_.data() + sources.size() * size_t(kWide);
    for (int64_t at = 0; at < count; at += kWide) {
      const int64_t part = std::min(kWide, count - at);
      floats_.clear();
      for (size_t s = 0; s < sources.size(); ++s) {
        float* const wide = wide_.data() + s * size_t(kWide);
        WidenAll(reinterpret_cast<const Bfloat16*>(sources[s]) + at, part, wide);
        floats_.push_back(wide);
      }
      sum_->Sum(floats_, part, sum, part);
      NarrowAll(sum, part, reinterpret_cast<Bfloat16*>(out) + at);
    }
  }

  std::shared_ptr<Traffic> traffic_;
  static constexpr int64_t kWide = 2048;  // Elements that are widened at a time.
  int64_t count_;
  int64_t rounded_;
  std::vector<Subtree> own_;
  std::optional<TreeSum> sum_;
  SumPlan plan_;
  std::vector<float> memory_;  // The own subtrees' sums.
  std::vector<float> result_;
  std::vector<std::vector<Bfloat16>> packed_;  // As they travel; empty without rounded elements.
  std::vector<Bfloat16> packed_result_;
  std::vector<float> wide_;
  std::vector<const float*> floats_;
  std::vector<std::byte> scratch_;
};

}  // namespace

Result<std::unique_ptr<SumTree>> MakeTcpTree(std::shared_ptr<Traffic> traffic,
                                             const TreeSpec& spec) {
  Steps none;
  PT_TRY(traffic->Run(TreeRequest(spec), none));
  const Status valid = CheckTreeSpec(spec, traffic->world());
  if (!valid.ok()) return traffic->Abort(valid);
  return std::unique_ptr<SumTree>(new TcpTree(std::move(traffic), spec));
}

}  // namespace protium
