// SPDX-License-Identifier: Apache-2.0
// For tests: forests trained by elastic gangs whose ranks are threads of this process. A rank dies
// at a collective call with a given number; the others are called to the next generation as soon as
// all of them have left the old one, which is when a driver has heard of the death at the latest.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "collective/self.h"
#include "collective/testing/mortal_ranks.h"
#include "rows/shared_rows.h"
#include "trees/testing/forest_world.h"

namespace protium {

// Who is in the gang, and what the generations are. Any thread.
class ThreadGang {
 public:
  // A member's place in a generation.
  struct Seat {
    int32_t rank = 0;
    std::vector<UniqueFd> peers;
  };

  // The last `newcomers` of them wait to be called when the others begin.
  ThreadGang(int members, int newcomers)
      : members_(size_t(members)), initial_(size_t(members - newcomers)) {}

  // Waits for the next generation; nothing if the gang has finished without this member.
  Result<std::optional<Seat>> Next(int member) {
    std::unique_lock lock(mutex_);
    members_[size_t(member)].waits = true;
    PT_TRY(CallIfAllWait());
    constexpr std::chrono::seconds kLongest{30};
    const bool called = changed_.wait_for(
        lock, kLongest, [&] { return finished_ || members_[size_t(member)].seat.has_value(); });
    if (!called) return Status::Invalid("member ", member, " waits for the others for ever");
    return std::exchange(members_[size_t(member)].seat, std::nullopt);
  }
  // A member has died, or is done.
  Status Left(int member, bool finished) {
    const std::lock_guard lock(mutex_);
    members_[size_t(member)].gone = true;
    finished_ = finished_ || finished;
    changed_.notify_all();
    return finished_ ? Status::OK() : CallIfAllWait();
  }
  bool changing() {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(members_, [](const Member& m) { return m.waits && !m.gone; });
  }
  // How many were in each generation.
  std::vector<int> worlds() const { return worlds_; }

 private:
  struct Member {
    bool gone = false;
    bool waits = false;
    std::optional<Seat> seat;
  };

  Status CallIfAllWait() {
    if (finished_) return Status::OK();
    const size_t most = worlds_.empty() ? initial_ : members_.size();
    std::vector<Member*> called;
    for (size_t m = 0; m < members_.size(); ++m) {
      if (members_[m].gone) continue;
      if (!members_[m].waits) return Status::OK();
      if (m < most) called.push_back(&members_[m]);
    }
    if (called.empty()) return Status::OK();
    PT_LET(auto ends, ConnectRanks(int32_t(called.size())));
    for (size_t r = 0; r < called.size(); ++r) {
      called[r]->waits = false;
      called[r]->seat = Seat{int32_t(r), std::move(ends[r])};
    }
    worlds_.push_back(int(called.size()));
    changed_.notify_all();
    return Status::OK();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  const size_t initial_;
  std::vector<int> worlds_;
  bool finished_ = false;
};

// What one member knows of it. It dies, in whatever generation, after `life` collective calls.
class ThreadMember final : public GangMembership {
 public:
  ThreadMember(ThreadGang& gang, int number, int life, bool newcomer)
      : gang_(gang), number_(number), life_(life), newcomer_(newcomer) {}

  bool newcomer() const override { return newcomer_; }
  Result<std::vector<SharedPart>> Share(SharedPart) override {
    return Status::Invalid("rows are shared already");
  }
  bool changing() const override { return gang_.changing(); }
  Result<Communicator*> Enter(const Status&) override {
    life_ = life();
    mortal_.reset();
    ranks_.reset();
    while (true) {
      PT_LET(auto seat, gang_.Next(number_));
      if (!seat) return nullptr;
      auto ranks = MakeSharedCommunicator(seat->rank, std::move(seat->peers), {});
      if (!ranks.ok()) continue;
      ranks_ = *std::move(ranks);
      mortal_ = std::make_unique<MortalRanks>(*ranks_, life_);
      return mortal_.get();
    }
  }
  void Settled(int64_t) override {}
  // How many calls are left; negative: it is dead.
  int life() const { return mortal_ ? mortal_->life() : life_; }

