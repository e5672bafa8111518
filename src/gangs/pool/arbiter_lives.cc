// SPDX-License-Identifier: Apache-2.0
#include "pool/arbiter_lives.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "pool/arbiter.h"
#include "pool/arbiter_witness.h"
#include "pool/handover.h"

namespace protium {
namespace {

using Planted = PlantedInArbiter;
using Time = int64_t;  // Milliseconds.
constexpr Time kSecond = 1000;
// A day is over by then, whatever happens in it: gangs work for 100 s at most.
constexpr Time kBound = 3600 * kSecond;

Clock::time_point Moment(Time time) { return Clock::time_point(std::chrono::milliseconds(time)); }

// An arbiter with a mistake.
class Mistaken {
 public:
  Mistaken(const PoolMachine& machine, Planted planted)
      : planted_(planted), machine_(Machine(machine, planted)), arbiter_(machine_) {}
  // As if another had left `known`.
  Mistaken(const PoolMachine& machine, Planted planted, const Json& known)
      : planted_(planted),
        machine_(Machine(machine, planted)),
        arbiter_(machine_, Handed(known, planted)) {}

  Json Known() const { return ClaimsToHandOver(arbiter_.known()); }

  void Ask(int64_t claim, Claim wish, Time now) {
    arbiter_.Ask(claim, Wish(std::move(wish), claim), Moment(now));
  }
  void Grow(int64_t claim, Time now) { arbiter_.Grow(claim, Moment(now)); }
  void GiveBack(int64_t claim, const std::vector<PoolSeat>& seats, Time now) {
    if (planted_ != Planted::kForgetsGivenBack) arbiter_.GiveBack(claim, seats, Moment(now));
  }
  void End(int64_t claim, Time now) { arbiter_.End(claim, Moment(now)); }
  void Gone(int64_t program, Time now) {
    if (planted_ != Planted::kForgetsGone) arbiter_.Gone(program, Moment(now));
  }
  void Adopt(int64_t claim, Claim wish, std::vector<PoolSeat> seats, Time now) {
    if (planted_ == Planted::kForgetsAdopted) return;
    arbiter_.Adopt(claim, Wish(std::move(wish), claim), std::move(seats), Moment(now));
  }
  void Press(bool short_of_memory, Time now) {
    if (planted_ != Planted::kIgnoresPressure)
      arbiter_.Hold(short_of_memory ? "memory is less short" : "", Moment(now));
  }
  void Look(Time now) {
    if (planted_ != Planted::kForgetsTime) arbiter_.Look(Moment(now));
  }
  Deadline due() const { return planted_ == Planted::kForgetsTime ? kNever : arbiter_.due(); }
  std::vector<ClaimState> Claims() const { return arbiter_.Claims(); }
  Amount Free() const {
    Amount free = arbiter_.Free();
    if (planted_ == Planted::kCountsOneCoreMore) --free.cores;
    return free;
  }

  std::vector<ArbiterOrder> Orders() {
    using Kind = ArbiterOrder::Kind;
    std::vector<ArbiterOrder> told;
    for (ArbiterOrder& order : arbiter_.Orders()) {
      const bool back = order.kind == Kind::kShrink || order.kind == Kind::kPause;
      if (back && planted_ == Planted::kNeverAsksBack) continue;
      if (planted_ == Planted::kGrantsInPart && order.seats.size() > 1) order.seats.pop_back();
      if (planted_ == Planted::kGivesDeviceTwice) {
        for (PoolSeat& seat : order.seats) {
          for (std::string& device : seat.devices) device = "gpu 0";
        }
      }
      const bool twice = order.kind == Kind::kWait && planted_ == Planted::kRepeatsItself;
      told.push_back(order);
      if (twice) told.push_back(order);
    }
    return told;
  }

