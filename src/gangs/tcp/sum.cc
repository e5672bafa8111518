// SPDX-License-Identifier: Apache-2.0
#include "tcp/sum.h"

#include <algorithm>
#include <numeric>

namespace protium {
namespace {

constexpr int64_t kDirectBytes = 64 << 10;  // All that a rank receives.
constexpr int64_t kChunkBytes = 256 << 10;
constexpr int64_t kAhead = 2;
constexpr int64_t kHeld = 2;
constexpr int64_t kAlign = 16;  // Elements, so that slices do not share cache lines.

int32_t AllInputs(const SumPlan& plan) {
  return std::accumulate(plan.inputs.begin(), plan.inputs.end(), 0);
}

std::byte* Room(std::vector<std::byte>& scratch, int64_t bytes) {
  if (int64_t(scratch.size()) < bytes) scratch.resize(size_t(bytes));
  return scratch.data();
}

// Every rank receives all vectors and combines them after the operation, in rank order.
class DirectSum : public Steps {
 public:
  DirectSum(const SumPlan& plan, std::vector<std::byte>& scratch) : plan_(plan) {
    std::byte* next = Room(scratch, AllInputs(plan) * bytes());
    for (const int32_t inputs : plan.inputs) {
      rooms_.push_back(next);
      next += inputs * bytes();
    }
  }

  void Begin(Traffic& traffic) override {
    for (int32_t r = 0; r < traffic.world(); ++r) {
      if (r == traffic.rank()) continue;
      for (const std::byte* own : plan_.own) traffic.Send(r, own, bytes());
    }
  }

  Status Agreed(int32_t from, Traffic& traffic) override {
    const int64_t all = plan_.inputs[size_t(from)] * bytes();
    if (all > 0) traffic.Expect(from, rooms_[size_t(from)], all);
    return Status::OK();
  }

  void Finish(int32_t rank) {
    std::vector<const std::byte*> sources;
    for (size_t r = 0; r < rooms_.size(); ++r) {
      for (int32_t k = 0; k < plan_.inputs[r]; ++k) {
        sources.push_back(int32_t(r) == rank ? plan_.own[size_t(k)] : rooms_[r] + k * bytes());
      }
    }
    plan_.combine(sources, 0, plan_.count, plan_.result);
  }

 private:
  int64_t bytes() const { return plan_.count * plan_.width; }

  const SumPlan& plan_;
  std::vector<std::byte*> rooms_;  // By rank, for its vectors.
};

// Rank r combines slice r: elements [Edge(r), Edge(r + 1)), cut into chunks. For each chunk t it
// receives the others' inputs, combines them with its own, sends the result to all and sends them
// its inputs of chunk t + kAhead.
//
// Why it cannot stall. Let t be the lowest chunk that some rank has yet to combine. All ranks have
// combined everything below t, so all have queued their inputs of t (they run kAhead >= 1 chunks
// ahead). Before these on a connection come only inputs and results of chunks below t, all of which
// exist; and every receiver takes inputs of t, because it has combined at least t chunks and holds
// kHeld >= 1 more. So chunk t is combined, and t grows.
//
// Why the result may be the own vector. A rank overwrites elements of another's slice with the
// result of chunk t only when that has come; it was made from our inputs of t, which had been sent
// by then. It overwrites its own slice as it combines it.
class SlicedSum : public Steps {
 public:
  SlicedSum(const SumPlan& plan, const Traffic& traffic, std::vector<std::byte>& scratch)
      : plan_(plan), rank_(traffic.rank()), world_(traffic.world()), peers_(size_t(world_)) {
    chunk_ = kChunkBytes / plan.width;
    for (int32_t r = 0; r < world_; ++r) {
      chunks_ = std::max(chunks_, (Edge(r + 1) - Edge(r) + chunk_ - 1) / chunk_);
    }
    arrived_.resize(size_t(chunks_));
    std::byte* next = Room(scratch, AllInputs(plan) * kHeld * kChunkBytes);
    for (int32_t r = 0; r < world_; ++r) {
      peers_[size_t(r)].room = next;
      next += plan.inputs[size_t(r)] * kHeld * kChunkBytes;
    }
  }

  void Begin(Traffic& traffic) override {
    for (int64_t t = 0; t < std::min(kAhead, chunks_); ++t) SendInputs(t, traffic);
  }

  Status Agreed(int32_t from, Traffic& traffic) override {
    peers_[size_t(from)].agreed = true;
    Settle(traffic);
    return Status::OK();
  }

  Status Arrived(int32_t from, Traffic& traffic) override {
    Peer& peer = peers_[size_t(from)];
    peer.expecting = false;
    Count(peer);
    Settle(traffic);
    return Status::OK();
  }

 private:
  // A chunk of inputs or of results, in the order on a connection.
  struct Unit {
    bool result = false;
    int64_t chunk = 0;
  };
  struct Peer {
    std::byte* room = nullptr;
    int64_t next = 0;  // The unit that comes next.
    bool agreed = false;
    bool expecting = false;
  };

