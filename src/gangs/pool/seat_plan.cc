// SPDX-License-Identifier: Apache-2.0
#include "pool/seat_plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace protium {
namespace {

constexpr double kRounding = 1e-9;  // Shares that differ by less are equal.

}  // namespace

SeatPlan::SeatPlan(const PoolMachine& machine, const std::vector<KnownClaim>& claims,
                   const Amount& free, Clock::time_point now)
    : machine_(machine),
      claims_(claims),
      whole_(WholeOf(machine)),
      now_(now),
      free_(free),
      room_(free),
      lines_(claims.size()),
      program_of_(claims.size()) {
  std::map<int64_t, size_t> known;
  for (size_t i = 0; i < claims.size(); ++i) {
    program_of_[i] = known.emplace(claims[i].wish.program, known.size()).first->second;
  }
  used_by_.resize(known.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    const KnownClaim& one = claims[i];
    if (one.waits) lines_[i].verdict = Verdict::kPassed;
    SetWorkers(i, one.workers());
    if (one.yields() && CountsOn(one)) Return(i, one.asked_for);
  }
}

void SeatPlan::Serve() {
  std::vector<size_t> waiting;
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (claims_[i].waits) waiting.push_back(i);
  }
  while (!waiting.empty()) {
    // Shares change with every claim that is served.
    const auto first = std::ranges::min_element(waiting, [&](size_t a, size_t b) {
      return Before(WantOf(a, claims_[a].wish.min), WantOf(b, claims_[b].wish.min));
    });
    const Want want = WantOf(*first, claims_[*first].wish.min);
    waiting.erase(first);
    order_.push_back(want.claim);
    Line& line = lines_[want.claim];
    if (Fits(want.need, free_)) {
      line.verdict = Verdict::kGranted;
    } else if (Fits(want.need, room_) || MakeRoom(want)) {
      line.verdict = Verdict::kComing;
    } else if (want.overdue) {
      line.verdict = Verdict::kKept;
    } else {
      continue;
    }
    Take(want.need);
    if (line.verdict != Verdict::kKept) SetWorkers(want.claim, claims_[want.claim].wish.min);
  }
}

void SeatPlan::Enlarge() {
  std::vector<size_t> growing;
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (lines_[i].verdict == Verdict::kPassed) Take(WantOf(i, claims_[i].wish.min).need);
    if (MayGrow(i)) growing.push_back(i);
  }
  while (!growing.empty()) {
    const auto first = std::ranges::min_element(growing, [&](size_t a, size_t b) {
      return Before(WantOf(a, lines_[a].workers + 1), WantOf(b, lines_[b].workers + 1));
    });
    const Want want = WantOf(*first, lines_[*first].workers + 1);
    Line& line = lines_[want.claim];
    const bool now = Fits(want.need, free_);
    if (now || Fits(want.need, room_) || MakeRoom(want)) {
      Take(want.need);
      SetWorkers(want.claim, line.workers + 1);
      const KnownClaim& one = claims_[want.claim];
      const int32_t has = one.waits ? one.wish.min : one.workers();
      // One that comes later is not overtaken by those that take nothing, as they share cores.
      const bool next = line.workers == has + line.more + 1;
      if (now && next && line.verdict != Verdict::kComing) ++line.more;
    } else {
      growing.erase(first);
      continue;
    }
    if (line.workers == claims_[want.claim].wish.max) growing.erase(first);
  }
}

bool SeatPlan::MayGrow(size_t claim) const {
  const KnownClaim& one = claims_[claim];
  if (one.sated || lines_[claim].workers >= one.wish.max) return false;
  if (one.waits) return lines_[claim].workers > 0;
  return one.workers() > 0 && !one.yields() && lines_[claim].workers == one.workers();
}

SeatPlan::Want SeatPlan::WantOf(size_t claim, int32_t workers) const {
  const KnownClaim& one = claims_[claim];
  const int32_t planned = lines_[claim].workers;
  Want want = {.claim = claim,
               .need = NeedOf(one.wish, workers, machine_) - NeedOf(one.wish, planned, machine_),
               .grows = planned > 0,
               .overdue = one.waits && now_ >= one.waits_since + machine_.patience};
  if (const auto quota = QuotaOf(machine_, one.wish.label)) {
    const Cover cover = CoverOf(claim, *quota);
    want.entitled = cover.workers == planned && Fits(want.need, *quota - cover.used);
  }
  return want;
}

bool SeatPlan::Before(const Want& a, const Want& b) const {
  const auto rank = [&](const Want& want) {
    return std::tuple(!want.entitled, -int64_t(claims_[want.claim].wish.priority),
                      Share(want.claim, {}, false), Share(want.claim, {}, true), want.claim);
  };
  return rank(a) < rank(b);
}

SeatPlan::Cover SeatPlan::CoverOf(size_t claim, const Amount& quota) const {
  const Claim& own = claims_[claim].wish;
  std::vector<size_t> labelled;
  for (size_t i = 0; i < claims_.size(); ++i) {
    const Claim& wish = claims_[i].wish;
    if (wish.label == own.label && wish.priority >= own.priority) labelled.push_back(i);
  }
  std::ranges::stable_sort(labelled, std::greater(),
                           [&](size_t i) { return claims_[i].wish.priority; });
  Cover cover;
  for (const size_t i : labelled) {
    const Claim& wish = claims_[i].wish;
    int32_t workers = lines_[i].workers;
    while (workers > 0 && !Fits(NeedOf(wish, workers, machine_), quota - cover.used)) --workers;
    if (workers < wish.min) continue;
    cover.used = cover.used + NeedOf(wish, workers, machine_);
    if (i == claim) cover.workers = workers;
  }
  return cover;
}