 private:
  static PoolMachine Machine(PoolMachine machine, Planted planted) {
    if (planted == Planted::kCountsOneCoreMore) ++machine.cores;
    if (planted == Planted::kIgnoresQuotas) machine.quotas.clear();
    if (planted == Planted::kLetsPassForEver) machine.patience = std::chrono::hours(1000);
    if (planted == Planted::kLosesPatienceAtOnce) machine.patience = {};
    if (planted == Planted::kAsksTheSameAgain) machine.rest = std::chrono::milliseconds(1);
    return machine;
  }
  static std::vector<KnownClaim> Handed(const Json& known, Planted planted) {
    auto claims = HandedClaims(known).ValueOrDie();
    if (planted != Planted::kForgetsHandedOver) return claims;
    std::erase_if(claims, [](const KnownClaim& each) { return each.workers() > 0; });
    return claims;
  }
  Claim Wish(Claim wish, int64_t claim) const {
    if (planted_ == Planted::kIgnoresBytes) wish.per_worker.bytes = 0;
    if (planted_ == Planted::kIgnoresPriority) wish.priority = 0;
    if (planted_ == Planted::kTurnsPriorityRound) wish.priority = -wish.priority;
    if (planted_ == Planted::kIgnoresWeight) wish.weight = 1;
    if (planted_ == Planted::kCountsGangsNotPrograms) wish.program = claim;
    if (planted_ == Planted::kPausesAnyone) wish.pauses = true;
    if (planted_ == Planted::kShrinksTooFar && wish.min > 1) --wish.min;
    if (planted_ == Planted::kRefusesSharers) wish.shares_cores = false;
    return wish;
  }

  const Planted planted_;
  const PoolMachine machine_;
  Arbiter arbiter_;
};

// A gang as its driver sees it.
struct Worker {
  Claim wish;
  Time works = 0;         // How long it still has to work once it has seats.
  Time step = 0;          // How long it takes to yield.
  bool holds_on = false;  // It never yields.
  bool grows = false;     // It takes every offer.
  std::vector<PoolSeat> seats;
  Time since = 0;  // When it was granted.
  bool waits = false;
  bool known = true;  // To the pool.
  int64_t turn = 0;   // Grows with every grant and pause, which cancels plans made before.
};

class Day {
 public:
  Day(uint64_t seed, Planted planted)
      : random_(seed),
        planted_(planted),
        calm_(seed % 8 == 0),
        machine_(DrawMachine()),
        pool_(std::make_unique<Mistaken>(machine_, planted)),
        witness_(machine_) {}

  DayEnd Run() {
    const int64_t gangs = calm_ ? Draw(2, 3) : Draw(2, 7);
    for (int64_t i = 1; i <= gangs; ++i) {
      const Claim wish = calm_ ? CalmWish(i) : DrawWish();
      After(Draw(0, calm_ ? 10 : 90) * kSecond + Draw(0, 999), [this, i, wish] { Come(i, wish); });
    }
    if (calm_) {
      After(140 * kSecond, [this] { witness_.CheckEqual(); });
    } else {
      PlanFaults();
    }
    while (!events_.empty() && end_.broken.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      event.act();
      end_.broken = witness_.broken();
      if (end_.broken.empty() && now_ > kBound) end_.broken = "the day does not end";
    }
    const bool left =
        std::ranges::any_of(gangs_, [](const auto& each) { return each.second.waits; });
    if (end_.broken.empty() && left) end_.broken = "somebody waits for ever";
    return end_;
  }

