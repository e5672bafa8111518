// SPDX-License-Identifier: Apache-2.0
// One decision: how many workers each claim is to have. It starts from what claims hold and from
// what they were asked to give back, and changes nothing but itself.
//
// 1. `free` is what nobody holds, `room` is that and what is on its way back; both less what was
//    planned. They are overdrawn on purpose: a claim for which something is kept takes its need out
//    of both, so later claims find too little of exactly that.
// 2. Seats are asked back only if they are enough for the claim that waits: half of a gang's room
//    helps nobody.
// 3. A worker moves between elastic claims only if the one that gives still has at least the share
//    of the one that takes. So moves end, and none is taken back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pool/shares.h"

namespace protium {

class SeatPlan {
 public:
  enum class Verdict {
    kHolds,    // It has its seats already, or is paused.
    kPassed,   // It does not fit; others may pass it.
    kKept,     // Likewise, but for longer than `patience`: what it needs is kept for it.
    kComing,   // What it needs is on its way back, and kept for it.
    kGranted,  // It fits.
  };
  struct Line {
    int32_t workers = 0;  // To have.
    Verdict verdict = Verdict::kHolds;
    int32_t more = 0;  // How many more it may take right now.
    std::optional<size_t> yields_to;
  };

  // Plans for `claims`, the oldest first; both must outlive it.
  SeatPlan(const PoolMachine& machine, const std::vector<KnownClaim>& claims, const Amount& free,
           Clock::time_point now);

  // Gives room to claims that wait, in their order, and asks others to yield to them.
  void Serve();
  // Shares out what nobody waits for, and makes elastic claims yield until shares are equal.
  void Enlarge();

  const Line& line(size_t claim) const { return lines_[claim]; }
  // The claims that wait, in the order in which they are served.
  const std::vector<size_t>& order() const { return order_; }

 private:
  // What a claim lacks room for.
  struct Want {
    size_t claim = 0;
    Amount need;
    bool grows = false;     // It has its least number already: for more nobody pauses.
    bool overdue = false;   // It has waited for `patience`.
    bool entitled = false;  // It stays within its quota.
  };

  struct Cover {
    Amount used;
    int32_t workers = 0;  // Of the claim.
  };

  bool CountsOn(const KnownClaim& one) const { return now_ < one.asked_at + machine_.rest; }
  Want WantOf(size_t claim, int32_t workers) const;
  // Whether `a` goes first.
  bool Before(const Want& a, const Want& b) const;
  bool MayGrow(size_t claim) const;
  // What the quota of a claim's label covers of its claims of this priority and higher ones; the
  // highest first, then the oldest.
  Cover CoverOf(size_t claim, const Amount& quota) const;
  // The weighted share of a program's claims, or for two claims of one program of each alone.
  double Share(size_t claim, const Amount& change, bool alone) const;
  // How many workers `claim` must be left with if it makes room for `want`; nullopt: it may not be
  // asked for this.
  std::optional<int32_t> FewerFor(const Want& want, size_t claim, bool pause) const;
  // Whether the rules let `want` leave `claim` with so many workers.
  bool MayTake(const Want& want, size_t claim, int32_t fewer) const;
  std::optional<size_t> GiverFor(const Want& want, bool pause) const;
  bool MakeRoom(const Want& want);
  void ReturnSpare(const Want& want, const std::vector<size_t>& asked,
                   const std::vector<Line>& before);
  void SetWorkers(size_t claim, int32_t workers);
  // Leaves `claim` with so many, and what the others took is room.
  void Return(size_t claim, int32_t workers);
  void Take(const Amount& need);

  const PoolMachine& machine_;
  const std::vector<KnownClaim>& claims_;
  const Amount whole_;
  const Clock::time_point now_;
  Amount free_, room_;
  std::vector<Line> lines_;
  std::vector<size_t> program_of_;  // By claim: an index of used_by_.
  std::vector<Amount> used_by_;     // By program, as planned.
  std::vector<size_t> order_;
};

}  // namespace protium