double SeatPlan::Share(size_t claim, const Amount& change, bool alone) const {
  const Claim& wish = claims_[claim].wish;
  const Amount used =
      alone ? NeedOf(wish, lines_[claim].workers, machine_) : used_by_[program_of_[claim]];
  return DominantShare(used + change, whole_) / wish.weight;
}

std::optional<int32_t> SeatPlan::FewerFor(const Want& want, size_t claim, bool pause) const {
  const KnownClaim& one = claims_[claim];
  const Claim& giver = one.wish;
  const int32_t planned = lines_[claim].workers;
  const bool left_alone = now_ < one.rests_until || one.pausing || (one.yields() && !CountsOn(one));
  if (claim == want.claim || planned == 0 || planned > one.workers() || left_alone) return {};
  if (pause && (!giver.pauses || want.grows)) return {};

  const Amount missing = Missing(want.need, room_);
  const Amount all = NeedOf(giver, planned, machine_);
  // Workers that share cores free none until few are left: what all beyond `min` could give counts.
  if (!Helps(all - NeedOf(giver, pause ? 0 : giver.min, machine_), missing)) return {};
  const int32_t fewer = pause ? 0 : planned - 1;

  return MayTake(want, claim, fewer) ? std::optional(fewer) : std::nullopt;
}

bool SeatPlan::MayTake(const Want& want, size_t claim, int32_t fewer) const {
  const Claim &giver = claims_[claim].wish, &taker = claims_[want.claim].wish;
  const auto quota = QuotaOf(machine_, giver.label);
  const bool other = giver.label != taker.label, pause = fewer == 0;
  if (quota && (other || (pause && !want.entitled)) && fewer < CoverOf(claim, *quota).workers) {
    return false;
  }
  if ((other && want.entitled) || giver.priority < taker.priority) return true;
  if (pause || giver.priority > taker.priority) return false;
  if (want.overdue && !want.grows) return true;
  const bool alone = giver.program == taker.program;
  const Amount less =
      NeedOf(giver, fewer, machine_) - NeedOf(giver, lines_[claim].workers, machine_);
  return Share(claim, less, alone) + kRounding >= Share(want.claim, want.need, alone);
}

std::optional<size_t> SeatPlan::GiverFor(const Want& want, bool pause) const {
  std::optional<size_t> giver;
  // Of the least priority first, then of the largest share, then the youngest.
  const auto rank = [&](size_t i) {
    return std::tuple(claims_[i].wish.priority, -Share(i, {}, false), -int64_t(i));
  };
  for (size_t i = 0; i < claims_.size(); ++i) {
    if (FewerFor(want, i, pause) && (!giver || rank(i) < rank(*giver))) giver = i;
  }
  return giver;
}

// Returns whether others make enough room; if not, nothing is planned.
bool SeatPlan::MakeRoom(const Want& want) {
  const std::vector<Line> before = lines_;
  std::vector<size_t> asked;
  while (!Fits(want.need, room_)) {
    std::optional<size_t> giver = GiverFor(want, false);
    const bool pause = !giver;
    if (pause) giver = GiverFor(want, true);
    if (!giver) {
      for (const size_t each : asked) Return(each, before[each].workers);
      return false;
    }
    Return(*giver, *FewerFor(want, *giver, pause));
    asked.push_back(*giver);
  }
  ReturnSpare(want, asked, before);
  for (const size_t each : asked) {
    if (lines_[each].workers < before[each].workers) lines_[each].yields_to = want.claim;
  }
  return true;
}

// After a pause, seats that were asked back before may not be needed any more, unless it was only
// the pause that made others have the larger share.
void SeatPlan::ReturnSpare(const Want& want, const std::vector<size_t>& asked,
                           const std::vector<Line>& before) {
  const auto may_take = [&](size_t i) {
    return lines_[i].workers == before[i].workers || MayTake(want, i, lines_[i].workers);
  };
  for (auto each = asked.rbegin(); each != asked.rend(); ++each) {
    const int32_t fewer = lines_[*each].workers;
    const int32_t restored =
        fewer > 0 ? std::min(fewer + 1, before[*each].workers) : before[*each].workers;
    Return(*each, restored);
    if (!Fits(want.need, room_) || !std::ranges::all_of(asked, may_take)) {
      Return(*each, fewer);
    }
  }
}

void SeatPlan::SetWorkers(size_t claim, int32_t workers) {
  const Claim& wish = claims_[claim].wish;
  Amount& used = used_by_[program_of_[claim]];
  used = used - NeedOf(wish, lines_[claim].workers, machine_) + NeedOf(wish, workers, machine_);
  lines_[claim].workers = workers;
}

void SeatPlan::Return(size_t claim, int32_t workers) {
  const Claim& wish = claims_[claim].wish;
  room_ = room_ + NeedOf(wish, lines_[claim].workers, machine_) - NeedOf(wish, workers, machine_);
  SetWorkers(claim, workers);
}

void SeatPlan::Take(const Amount& need) {
  free_ = free_ - need;
  room_ = room_ - need;
}

}  // namespace protium