 private:
  struct Event {
    Time at;
    int64_t order;
    std::function<void()> act;
    bool operator<(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  int64_t Draw(int64_t from, int64_t to) {
    return from + int64_t(random_() % uint64_t(to - from + 1));
  }
  bool Chance(int64_t percent) { return Draw(1, 100) <= percent; }
  void After(Time delay, std::function<void()> act) {
    events_.push({now_ + delay, next_++, std::move(act)});
  }

  PoolMachine DrawMachine() {
    PoolMachine machine = {.cores = int32_t(Draw(2, 6))};
    if (calm_) return machine;
    machine.bytes = Chance(50) ? Draw(4, 12) : 0;
    const int64_t devices = Chance(50) ? Draw(1, 3) : 0;
    for (int64_t i = 0; i < devices; ++i) machine.devices.push_back(fmt::format("gpu {}", i));
    if (Chance(40)) machine.quotas["prod"] = {.cores = Draw(1, machine.cores), .devices = devices};
    if (Chance(10)) machine.quotas["lab"] = {.cores = 1};
    return machine;
  }

  Claim CalmWish(int64_t program) {
    return {.program = program,
            .who = fmt::format("p{}", program),
            .max = int32_t(Draw(2, 6)),
            .per_worker = {.cores = 1},
            .weight = double(Draw(1, 2))};
  }

  Claim DrawWish() {
    Claim wish = {
        .program = Draw(1, 4), .shares_cores = Chance(20), .priority = int32_t(Draw(0, 5))};
    wish.who = fmt::format("p{}", wish.program);
    if (wish.priority > 2) wish.priority = 0;
    wish.weight = wish.program == 4 ? 2 : 1;
    wish.pauses = Chance(80);
    if (Chance(40)) wish.label = Chance(70) ? "prod" : "lab";
    wish.per_worker = {.cores = Draw(0, 4) / 2, .bytes = Draw(0, 2)};
    if (wish.per_worker.cores == 0) wish.per_worker.cores = 1;
    if (!machine_.devices.empty()) wish.per_worker.devices = Draw(0, 1);
    int64_t most = machine_.cores / wish.per_worker.cores;
    if (wish.per_worker.devices > 0) most = std::min(most, int64_t(machine_.devices.size()));
    if (Chance(10)) most = machine_.cores;  // May be more than there is.
    wish.min = int32_t(Chance(40) ? 1 : Draw(1, std::max<int64_t>(most, 1)));
    wish.max = wish.min + int32_t(Chance(60) ? Draw(0, 4) : 0);
    return wish;
  }

  void PlanFaults() {
    if (Chance(40)) After(Draw(0, 120) * kSecond, [this] { KillOne(); });
    if (Chance(25)) After(Draw(0, 120) * kSecond, [this] { Restart(); });
    if (Chance(25)) After(Draw(0, 120) * kSecond, [this] { Upgrade(); });
    if (Chance(25)) {
      const Time at = Draw(0, 90) * kSecond;
      After(at, [this] { Press(true); });
      After(at + Draw(1, 15) * kSecond, [this] { Press(false); });
    }
  }

  // The pool's daemon.
  void Obey() {
    const std::vector<ArbiterOrder> orders = pool_->Orders();
    witness_.Saw(orders, Moment(now_));
    witness_.Compare(pool_->Claims(), pool_->Free());
    for (const ArbiterOrder& order : orders) Hear(order);
    const Deadline due = pool_->due();
    if (due == kNever) return;
    const Time at =
        std::chrono::duration_cast<std::chrono::milliseconds>(due.time_since_epoch()).count();
    if (at == looks_at_) return;
    looks_at_ = at;
    After(std::max<Time>(at - now_, 0), [this] {
      if (now_ == looks_at_) looks_at_ = -1;
      pool_->Look(now_);
      Obey();
    });
  }

  void Press(bool short_of_memory) {
    pressed_ = short_of_memory;
    witness_.Presses(short_of_memory);
    pool_->Press(short_of_memory, now_);
    Obey();
  }

  void Upgrade() {
    ++end_.upgrades;
    pool_ = std::make_unique<Mistaken>(machine_, planted_, pool_->Known());
    looks_at_ = -1;
    pool_->Press(pressed_, now_);
    Obey();
  }

  void Restart() {
    ++end_.restarts;
    pool_ = std::make_unique<Mistaken>(machine_, planted_);
    looks_at_ = -1;
    witness_.Restarts();
    pool_->Press(pressed_, now_);
    for (auto& [number, gang] : gangs_) {
      gang.known = false;
      After(Draw(0, 500), [this, claim = number] { Return(claim); });
    }
  }

  // A driver has found the new pool.
  void Return(int64_t claim) {
    const auto found = gangs_.find(claim);
    if (found == gangs_.end() || found->second.known) return;
    Worker& gang = found->second;
    gang.known = true;
    if (gang.waits) return Ask(claim);
    if (gang.seats.empty()) return;
    witness_.Adopts(claim, gang.wish, gang.seats);
    pool_->Adopt(claim, gang.wish, gang.seats, now_);
    Obey();
  }

  // Drivers.
  void Come(int64_t claim, const Claim& wish) {
    Worker& gang = gangs_[claim];
    gang.wish = wish;
    gang.works = calm_ ? 200 * kSecond : Draw(2, 100) * kSecond;
    gang.step = Chance(90) ? Draw(10, 2000) : Draw(5, 60) * kSecond;
    gang.holds_on = !calm_ && Chance(6);
    gang.grows = calm_ || Chance(75);
    if (calm_) gang.step = Draw(10, 2000);
    gang.known = true;
    Ask(claim);
  }

  void Ask(int64_t claim) {
    Worker& gang = gangs_.at(claim);
    gang.waits = true;
    witness_.Asks(claim, gang.wish, Moment(now_));
    pool_->Ask(claim, gang.wish, now_);
    Obey();
    const auto found = gangs_.find(claim);
    if (found != gangs_.end() && found->second.waits) ++end_.waits;
  }

  void Hear(const ArbiterOrder& order) {
    using Kind = ArbiterOrder::Kind;
    const auto found = gangs_.find(order.claim);
    if (found == gangs_.end()) return;
    Worker& gang = found->second;
    if (order.kind == Kind::kRefuse) {
      gangs_.erase(found);
    } else if (order.kind == Kind::kGrant) {
      Work(order, gang);
    } else if (order.kind == Kind::kShrink) {
      ++end_.shrinks;
      YieldLater(order.claim, gang, order.workers);
    } else if (order.kind == Kind::kPause) {
      ++end_.pauses;
      YieldLater(order.claim, gang, 0);
    } else if (order.kind == Kind::kOffer && gang.grows) {
      After(Draw(0, 200),
            [this, claim = order.claim, workers = order.workers] { Grow(claim, workers); });
    }
  }

  void Work(const ArbiterOrder& order, Worker& gang) {
    ++end_.grants;
    gang.seats.insert(gang.seats.end(), order.seats.begin(), order.seats.end());
    if (!gang.waits) return;
    gang.waits = false;
    gang.since = now_;
    const int64_t turn = ++gang.turn;
    After(gang.works, [this, claim = order.claim, turn] {
      const auto found = gangs_.find(claim);
      if (found != gangs_.end() && found->second.turn == turn) End(claim);
    });
  }

  void Grow(int64_t claim, int32_t workers) {
    for (bool more = true; more;) {
      const auto found = gangs_.find(claim);
      if (found == gangs_.end() || !found->second.known || found->second.seats.empty()) return;
      const size_t before = found->second.seats.size();
      if (int32_t(before) >= workers) return;
      witness_.Grows(claim);
      pool_->Grow(claim, now_);
      Obey();
      const auto after = gangs_.find(claim);
      more = after != gangs_.end() && after->second.seats.size() > before;
      end_.growths += more;
    }
  }

  void YieldLater(int64_t claim, Worker& gang, int32_t workers) {
    if (gang.holds_on) return;
    After(gang.step, [this, claim, workers, turn = gang.turn] {
      const auto found = gangs_.find(claim);
      if (found != gangs_.end() && found->second.turn == turn) Yield(claim, workers);
    });
  }

  void Yield(int64_t claim, int32_t workers) {
    Worker& gang = gangs_.at(claim);
    std::vector<PoolSeat> back;
    while (int32_t(gang.seats.size()) > workers) {
      back.push_back(gang.seats.back());
      gang.seats.pop_back();
    }
    if (back.empty()) return;
    const bool pauses = gang.seats.empty();
    if (pauses) {
      gang.works = std::max<Time>(gang.works - (now_ - gang.since), 10);
      ++gang.turn;
      After(Draw(0, 300), [this, claim] {
        const auto found = gangs_.find(claim);
        if (found != gangs_.end() && found->second.known) return Ask(claim);
        if (found != gangs_.end()) found->second.waits = true;
      });
    }
    if (!gang.known) return;
    witness_.GivesBack(claim, back, Moment(now_));
    pool_->GiveBack(claim, back, now_);
    Obey();
  }

  void End(int64_t claim) {
    const bool known = gangs_.at(claim).known;
    gangs_.erase(claim);
    if (!known) return;
    witness_.Ends(claim);
    pool_->End(claim, now_);
    Obey();
  }

  void KillOne() {
    if (gangs_.empty()) return;
    const int64_t program = gangs_.begin()->second.wish.program;
    ++end_.deaths;
    std::erase_if(gangs_, [&](const auto& each) { return each.second.wish.program == program; });
    witness_.Gone(program);
    pool_->Gone(program, now_);
    Obey();
  }

  std::mt19937_64 random_;
  const Planted planted_;
  const bool calm_;  // Elastic gangs alone, which must come to equal shares.
  const PoolMachine machine_;
  std::unique_ptr<Mistaken> pool_;
  ArbiterWitness witness_;
  Time now_ = 0;
  int64_t next_ = 0;
  Time looks_at_ = -1;
  bool pressed_ = false;
  std::priority_queue<Event> events_;
  std::map<int64_t, Worker> gangs_;
  DayEnd end_;
};

}  // namespace

DayEnd LiveDay(uint64_t seed, PlantedInArbiter planted) { return Day(seed, planted).Run(); }

}  // namespace protium
