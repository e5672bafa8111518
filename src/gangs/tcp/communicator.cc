// SPDX-License-Identifier: Apache-2.0
#include "tcp/communicator.h"

#include <algorithm>
#include <array>

#include "base/fault.h"
#include "collective/combine.h"
#include "tcp/sum.h"
#include "tcp/tree.h"
#include "tcp/window.h"

namespace protium {
namespace {

constexpr int64_t kMostMessageBytes = int64_t{1} << 30;

// The root itself sends to each rank. A tree of relays would be faster for many ranks, but
// broadcasts happen at the start only (first weights, checkpoints).
class BroadcastSteps : public Steps {
 public:
  BroadcastSteps(std::span<std::byte> bytes, int32_t root) : bytes_(bytes), root_(root) {}

  void Begin(Traffic& traffic) override {
    for (int32_t r = 0; root_ == traffic.rank() && r < traffic.world(); ++r) {
      if (r != root_) traffic.Send(r, bytes_.data(), int64_t(bytes_.size()));
    }
  }
  Status Agreed(int32_t from, Traffic& traffic) override {
    if (from == root_ && !bytes_.empty()) {
      traffic.Expect(from, bytes_.data(), int64_t(bytes_.size()));
    }
    return Status::OK();
  }

 private:
  std::span<std::byte> bytes_;
  int32_t root_;
};

class GatherSteps : public Steps {
 public:
  explicit GatherSteps(std::string_view message) : message_(message) {}

  void Begin(Traffic& traffic) override {
    all_.resize(size_t(traffic.world()));
    // Too long: nothing follows the request, and the others see from its length that nothing will.
    if (int64_t(message_.size()) > kMostMessageBytes) return;
    all_[size_t(traffic.rank())] = message_;
    for (int32_t r = 0; r < traffic.world(); ++r) {
      if (r != traffic.rank()) traffic.Send(r, message_.data(), int64_t(message_.size()));
    }
  }
  Status Agreed(int32_t from, Traffic& traffic) override {
    const int64_t length = traffic.Asked(from).length;
    PT_TRY(CheckLength(from, length));
    all_[size_t(from)].resize(size_t(length));
    if (length > 0) traffic.Expect(from, all_[size_t(from)].data(), length);
    // The own message is checked here too, after the request was sent, so that all ranks fail with
    // the same cause.
    return CheckLength(traffic.rank(), int64_t(message_.size()));
  }
  std::vector<std::string> Take() { return std::move(all_); }

 private:
  static Status CheckLength(int32_t rank, int64_t length) {
    if (length >= 0 && length <= kMostMessageBytes) return Status::OK();
    return Status::CapacityError("rank ", rank, " sends a message of ", length,
                                 " bytes; the limit is ", kMostMessageBytes);
  }

  std::string_view message_;
  std::vector<std::string> all_;
};

// Combines the sources in rank order, on whichever rank: floats added in another order would differ
// in bits. Works in pieces that stay in the first-level cache.
void Fold(Element type, Op op, std::span<const std::byte* const> sources, int64_t count,
          std::byte* out) {
  alignas(64) std::array<std::byte, 16 << 10> sum;
  const int64_t width = ElementBytes(type);
  const int64_t piece = int64_t(sum.size()) / width;
  for (int64_t at = 0; at < count; at += piece) {
    const int64_t part = std::min(piece, count - at);
    const std::byte* left = sources[0] + at * width;
    for (size_t s = 1; s < sources.size(); ++s) {
      std::byte* into = s + 1 == sources.size() ? out + at * width : sum.data();
      Combine(type, op, left, sources[s] + at * width, into, part);
      left = into;
    }
  }
}

class TcpCommunicator : public Communicator {
 public:
  explicit TcpCommunicator(std::shared_ptr<Traffic> traffic) : traffic_(std::move(traffic)) {}

  int32_t rank() const override { return traffic_->rank(); }
  int32_t world() const override { return traffic_->world(); }

  Status AllReduce(Buffer inout, Op op) override {
    auto* data = static_cast<std::byte*>(inout.data);
    const SumPlan plan{.count = inout.count,
                       .width = ElementBytes(inout.type),
                       .inputs = std::vector<int32_t>(size_t(world()), 1),
                       .own = {data},
                       .result = data,
                       .combine = [&](auto sources, int64_t, int64_t count, std::byte* out) {
                         Fold(inout.type, op, sources, count, out);
                       }};
    const Request request{.operation = Operation::kAllReduce,
                          .type = inout.type,
                          .reduce = op,
                          .length = inout.count};
    return SumOverRanks(request, plan, *traffic_, scratch_);
  }

  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    BroadcastSteps steps(inout, root);
    PT_TRY(traffic_->Run(
        {.operation = Operation::kBroadcast, .root = root, .length = int64_t(inout.size())},
        steps));
    if (root >= 0 && root < world()) return Status::OK();
    // After the exchange of requests, so that all ranks fail at the same operation.
    return traffic_->Abort(NoSuchRoot(root, world()));
  }

  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    GatherSteps steps(message);
    PT_TRY(traffic_->Run({.operation = Operation::kAllGather, .length = int64_t(message.size())},
                         steps));
    return steps.Take();
  }

  Status Barrier(std::string_view name) override {
    Request request{.operation = Operation::kBarrier};
    request.SetName(name);
    Steps none;
    return traffic_->Run(request, none);
  }

  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    return MakeTcpWindow(*traffic_, next_window_++, bytes);
  }

  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    return MakeTcpTree(traffic_, spec);
  }

  void Abort(const Status& cause) override { (void)traffic_->Abort(cause); }

 private:
  std::shared_ptr<Traffic> traffic_;
  std::vector<std::byte> scratch_;
  uint32_t next_window_ = 0;  // The same on all ranks, since they make the same calls.
};

}  // namespace

Result<std::unique_ptr<Communicator>> MakeTcpCommunicator(
    int32_t rank, std::vector<std::unique_ptr<TcpConnection>> data,
    std::vector<std::unique_ptr<TcpConnection>> service, std::vector<std::string> names,
    const ServiceOptions& options, Deadline start_by) {
  PT_LET(auto started, TcpService::Start(rank, std::move(service), std::move(names), options));
  auto traffic =
      std::make_shared<Traffic>(rank, std::move(data), std::move(started), options.deadline);
  Request start{.operation = Operation::kBarrier};
  start.SetName("the start of the gang");
  Steps none;
  // Nobody leaves before all have come: from here on a closed connection means a rank that died.
  PT_TRY(traffic->Run(start, none, start_by));
  return std::unique_ptr<Communicator>(new TcpCommunicator(std::move(traffic)));
}

}  // namespace protium