 private:
  ThreadGang& gang_;
  const int number_;
  int life_;
  const bool newcomer_;
  std::unique_ptr<Communicator> ranks_;
  std::unique_ptr<MortalRanks> mortal_;
};

// A training, and who dies when.
struct ElasticWorld {
  static constexpr int kForEver = 1 << 30;

  BoostSpec spec;
  std::vector<int> lives;  // Of each member, in collective calls.
  int newcomers = 0;       // The last of them, who are let in after the first round.
  int32_t shards = 5;

  struct Outcome {
    std::vector<BoostOutcome> results;  // Those with weights.
    std::vector<Status> failures;       // Of members that did not die.
    int deaths = 0;
    int calls = 0;            // The most that a member has made.
    std::vector<int> worlds;  // Of the generations.
  };

  Outcome Train(const TreeTable& table) const;

 private:
  // The rows of a training, held by nobody.
  struct Rows {
    RowSchema schema;
    std::vector<ShardIdentity> identity;
    UniqueFd file;
    Result<std::unique_ptr<ShardedRows>> Open() const {
      UniqueFd own(dup(file.get()));
      std::vector<SharedFile> files;
      files.push_back({std::move(own), false, {0, int32_t(identity.size())}});
      return OpenSharedRows(schema, identity, std::move(files), {});
    }
  };
  Result<Rows> Pack(const TreeTable& table, const RowSchema& schema, bool held_out) const {
    const bool classes = OfClasses(spec.target.kind);
    std::vector<size_t> some;
    for (size_t i = 0; i < table.rows(); ++i) {
      if ((i % 4 == 0) == held_out) some.push_back(i);
    }
    const auto batch = BatchOf(table, some, classes);
    PT_LET(auto packer, Packer::Make(schema, batch->schema(), {}, Refusal::kWhenSharded));
    PT_TRY(packer->Append(*batch));
    const auto self = MakeSelfCommunicator();
    PT_LET(auto rows, ShardRows(std::move(packer), ShardOwners(shards, 1), *self));
    PT_LET(SharedFile file, ShareRows(*rows));
    return Rows{schema, rows->identity(), std::move(file.file)};
  }
};

inline ElasticWorld::Outcome ElasticWorld::Train(const TreeTable& table) const {
  static std::atomic<int> count = 0;
  BoostSpec own = spec;
  own.columns = table.columns;
  own.folder = std::filesystem::temp_directory_path() /
               ("elastic-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  const RowSchema schema = RowsOf(table, OfClasses(spec.target.kind));
  const Rows learn = Pack(table, schema, false).ValueOrDie();
  const Rows check = Pack(table, WithOwnLabels(schema), true).ValueOrDie();
  Outcome out;
  std::mutex mutex;
  ThreadGang gang(int(lives.size()), newcomers);
  std::vector<std::jthread> members;
  const auto live = [&](int number) {
    const int life = lives[size_t(number)];
    const bool newcomer = number >= int(lives.size()) - newcomers;
    int left = life;
    const auto train = [&]() -> Result<BoostOutcome> {
      ThreadMember member(gang, number, life, newcomer);
      PT_LET(const auto rows, learn.Open());
      PT_LET(const auto validation, check.Open());
      Communicator* first = nullptr;
      if (!newcomer) {
        PT_LET(first, member.Enter(Status::OK()));
      }
      auto trained = Boost(own, {.rows = *rows,
                                 .validation = validation.get(),
                                 .communicator = first,
                                 .membership = &member});
      left = member.life();
      return trained;
    };
    Result<BoostOutcome> trained = train();
    const bool died = left < 0, result = trained.ok() && !trained->weights.empty();
    const Status parted = gang.Left(number, result);
    const std::lock_guard lock(mutex);
    out.deaths += died ? 1 : 0;
    out.calls = std::max(out.calls, life - left);
    if (!died && !trained.ok()) out.failures.push_back(trained.status());
    if (!parted.ok()) out.failures.push_back(parted);
    if (result) out.results.push_back(*std::move(trained));
  };
  for (int m = 0; m < int(lives.size()); ++m) members.emplace_back(live, m);
  members.clear();
  out.worlds = gang.worlds();
  std::error_code ignored;
  std::filesystem::remove_all(own.folder, ignored);
  return out;
}

}  // namespace protium
