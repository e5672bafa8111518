// SPDX-License-Identifier: Apache-2.0
// 1. A rank's memory holds the sums of its own subtrees, one after another; rank 0's has the result
//    after them.
// 2. Each rank sums one slice of the elements over all subtrees, in the order of the halving; no
//    copies are made.
// 3. Two meetings: before the sum (all subtrees are written) and after it (the result is complete).
//    Writing subtrees again is safe after the second: every rank has finished reading.
#include "collective/shared/memory.h"
#include "collective/subtrees.h"
#include "collective/tree_sum.h"

namespace protium {
namespace {

constexpr int64_t kLineFloats = 16;
class SharedTree : public SumTree {
 public:
  SharedTree(std::shared_ptr<Meeting> meeting, const TreeSpec& spec, std::vector<Mapping> memory)
      : meeting_(std::move(meeting)),
        count_(spec.count),
        rounded_(spec.rounded),
        memory_(std::move(memory)) {
    std::vector<Subtree> all;
    for (int32_t r = 0; r < meeting_->world(); ++r) {
      float* next = reinterpret_cast<float*>(memory_[size_t(r)].data());
      for (Subtree& subtree : ListSubtrees(spec, r)) {
        subtree.sum = {next, size_t(count_)};
        next += Stride(count_);
        if (r == meeting_->rank()) own_.push_back(subtree);
        all.push_back(subtree);
      }
      if (r == 0) result_ = next;
    }
    sum_.emplace(all, spec.leaves);
    for (const Subtree& subtree : all) sources_.push_back(subtree.sum.data());
  }

  std::span<const Subtree> own() const override { return own_; }

  Result<std::span<const float>> Reduce() override {
    PT_TRY(meeting_->Agree({.operation = Operation::kTreeReduce, .length = count_}));
    // Slices begin at cache lines, so that two ranks never write to the same one.
    const int64_t lines = (count_ + kLineFloats - 1) / kLineFloats;
    const auto edge = [&](int64_t rank) {
      return std::min(lines * rank / meeting_->world() * kLineFloats, count_);
    };
    const int64_t begin = edge(meeting_->rank());
    const int64_t end = edge(meeting_->rank() + 1);
    std::vector<const float*> sources = sources_;
    for (const float*& source : sources) source += begin;
    sum_->Sum(sources, end - begin, result_ + begin,
              std::clamp<int64_t>(rounded_ - begin, 0, end - begin));
    PT_TRY(meeting_->Next());
    return std::span<const float>(result_, size_t(count_));
  }

  static std::vector<Subtree> ListSubtrees(const TreeSpec& spec, int32_t rank) {
    return Subtrees(spec.leaves, spec.first[size_t(rank)], spec.first[size_t(rank) + 1]);
  }

  // Floats from one vector to the next, so that each starts on a cache line.
  static int64_t Stride(int64_t count) {
    return (count + kLineFloats - 1) / kLineFloats * kLineFloats;
  }

 private:
  std::shared_ptr<Meeting> meeting_;
  int64_t count_;
  int64_t rounded_;
  std::vector<Mapping> memory_;
  std::vector<Subtree> own_;
  std::vector<const float*> sources_;
  std::optional<TreeSum> sum_;
  float* result_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<SumTree>> MakeSharedTree(std::shared_ptr<Meeting> meeting,
                                                const TreeSpec& spec) {
  PT_TRY(meeting->Agree(TreeRequest(spec)));
  const Status valid = CheckTreeSpec(spec, meeting->world());
  if (!valid.ok()) return meeting->Abort(valid);
  std::vector<int64_t> bytes_of;
  for (int32_t r = 0; r < meeting->world(); ++r) {
    const int64_t vectors = int64_t(SharedTree::ListSubtrees(spec, r).size()) + (r == 0 ? 1 : 0);
    bytes_of.push_back(vectors * SharedTree::Stride(spec.count) * int64_t(sizeof(float)));
  }
  PT_LET(std::vector<Mapping> memory, ShareMemory(*meeting, bytes_of));
  return std::unique_ptr<SumTree>(new SharedTree(std::move(meeting), spec, std::move(memory)));
}

}  // namespace protium
