// SPDX-License-Identifier: Apache-2.0
#include "train/shared_optimizer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace protium {
namespace {

using Parts = std::vector<Weights::Part>;

// What a rank sends at a time: it receives as much from each of the others.
constexpr int64_t kRoundFloats = int64_t{4} << 20;

int64_t CountOf(const Parts& parts) {
  int64_t count = 0;
  for (const Weights::Part& each : parts) count += each.count;
  return count;
}

// Goes through parts of some memory, one after another.
class PartWalk {
 public:
  // Without memory it only counts.
  PartWalk(float* base, const Parts& parts) : base_(base), parts_(parts) {}

  // Calls `copy(memory, bytes)` for the next `count` floats, piece by piece.
  template <class Copy>
  void Next(int64_t count, Copy copy) {
    while (count > 0) {
      const Weights::Part& part = parts_[at_];
      const int64_t piece = std::min(count, part.count - done_);
      if (base_ != nullptr) copy(base_ + part.offset + done_, size_t(piece) * sizeof(float));
      count -= piece;
      done_ += piece;
      if (done_ < part.count) continue;
      ++at_;
      done_ = 0;
    }
  }

 private:
  float* base_;
  const Parts& parts_;
  size_t at_ = 0;
  int64_t done_ = 0;  // Floats of the part at at_.
};

// Where the floats of this rank come from, and where those of every rank go; nullptr: nowhere.
struct Exchange {
  float* from = nullptr;
  Parts own;
  float* to = nullptr;
  std::vector<Parts> by_rank;
};

// Collective. `to` may be `from`. Returns whether `well` holds on all ranks; if not, nothing has
// been exchanged.
Result<bool> ExchangeParts(bool well, const Exchange& exchange, Communicator& communicator) {
  std::vector<int64_t> left;
  std::vector<PartWalk> walks;
  for (const Parts& parts : exchange.by_rank) {
    left.push_back(CountOf(parts));
    walks.emplace_back(exchange.to, parts);
  }
  PartWalk own(exchange.from, exchange.own);
  const auto rank = size_t(communicator.rank());
  for (bool first = true; first || std::ranges::max(left) > 0; first = false) {
    std::string message(1, well ? 1 : 0);
    const int64_t count = std::min(left[rank], kRoundFloats);
    message.reserve(1 + size_t(count) * sizeof(float));
    own.Next(count, [&](const float* floats, size_t bytes) {
      message.append(reinterpret_cast<const char*>(floats), bytes);
    });
    PT_LET(const std::vector<std::string> all, communicator.AllGather(message));
    for (const std::string& each : all) {
      if (each.empty() || each.front() == 0) return false;
    }
    for (size_t r = 0; r < all.size(); ++r) {
      const int64_t came = std::min(left[r], kRoundFloats);
      PT_CHECK(all[r].size() == 1 + size_t(came) * sizeof(float));
      const char* next = all[r].data() + 1;
      left[r] -= came;
      if (r == rank && exchange.to == exchange.from) continue;
      walks[r].Next(came, [&](float* floats, size_t bytes) {
        std::memcpy(floats, std::exchange(next, next + bytes), bytes);
      });
    }
  }
  return true;
}

}  // namespace

Result<bool> StepShared(Optimizer& optimizer, Weights& weights, const Gradient& gradient,
                        std::span<const float> defined, Communicator& communicator) {
  const bool finite = optimizer.Step(gradient, defined);
  Exchange exchange{.from = weights.parameters().data(), .to = weights.parameters().data()};
  for (int32_t r = 0; r < communicator.world(); ++r) {
    exchange.by_rank.push_back(optimizer.MovedBy(r, gradient, defined));
  }
  exchange.own = exchange.by_rank[size_t(communicator.rank())];
  return ExchangeParts(finite, exchange, communicator);
}

Result<WholeState> GatherState(Optimizer& optimizer, Communicator& communicator) {
  const bool leads = communicator.rank() == 0;
  const std::vector<std::string> names = optimizer.StateNames();
  WholeState out;
  if (leads) out.tensors = optimizer.Tensors();
  for (size_t i = 0; i < names.size(); ++i) {
    const std::span<float> own = optimizer.own_state(i);
    Exchange exchange{.from = own.data(), .own = {{0, int64_t(own.size())}}};
    for (int32_t r = 0; r < communicator.world(); ++r) {
      exchange.by_rank.push_back(optimizer.StateOf(r));
    }
    if (leads) {
      // What no rank has is padding.
      auto& whole =
          out.memory.emplace_back(size_t(optimizer.state_size()), optimizer.initial_state());
      exchange.to = whole.data();
      out.tensors.push_back({names[i],
                             "F32",
                             {optimizer.state_size()},
                             std::as_bytes(std::span<const float>(whole))});
    }
    PT_TRY(ExchangeParts(true, exchange, communicator).status());
  }
  return out;
}

Status ScatterState(Optimizer& optimizer, const Safetensors* file, Communicator& communicator) {
  const Parts mine = optimizer.StateOf(communicator.rank());
  std::vector<float> block;
  const std::vector<std::string> names = optimizer.StateNames();
  for (size_t i = 0; i < names.size(); ++i) {
    const NamedTensor* const from = file == nullptr ? nullptr : file->Find(names[i]);
    for (int64_t at = 0; at < optimizer.state_size(); at += kRoundFloats) {
      block.resize(size_t(std::min(kRoundFloats, optimizer.state_size() - at)));
      const std::span<std::byte> bytes = std::as_writable_bytes(std::span(block));
      if (from != nullptr) {
        std::memcpy(bytes.data(), from->data.data() + at * int64_t(sizeof(float)), bytes.size());
      }
      PT_TRY(communicator.Broadcast(bytes, 0));
      int64_t to = 0;
      for (const Weights::Part& part : mine) {
        const int64_t begin = std::max(part.offset, at);
        const int64_t end = std::min(part.offset + part.count, at + int64_t(block.size()));
        if (begin < end) {
          std::copy(block.begin() + (begin - at), block.begin() + (end - at),
                    optimizer.own_state(i).begin() + to + (begin - part.offset));
        }
        to += part.count;
      }
    }
  }
  return Status::OK();
}

}  // namespace protium
