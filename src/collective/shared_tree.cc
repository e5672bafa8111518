// SPDX-License-Identifier: Apache-2.0
// 1. A rank's memory holds the sums of its own subtrees, one after another; rank 0's the result
//    behind them.
// 2. Each rank sums one slice of the elements over all subtrees, in the order of the halving, and
//    nothing is copied but what is added.
#include <cstring>

#include "base/digest.h"
#include "collective/combine.h"
#include "collective/shared_memory.h"
#include "collective/subtrees.h"

namespace protium {
namespace {

constexpr int64_t kLineFloats = 16;
constexpr int64_t kBlock =
    2048;  // Elements summed at a time, so that sums stay in the first cache.

struct TreeNode {
  const float* source = nullptr;  // Set: a subtree that its owner summed.
  int32_t left = -1;
  int32_t right = -1;
  int32_t depth = 0;
};

class SharedTree : public Tree {
 public:
  SharedTree(std::shared_ptr<Meeting> meeting, const TreeSpec& spec, std::vector<Mapping> memory)
      : meeting_(std::move(meeting)), count_(spec.count), memory_(std::move(memory)) {
    std::vector<Subtree> all;
    for (int32_t r = 0; r < meeting_->world(); ++r) {
      float* next = reinterpret_cast<float*>(memory_[size_t(r)].data());
      for (Subtree& subtree : SubtreesOf(spec, r)) {
        subtree.sum = {next, size_t(count_)};
        next += Stride(count_);
        if (r == meeting_->rank()) own_.push_back(subtree);
        all.push_back(subtree);
      }
      if (r == 0) result_ = next;
    }
    Grow(all, 0, spec.leaves, 0);
    scratch_.resize(size_t(deepest_ + 1) * kBlock);
  }

  std::span<const Subtree> own() const override { return own_; }

  Result<std::span<const float>> Reduce() override {
    PT_TRY(meeting_->Agree({.operation = Operation::kTreeReduce, .length = count_}));
    const int64_t lines = (count_ + kLineFloats - 1) / kLineFloats;
    const auto edge = [&](int64_t rank) {
      return std::min(lines * rank / meeting_->world() * kLineFloats, count_);
    };
    const int64_t end = edge(meeting_->rank() + 1);
    for (int64_t at = edge(meeting_->rank()); at < end; at += kBlock) {
      const int64_t count = std::min(kBlock, end - at);
      const float* sum = Sum(nodes_.front(), at, count, result_ + at);
      if (sum != result_ + at) std::memcpy(result_ + at, sum, size_t(count) * sizeof(float));
    }
    PT_TRY(meeting_->Next());
    return std::span<const float>(result_, size_t(count_));
  }

  static std::vector<Subtree> SubtreesOf(const TreeSpec& spec, int32_t rank) {
    return Subtrees(spec.leaves, spec.first[size_t(rank)], spec.first[size_t(rank) + 1]);
  }

  // Floats from one vector to the next, so that each starts a cache line.
  static int64_t Stride(int64_t count) {
    return (count + kLineFloats - 1) / kLineFloats * kLineFloats;
  }

 private:
  int32_t Grow(const std::vector<Subtree>& all, int32_t begin, int32_t end, int32_t depth) {
    const auto at = size_t(nodes_.size());
    nodes_.push_back({.depth = depth});
    deepest_ = std::max(deepest_, depth);
    for (const Subtree& subtree : all) {
      if (subtree.begin == begin && subtree.end == end) nodes_[at].source = subtree.sum.data();
    }
    if (nodes_[at].source == nullptr) {
      const int32_t middle = begin + (end - begin) / 2;
      const int32_t left = Grow(all, begin, middle, depth + 1);
      const int32_t right = Grow(all, middle, end, depth + 1);
      nodes_[at].left = left;
      nodes_[at].right = right;
    }
    return int32_t(at);
  }

  // Gives where the sum lies: in `out`, or in its source.
  const float* Sum(const TreeNode& node, int64_t at, int64_t count, float* out) {
    if (node.source != nullptr) return node.source + at;
    const float* left = Sum(nodes_[size_t(node.left)], at, count, out);
    float* scratch = scratch_.data() + node.depth * kBlock;
    const float* right = Sum(nodes_[size_t(node.right)], at, count, scratch);
    Add(left, right, out, count);
    return out;
  }

  std::shared_ptr<Meeting> meeting_;
  int64_t count_;
  std::vector<Mapping> memory_;
  std::vector<Subtree> own_;
  std::vector<TreeNode> nodes_;  // The first is the root.
  int32_t deepest_ = 0;
  std::vector<float> scratch_;
  float* result_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Tree>> MakeSharedTree(std::shared_ptr<Meeting> meeting,
                                             const TreeSpec& spec) {
  const std::string text = TreeSpecText(spec);
  Request request{.operation = Operation::kTree, .length = spec.count};
  // The hash stands for what is cut off.
  request.SetName(text.substr(0, 80) + " #" + Sha256Hex(text).substr(0, 12));
  PT_TRY(meeting->Agree(request));
  const Status valid = CheckTreeSpec(spec, meeting->world());
  if (!valid.ok()) return meeting->Abort(valid);
  std::vector<int64_t> bytes_of;
  for (int32_t r = 0; r < meeting->world(); ++r) {
    const int64_t vectors = int64_t(SharedTree::SubtreesOf(spec, r).size()) + (r == 0 ? 1 : 0);
    bytes_of.push_back(vectors * SharedTree::Stride(spec.count) * int64_t(sizeof(float)));
  }
  PT_LET(std::vector<Mapping> memory, ShareMemory(*meeting, bytes_of));
  return std::unique_ptr<Tree>(new SharedTree(std::move(meeting), spec, std::move(memory)));
}

}  // namespace protium
