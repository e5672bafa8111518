// SPDX-License-Identifier: Apache-2.0
// For tests: a gang with fixed ranks (gang/roster.h) whose ranks are threads of this process. One
// dies at a collective call with a given number, and a thread that waits takes its rank as soon as
// all others have left the generation.
#pragma once

#include <fcntl.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "gang/membership.h"
#include "tasks/testing/rank_context.h"

namespace protium {

// What becomes of a member at its collective call with number `at`.
struct Fate {
  enum class Kind {
    kLives,
    kDiesBefore,  // It does not make the call.
    kDiesAfter,   // It has made it, but does nothing with it.
    kIsCut,       // It has made it, but hears of a death of others instead of its result.
  };
  Kind kind = Kind::kLives;
  int at = -1;
};

// The calls of one member, counted over all generations.
struct Calls {
  Fate fate;
  int made = 0;
  bool dead = false;

  template <class Make>
  auto Do(Make make) -> decltype(make()) {
    const bool now = made++ == fate.at;
    if (now && fate.kind == Fate::Kind::kDiesBefore) return Die();
    auto result = make();
    if (now && fate.kind == Fate::Kind::kDiesAfter) return Die();
    if (now && fate.kind == Fate::Kind::kIsCut) {
      return Fail({.exit = Exit::kRemote, .what = "the gang changes"});
    }
    return result;
  }
  Status Die() {
    dead = true;
    return Status::Cancelled("it is dead");
  }
};

class FatefulTree final : public SumTree {
 public:
  FatefulTree(std::unique_ptr<SumTree> tree, Calls& calls)
      : tree_(std::move(tree)), calls_(calls) {}
  std::span<const Subtree> own() const override { return tree_->own(); }
  Result<std::span<const float>> Reduce() override {
    return calls_.Do([&] { return tree_->Reduce(); });
  }

 private:
  std::unique_ptr<SumTree> tree_;
  Calls& calls_;
};

class FatefulRanks final : public Communicator {
 public:
  FatefulRanks(std::unique_ptr<Communicator> ranks, Calls& calls)
      : ranks_(std::move(ranks)), calls_(calls) {}
  int32_t rank() const override { return ranks_->rank(); }
  int32_t world() const override { return ranks_->world(); }
  Status AllReduce(Buffer inout, Op op) override {
    return calls_.Do([&] { return ranks_->AllReduce(inout, op); });
  }
  Status Broadcast(std::span<std::byte> inout, int32_t root) override {
    return calls_.Do([&] { return ranks_->Broadcast(inout, root); });
  }
  Result<std::vector<std::string>> AllGather(std::string_view message) override {
    return calls_.Do([&] { return ranks_->AllGather(message); });
  }
  Status Barrier(std::string_view name) override {
    return calls_.Do([&] { return ranks_->Barrier(name); });
  }
  Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) override {
    return calls_.Do([&] { return ranks_->MakeWindow(bytes); });
  }
  Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) override {
    PT_LET(auto tree, calls_.Do([&] { return ranks_->MakeTree(spec); }));
    return std::make_unique<FatefulTree>(std::move(tree), calls_);
  }
  // A dead rank sends nothing, and what a cut breaks off is nobody's error.
  void Abort(const Status& cause) override {
    if (calls_.fate.kind == Fate::Kind::kLives) ranks_->Abort(cause);
  }

 private:
  std::unique_ptr<Communicator> ranks_;
  Calls& calls_;
};

// Who has which rank. Any thread.
class FixedGang {
 public:
  struct Seat {
    int32_t rank = 0;
    std::vector<UniqueFd> peers;
  };

  // Members 0 .. ranks - 1 begin; the others wait to take a rank.
  FixedGang(int32_t ranks, int32_t members) : parts_(size_t(ranks)), members_(size_t(members)) {
    for (int32_t r = 0; r < ranks; ++r) members_[size_t(r)].rank = r;
  }

