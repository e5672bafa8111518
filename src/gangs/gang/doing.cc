// SPDX-License-Identifier: Apache-2.0
#include "gang/doing.h"

#include <utility>

namespace protium {
namespace {

// Forwards every call; the ranks' own promises hold.
class MarkedTree final : public SumTree {
 public:
  MarkedTree(std::unique_ptr<SumTree> tree, Doing& doing) : tree_(std::move(tree)), doing_(doing) {}
  std::span<const Subtree> own() const override { return tree_->own(); }
  Result<std::span<const float>> Reduce() override {
    const Doing::Waiting waiting(doing_, "reduce");
    return tree_->Reduce();
  }

 private:
  std::unique_ptr<SumTree> tree_;
  Doing& doing_;
};

class MarkedRanks final : public Communicator {
 public:
  MarkedRanks(std::unique_ptr<Communicator> ranks, Doing& doing)
      : ranks_(std::move(ranks)), doing_(doing) {}

  int32_t rank() const override { return ranks_->rank(); }
  int32_t world() const override { return ranks_->world(); }
  Status AllReduce(Buffer inout, Op op) override {
    const Doing::Waiting waiting(doing_, "all-reduce");
    return ranks_->AllReduce(inout, op);
  }
  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    const Doing::Waiting waiting(doing_, "broadcast");
    return ranks_->Broadcast(inout, root);
  }
  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    const Doing::Waiting waiting(doing_, "all-gather");
    return ranks_->AllGather(message);
  }
  Status Barrier(std::string_view name) override {
    const Doing::Waiting waiting(doing_, "barrier");
    return ranks_->Barrier(name);
  }
  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    const Doing::Waiting waiting(doing_, "exchange of rows");
    return ranks_->MakeWindow(bytes);
  }
  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    const Doing::Waiting waiting(doing_, "reduce");
    PT_LET(auto tree, ranks_->MakeTree(spec));
    return std::make_unique<MarkedTree>(std::move(tree), doing_);
  }
  void Abort(const Status& cause) override { ranks_->Abort(cause); }

 private:
  std::unique_ptr<Communicator> ranks_;
  Doing& doing_;
};

}  // namespace

void Doing::Mark() { since_ = Clock::now().time_since_epoch().count(); }

void Doing::SetPhase(const char* phase) {
  phase_ = phase;
  Mark();
}

Doing::Waiting::Waiting(Doing& doing, const char* call) : doing_(doing) {
  doing_.calls_ += 1;
  doing_.Mark();
  doing_.call_ = call;
}

Doing::Waiting::~Waiting() {
  doing_.call_ = "";
  doing_.Mark();
}

TaskSight Doing::Look() const {
  TaskSight sight{.phase = phase_.load(), .call = call_.load(), .calls = calls_};
  const Clock::duration since(Clock::now().time_since_epoch().count() - since_);
  sight.seconds = std::chrono::duration<double>(since).count();
  return sight;
}

std::unique_ptr<Communicator> MarkCalls(std::unique_ptr<Communicator> ranks, Doing& doing) {
  return std::make_unique<MarkedRanks>(std::move(ranks), doing);
}

}  // namespace protium