  // The order of units on a connection, with A = kAhead and n chunks: inputs 0 .. A-1; then, as
  // long as there are inputs, results and inputs in turns: result 0, input A, result 1, input A+1
  // and so on; and at the end the A results that are left. So the mixed part has 2 (n - A) units,
  // of which every second is a result, and after it unit k is result k - n, since n inputs came
  // before it. Both ends count the same way and need no headers.
  Unit FindUnit(int64_t number) const {
    const int64_t ahead = std::min(kAhead, chunks_);
    const int64_t mixed = number - ahead;
    if (mixed < 0) return {false, number};
    if (mixed >= 2 * (chunks_ - ahead)) return {true, number - chunks_};
    return mixed % 2 == 0 ? Unit{true, mixed / 2} : Unit{false, ahead + mixed / 2};
  }

  // The first element of rank r's slice: slices differ by at most one unit of kAlign elements.
  int64_t Edge(int32_t rank) const {
    const int64_t units = (plan_.count + kAlign - 1) / kAlign;
    return std::min(units * rank / world_ * kAlign, plan_.count);
  }
  int64_t ChunkBegin(int32_t rank, int64_t chunk) const {
    return std::min(Edge(rank) + chunk * chunk_, Edge(rank + 1));
  }
  int64_t ChunkCount(int32_t rank, int64_t chunk) const {
    return ChunkBegin(rank, chunk + 1) - ChunkBegin(rank, chunk);
  }
  std::byte* ChunkRoom(int32_t rank, int64_t chunk) const {
    return peers_[size_t(rank)].room + (chunk % kHeld) * plan_.inputs[size_t(rank)] * kChunkBytes;
  }

  void SendInputs(int64_t chunk, Traffic& traffic) {
    for (int32_t i = 1; i < world_; ++i) {
      // Each rank begins with its successor, so that not all send to rank 0 first.
      const int32_t to = (rank_ + i) % world_;
      for (const std::byte* own : plan_.own) {
        traffic.Send(to, own + ChunkBegin(to, chunk) * plan_.width,
                     ChunkCount(to, chunk) * plan_.width);
      }
    }
  }

  // Goes on as far as it can without waiting: a combined chunk makes room for an input that was
  // held back, so both are tried until neither moves.
  void Settle(Traffic& traffic) {
    do {
      for (int32_t r = 0; r < world_; ++r) {
        if (r != rank_) Advance(r, traffic);
      }
    } while (CombineNext(traffic));
  }

  void Advance(int32_t from, Traffic& traffic) {
    Peer& peer = peers_[size_t(from)];
    while (peer.agreed && !peer.expecting && peer.next < 2 * chunks_) {
      const Unit unit = FindUnit(peer.next);
      if (!unit.result && unit.chunk >= combined_ + kHeld) return;
      const int64_t count = unit.result
                                ? ChunkCount(from, unit.chunk)
                                : ChunkCount(rank_, unit.chunk) * plan_.inputs[size_t(from)];
      if (count == 0) {
        Count(peer);
        continue;
      }
      std::byte* into = unit.result ? plan_.result + ChunkBegin(from, unit.chunk) * plan_.width
                                    : ChunkRoom(from, unit.chunk);
      peer.expecting = true;
      traffic.Expect(from, into, count * plan_.width);
    }
  }

  void Count(Peer& peer) {
    const Unit unit = FindUnit(peer.next++);
    if (!unit.result) ++arrived_[size_t(unit.chunk)];
  }

  bool CombineNext(Traffic& traffic) {
    if (combined_ == chunks_ || arrived_[size_t(combined_)] < world_ - 1) return false;
    const int64_t t = combined_++;
    const int64_t at = ChunkBegin(rank_, t) * plan_.width;
    const int64_t count = ChunkCount(rank_, t);
    if (count > 0) {
      plan_.combine(Sources(t, at, count), ChunkBegin(rank_, t), count, plan_.result + at);
      for (int32_t i = 1; i < world_; ++i) {
        traffic.Send((rank_ + i) % world_, plan_.result + at, count * plan_.width);
      }
    }
    if (t + kAhead < chunks_) SendInputs(t + kAhead, traffic);
    return true;
  }

  std::span<const std::byte* const> Sources(int64_t chunk, int64_t at, int64_t count) {
    sources_.clear();
    for (int32_t r = 0; r < world_; ++r) {
      for (int32_t k = 0; k < plan_.inputs[size_t(r)]; ++k) {
        sources_.push_back(r == rank_ ? plan_.own[size_t(k)] + at
                                      : ChunkRoom(r, chunk) + k * count * plan_.width);
      }
    }
    return sources_;
  }

  const SumPlan& plan_;
  int32_t rank_;
  int32_t world_;
  std::vector<Peer> peers_;
  int64_t chunk_ = 0;             // Elements of a whole one.
  int64_t chunks_ = 0;            // Of the longest slice; those of others may be empty.
  std::vector<int32_t> arrived_;  // By chunk: how many ranks' inputs have arrived.
  int64_t combined_ = 0;          // Chunks.
  std::vector<const std::byte*> sources_;
};

}  // namespace

Status SumOverRanks(const Request& request, const SumPlan& plan, Traffic& traffic,
                    std::vector<std::byte>& scratch) {
  if (plan.count == 0) {
    Steps none;
    return traffic.Run(request, none);
  }
  if (AllInputs(plan) * plan.count * plan.width <= kDirectBytes) {
    DirectSum sum(plan, scratch);
    PT_TRY(traffic.Run(request, sum));
    sum.Finish(traffic.rank());
    return Status::OK();
  }
  SlicedSum sum(plan, traffic, scratch);
  return traffic.Run(request, sum);
}

}  // namespace protium