  // What all ranks have shared; waits for them.
  Result<std::vector<SharedPart>> Share(int32_t member, SharedPart own) {
    std::unique_lock lock(mutex_);
    const int32_t rank = members_[size_t(member)].rank;
    if (rank >= 0) parts_[size_t(rank)] = std::move(own);
    shared_ += rank >= 0 ? 1 : 0;
    changed_.notify_all();
    changed_.wait(lock, [&] { return shared_ == parts_.size() || over_; });
    if (shared_ < parts_.size()) return Status::Cancelled("not all have shared their rows");
    std::vector<SharedPart> copies;
    for (const SharedPart& each : parts_) {
      SharedPart& copy = copies.emplace_back(SharedPart{.text = each.text});
      for (const UniqueFd& memory : each.memories) {
        copy.memories.emplace_back(::fcntl(memory.get(), F_DUPFD_CLOEXEC, 0));
      }
    }
    return copies;
  }
  // Waits for the next generation; nothing if none comes.
  std::optional<Seat> Next(int32_t member) {
    std::unique_lock lock(mutex_);
    members_[size_t(member)].waits = true;
    CallIfAllWait();
    changed_.wait(lock, [&] { return members_[size_t(member)].seat.has_value() || over_; });
    return std::exchange(members_[size_t(member)].seat, std::nullopt);
  }
  // A member is dead, or its task has ended: then no generation follows, as after a death before
  // all have shared their rows.
  void Left(int32_t member, bool dead) {
    const std::lock_guard lock(mutex_);
    Member& left = members_[size_t(member)];
    over_ = over_ || !dead || shared_ < parts_.size();
    left.gone = true;
    CallIfAllWait();
    changed_.notify_all();
  }
  int taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }

 private:
  struct Member {
    int32_t rank = -1;
    bool gone = false;
    bool waits = false;
    std::optional<Seat> seat;
  };

  void CallIfAllWait() {
    std::vector<Member*> called(parts_.size()), spare;
    for (Member& each : members_) {
      if (each.rank >= 0 && !each.gone) called[size_t(each.rank)] = &each;
      if (each.rank < 0 && !each.gone && each.waits) spare.push_back(&each);
    }
    for (size_t r = 0; r < called.size(); ++r) {
      if (called[r] != nullptr && !called[r]->waits) return;
      if (called[r] != nullptr) continue;
      if (spare.empty()) return;
      called[r] = spare.front();
      spare.erase(spare.begin());
    }
    auto ends = ConnectRanks(int32_t(called.size())).ValueOrDie();
    for (size_t r = 0; r < called.size(); ++r) {
      taken_ += called[r]->rank < 0 ? 1 : 0;
      called[r]->rank = int32_t(r);
      called[r]->waits = false;
      called[r]->seat = Seat{int32_t(r), std::move(ends[r])};
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<SharedPart> parts_;
  size_t shared_ = 0;
  std::vector<Member> members_;
  bool over_ = false;
  int taken_ = 0;
};

// What one member knows of it.
class FixedMember final : public GangMembership {
 public:
  FixedMember(FixedGang& gang, int32_t number, bool newcomer, Fate fate)
      : gang_(gang), number_(number), newcomer_(newcomer), calls_{.fate = fate} {}

  bool newcomer() const override { return newcomer_; }
  bool changing() const override { return false; }
  Result<std::vector<SharedPart>> Share(SharedPart own) override {
    return gang_.Share(number_, std::move(own));
  }
  Result<Communicator*> Enter(const Status&) override {
    ranks_.reset();
    while (auto seat = gang_.Next(number_)) {
      auto ranks = MakeSharedCommunicator(seat->rank, std::move(seat->peers), {});
      if (!ranks.ok()) continue;
      ranks_ = std::make_unique<FatefulRanks>(*std::move(ranks), calls_);
      return ranks_.get();
    }
    return Status::Cancelled("no generation follows");
  }
  void Settled(int64_t) override {}

  const Calls& calls() const { return calls_; }
  Communicator* ranks() const { return ranks_.get(); }
  // Its process has ended.
  void Leave() {
    ranks_.reset();
    gang_.Left(number_, calls_.dead);
  }

 private:
  FixedGang& gang_;
  const int32_t number_;
  const bool newcomer_;
  Calls calls_;
  std::unique_ptr<Communicator> ranks_;
};

// Its task.
class MemberContext final : public RankContext {
 public:
  MemberContext(FixedMember& member, int32_t number, int32_t world, std::string config,
                SchemaPtr schema, Batches input, RankReports& reports)
      : RankContext(nullptr, std::move(config), std::move(schema), std::move(input), reports),
        member_(member),
        number_(number),
        world_(world) {}
  int32_t rank() const override { return number_; }
  int32_t world() const override { return world_; }
  Result<Communicator*> communicator() override { return member_.ranks(); }
  GangMembership* membership() override { return &member_; }

 private:
  FixedMember& member_;
  const int32_t number_;
  const int32_t world_;
};

}  // namespace protium
