// SPDX-License-Identifier: Apache-2.0
#include "tcp/tree.h"

#include <optional>

#include "collective/subtrees.h"
#include "collective/tree_sum.h"
#include "tcp/sum.h"

namespace protium {
namespace {

// A tree whose subtrees are this rank's plain memory. Each rank contributes its subtrees, all
// ranks' together in the order of leaves, and the shared TreeSum combines them.
class TcpTree : public SumTree {
 public:
  TcpTree(std::shared_ptr<Traffic> traffic, const TreeSpec& spec)
      : traffic_(std::move(traffic)), count_(spec.count) {
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
    PT_TRY(SumOverRanks(request, plan_, *traffic_, scratch_));
    return std::span<const float>(result_);
  }

 private:
  void PlanOver() {
    memory_.resize(own_.size() * size_t(count_));
    result_.resize(size_t(count_));
    for (size_t s = 0; s < own_.size(); ++s) {
      own_[s].sum = std::span(memory_).subspan(s * size_t(count_), size_t(count_));
      plan_.own.push_back(reinterpret_cast<const std::byte*>(own_[s].sum.data()));
    }
    plan_.count = count_;
    plan_.width = sizeof(float);
    plan_.result = reinterpret_cast<std::byte*>(result_.data());
    plan_.combine = [this](auto sources, int64_t count, std::byte* out) {
      floats_.clear();
      for (const std::byte* source : sources) {
        floats_.push_back(reinterpret_cast<const float*>(source));
      }
      sum_->Sum(floats_, count, reinterpret_cast<float*>(out));
    };
  }

  std::shared_ptr<Traffic> traffic_;
  int64_t count_;
  std::vector<Subtree> own_;
  std::optional<TreeSum> sum_;
  SumPlan plan_;
  std::vector<float> memory_;  // The own subtrees' sums.
  std::vector<float> result_;
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
