// SPDX-License-Identifier: Apache-2.0
#include "pool/arbiter_witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace protium {
namespace {

constexpr double kTiny = 1e-6;

using Three = std::array<double, 3>;

Three Sum(const Three& a, const Three& b, double sign = 1) {
  return {a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2]};
}

bool Enough(const Three& need, const Three& room) {
  for (size_t i = 0; i < 3; ++i) {
    if (need[i] > 0 && need[i] > room[i]) return false;
  }
  return true;
}

// Whether `taken` leaves too little of `room` for `need` in something that both take.
bool Crowds(const Three& taken, const Three& need, const Three& room) {
  for (size_t i = 0; i < 3; ++i) {
    if (taken[i] > 0 && need[i] > 0 && room[i] - taken[i] < need[i]) return true;
  }
  return false;
}

}  // namespace

void ArbiterWitness::Break(const std::string& rule) {
  if (!broken_.empty()) return;
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(now_.time_since_epoch());
  broken_ = fmt::format("at {} ms: {}", at.count(), rule);
}

void ArbiterWitness::Asks(int64_t claim, const Claim& wish, Time now) {
  Book& book = books_[claim];
  book.wish = wish;
  if (book.age == 0) book.age = ++newest_;
  book.waits = true;
  book.waits_since = now;
  book.why.clear();
}

void ArbiterWitness::GivesBack(int64_t claim, const std::vector<PoolSeat>& seats, Time now) {
  Book& book = books_.at(claim);
  for (const PoolSeat& seat : seats) {
    book.seats.erase(std::ranges::find(book.seats, seat.devices, &PoolSeat::devices));
  }
  book.offered = 0;
  if (book.asked_for < 0 || book.workers() > book.asked_for) return;
  book.rests_until = now + machine_.rest;
  book.paused = book.workers() == 0;
  book.asked_for = -1;
}

void ArbiterWitness::Gone(int64_t program) {
  std::erase_if(books_, [&](const auto& each) { return each.second.wish.program == program; });
}

void ArbiterWitness::Adopts(int64_t claim, const Claim& wish, const std::vector<PoolSeat>& seats) {
  books_[claim] = {.wish = wish, .seats = seats, .age = ++newest_};
}

Three ArbiterWitness::Takes(const Claim& wish, int32_t workers) const {
  const Amount& one = wish.per_worker;
  const double cores = double(one.cores) * workers;
  return {wish.shares_cores ? std::min(cores, double(machine_.cores)) : cores,
          machine_.bytes > 0 ? double(one.bytes) * workers : 0, double(one.devices) * workers};
}

Three ArbiterWitness::FreeNow() const {
  Three free = {double(machine_.cores), double(machine_.bytes), 0};
  std::set<std::string> held;
  for (const auto& [number, book] : books_) {
    free = Sum(free, Takes(book.wish, book.workers()), -1);
    for (const PoolSeat& seat : book.seats) held.insert(seat.devices.begin(), seat.devices.end());
  }
  free[2] = double(machine_.devices.size()) - double(held.size());
  return free;
}

int32_t ArbiterWitness::Planned(const Book& book) const {
  return book.asked_for >= 0 && Counted(book) ? book.asked_for : book.workers();
}

double ArbiterWitness::Share(const Book& book, bool alone) const {
  return Share(book, alone, [this](const Book& each) { return Planned(each); });
}

double ArbiterWitness::Share(const Book& book, bool alone, const Count& count) const {
  Three used = {};
  for (const auto& [number, other] : books_) {
    const bool counts = alone ? &other == &book : other.wish.program == book.wish.program;
    if (counts) used = Sum(used, Takes(other.wish, count(other)));
  }
  double share = used[0] / machine_.cores;
  if (machine_.bytes > 0) share = std::max(share, used[1] / double(machine_.bytes));
  if (!machine_.devices.empty()) share = std::max(share, used[2] / double(machine_.devices.size()));
  return share / book.wish.weight;
}

Three ArbiterWitness::Quota(const std::string& label) const {
  const Amount quota = machine_.quotas.at(label);
  const double bytes = quota.bytes > 0
                           ? double(quota.bytes)
                           : double(machine_.bytes) * double(quota.cores) / machine_.cores;
  return {double(quota.cores), std::floor(bytes), double(quota.devices)};
}

// What is left of a label's quota after its claims of no lower priority than `of`, the highest and
// oldest first; and in `covered`, how many workers of `of` it covers.
Three ArbiterWitness::QuotaLeft(const Book& of, int32_t& covered) const {
  Three left = Quota(of.wish.label);
  covered = 0;
  std::map<std::pair<int32_t, int64_t>, const Book*> ordered;
  for (const auto& [number, book] : books_) {
    const bool counts = book.wish.label == of.wish.label && book.wish.priority >= of.wish.priority;
    if (counts) ordered[{-book.wish.priority, book.age}] = &book;
  }
  for (const auto& [order, book] : ordered) {
    for (int32_t n = Planned(*book); n >= book->wish.min; --n) {
      if (!Enough(Takes(book->wish, n), left)) continue;
      left = Sum(left, Takes(book->wish, n), -1);
      if (book == &of) covered = n;
      break;
    }
  }
  return left;
}

// Whether `more` workers for it are within the quota of its label.
bool ArbiterWitness::Within(const Book& book, int32_t more) const {
  if (!HasQuota(book)) return false;
  const Three needed =
      Sum(Takes(book.wish, Planned(book) + more), Takes(book.wish, Planned(book)), -1);
  int32_t covered = 0;
  const Three left = QuotaLeft(book, covered);
  return covered == Planned(book) && Enough(needed, left);
}

// Whether, of two that wait, `a` goes before `b` however this event's orders are counted.
bool ArbiterWitness::SurelyBefore(const Book& a, const Book& b) const {
  // What a quota leaves changes with every order.
  if (!machine_.quotas.empty() && !touched_.empty()) return false;
  const bool a_within = Within(a, a.wish.min), b_within = Within(b, b.wish.min);
  if (a_within != b_within) return a_within;
  if (a.wish.priority != b.wish.priority) return a.wish.priority > b.wish.priority;
  if (touched_.contains(a.wish.program) || touched_.contains(b.wish.program)) return false;
  // What is on its way to another claim of a's program counts as its share.
  const bool another = std::ranges::any_of(books_, [&](const auto& each) {
    return &each.second != &a && each.second.waits && each.second.wish.program == a.wish.program;
  });
  if (another) return false;
  const double a_share = Share(a, false), b_share = Share(b, false);
  if (std::abs(a_share - b_share) > kTiny) return a_share < b_share;
  return a.waits && b.waits && a.age < b.age;
}

void ArbiterWitness::Saw(const std::vector<ArbiterOrder>& orders, Time now) {
  now_ = now;
  touched_.clear();
  for (auto& [number, book] : books_) {
    book.planned_before = book.planned_after = Planned(book);
  }
  for (const ArbiterOrder& order : orders) {
    using Kind = ArbiterOrder::Kind;
    const bool back = order.kind == Kind::kShrink || order.kind == Kind::kPause;
    if (back && books_.contains(order.claim)) books_[order.claim].planned_after = order.workers;
  }
  for (const ArbiterOrder& order : orders) {
    const auto found = books_.find(order.claim);
    if (found == books_.end()) return Break("an order for a claim that is gone");
    Book& book = found->second;
    using Kind = ArbiterOrder::Kind;
    if (order.kind == Kind::kGrant) {
      Granted(order, book);
    } else if (order.kind == Kind::kShrink || order.kind == Kind::kPause) {
      AskedBack(order, book);
    } else if (order.kind == Kind::kWait) {
      if (!book.waits || order.why == book.why) Break("it is told again why it waits");
      book.why = order.why;
    } else if (order.kind == Kind::kOffer) {
      if (order.workers <= book.workers() || order.workers > book.wish.max) {
        Break(fmt::format("an offer of {} to one that has {}", order.workers, book.workers()));
      }
      CheckGrowth(book, order.workers - book.workers());
      book.offered = order.workers;
    } else {
      const Three all = {double(machine_.cores), double(machine_.bytes),
                         double(machine_.devices.size())};
      if (Enough(Takes(book.wish, book.wish.min), all)) Break("it is refused although it fits");
      books_.erase(found);
    }
  }
  for (auto& [number, book] : books_) book.grows = false;
  CheckNeeded();
  CheckWaits();
}

void ArbiterWitness::Granted(const ArbiterOrder& order, Book& book) {
  const auto count = int32_t(order.seats.size());
  if (pressed_) Break("a grant while memory is short");
  if (book.workers() + count > book.wish.max) Break("more seats than it wants");
  CheckSeats(order, book);
  if (book.waits) {
    if (count < book.wish.min) Break("a gang is granted in part");
    CheckPassed(book, order.claim, count);
  } else {
    if (!book.grows || count != 1) Break("seats that nobody asked for");
    CheckGrowth(book, count);
  }
  book.waits = false;
  book.grows = false;
  book.why.clear();
  if (std::exchange(book.paused, false)) book.rests_until = now_ + machine_.rest;
  book.seats.insert(book.seats.end(), order.seats.begin(), order.seats.end());
  touched_.insert(book.wish.program);
}

void ArbiterWitness::CheckSeats(const ArbiterOrder& order, const Book& book) {
  if (!Enough(Takes(book.wish, int32_t(order.seats.size())), FreeNow())) {
    const Three free = FreeNow();
    const Three now = Sum(Takes(book.wish, book.workers() + int32_t(order.seats.size())),
                          Takes(book.wish, book.workers()), -1);
    if (!Enough(now, free)) Break("more is granted than there is");
  }
  std::set<std::string> taken;
  for (const auto& [number, other] : books_) {
    for (const PoolSeat& seat : other.seats) taken.insert(seat.devices.begin(), seat.devices.end());
  }
  for (const PoolSeat& seat : order.seats) {
    if (int64_t(seat.devices.size()) != book.wish.per_worker.devices) Break("devices are missing");
    for (const std::string& device : seat.devices) {
      if (!taken.insert(device).second) Break(device + " is given out twice");
      if (std::ranges::count(machine_.devices, device) == 0) Break("a device that is not there");
    }
  }
}

// Nobody that goes first and has waited for `patience` lacks what this one gets.
void ArbiterWitness::CheckPassed(const Book& book, int64_t number, int32_t workers) {
  const Three taken = Takes(book.wish, workers), free = FreeNow();
  for (const auto& [other_number, other] : books_) {
    if (other_number == number || !other.waits) continue;
    const Three need = Takes(other.wish, other.wish.min);
    if (!Crowds(taken, need, free) || !SurelyBefore(other, book)) continue;
    Three left = free;  // After all that may be kept for others.
    for (const auto& [third_number, third] : books_) {
      if (!third.waits || third_number == number || third_number == other_number) continue;
      left = Sum(left, Takes(third.wish, third.wish.min), -1);
    }
    if (Enough(need, left)) Break(fmt::format("{} passes {}, which fits", number, other_number));
    if (now_ >= other.waits_since + machine_.patience) {
      Break(fmt::format("{} passes {}, which has lost patience", number, other_number));
    }
  }
}

// Nobody waits for what a gang grows by.
void ArbiterWitness::CheckGrowth(const Book& book, int32_t workers) {
  const Three free = FreeNow();
  const Three taken =
      Sum(Takes(book.wish, book.workers() + workers), Takes(book.wish, book.workers()), -1);
  if (!Enough(taken, free)) Break("an offer of more than there is");
  for (const auto& [number, other] : books_) {
    if (other.waits && Crowds(taken, Takes(other.wish, other.wish.min), free)) {
      Break(fmt::format("a gang grows while {} waits for that", number));
    }
  }
}

void ArbiterWitness::AskedBack(const ArbiterOrder& order, Book& book) {
  const bool pause = order.kind == ArbiterOrder::Kind::kPause;
  const int32_t left = pause ? 0 : order.workers;
  if (pause && !book.wish.pauses) Break("a gang that cannot pause is asked to");
  if (!pause && left < book.wish.min) Break("a gang shall shrink below its least size");
  if (left >= (book.asked_for >= 0 ? book.asked_for : book.workers())) {
    Break("it is asked again for what it was asked for");
  }
  if (now_ < book.rests_until) Break("it has just yielded and is asked again");
  if (!MayAsk(book, order.claim, left)) Break(fmt::format("{} yields for nobody", order.claim));
  book.asked_for = left;
  book.asked_at = now_;
  book.offered = 0;
  touched_.insert(book.wish.program);
}

bool ArbiterWitness::MayAsk(const Book& giver, int64_t number, int32_t left) const {
  return std::ranges::any_of(books_, [&](const auto& each) {
    return each.first != number && MayTake(giver, each.second, left);
  });
}

bool ArbiterWitness::MayTake(const Book& giver, const Book& taker, int32_t left) const {
  const bool pause = left == 0;
  const bool grows = !taker.waits && taker.workers() > 0 && taker.workers() < taker.wish.max;
  if (!taker.waits && (pause || !grows)) return false;
  const bool other = giver.wish.label != taker.wish.label;
  // Of what is within a quota, nothing goes to others.
  if (HasQuota(giver) && (other || (pause && !Within(taker, taker.wish.min)))) {
    int32_t covered = 0;
    QuotaLeft(giver, covered);
    if (left < covered) return false;
  }
  if (taker.wish.priority > giver.wish.priority) return true;
  if (other && Within(taker, taker.waits ? taker.wish.min : 1)) return true;
  if (pause || taker.wish.priority < giver.wish.priority) return false;
  if (taker.waits && now_ >= taker.waits_since + machine_.patience) return true;
  const bool alone = giver.wish.program == taker.wish.program;
  // Orders of one event are decided together: at the most that its program has meanwhile, and what
  // others of it are about to get, against the least of the taker's.
  const double left_share = Share(giver, alone, [&](const Book& each) {
    if (&each == &giver) return left;
    return each.waits ? each.wish.min : std::max(each.planned_before, each.workers());
  });
  return left_share + kTiny >= Share(taker, alone, [&](const Book& each) {
           if (&each != &taker) return each.planned_after;
           return taker.waits ? taker.wish.min : taker.workers() + 1;
         });
}

// What this one could certainly give, in addition to what it was asked for.
Three ArbiterWitness::CouldGive(const Book& giver, const Book& taker) const {
  const bool asked = giver.asked_for >= 0;
  if (now_ < giver.rests_until || giver.asked_for == 0 || (asked && !Counted(giver))) return {};
  const bool other = giver.wish.label != taker.wish.label;
  if (HasQuota(giver)) return {};
  const bool over =
      taker.wish.priority > giver.wish.priority || (other && Within(taker, taker.wish.min));
  const bool overdue =
      taker.wish.priority == giver.wish.priority && now_ >= taker.waits_since + machine_.patience;
  int32_t left = Planned(giver);
  if (over || overdue) left = std::min(left, giver.wish.min);
  if (over && giver.wish.pauses) left = 0;
  return Sum(Takes(giver.wish, Planned(giver)), Takes(giver.wish, left), -1);
}

// Nobody yields who need not: checked where it is plain, with gangs that wait alone, of higher
// priority than all that yield.
void ArbiterWitness::CheckNeeded() {
  Three room = FreeNow(), need = {};
  int32_t least = INT32_MAX;  // Of the priorities that wait.
  for (const auto& [number, book] : books_) {
    room = Sum(room, Sum(Takes(book.wish, book.workers()), Takes(book.wish, Planned(book)), -1));
    const bool may_grow = book.workers() < book.wish.max && book.asked_for < 0;
    if (book.waits ? book.wish.max > book.wish.min : book.workers() > 0 && may_grow) return;
    if (!book.waits) continue;
    need = Sum(need, Takes(book.wish, book.wish.min));
    least = std::min(least, book.wish.priority);
  }
  const auto asked = [](const Book& book) { return book.planned_after < book.planned_before; };
  const bool plain = machine_.quotas.empty() && std::ranges::all_of(books_, [&](const auto& each) {
                       return !asked(each.second) || each.second.wish.priority < least;
                     });
  for (const auto& [number, book] : books_) {
    if (!plain || !asked(book)) continue;
    const int32_t more = book.planned_after == 0 ? book.planned_before : book.planned_after + 1;
    const Three freed = Sum(Takes(book.wish, more), Takes(book.wish, book.planned_after), -1);
    if (Enough(need, Sum(room, freed, -1))) Break(fmt::format("{} need not yield", number));
  }
}

// Nobody waits for what is there, or for what others would give if they were asked.
void ArbiterWitness::CheckWaits() {
  if (pressed_ || !broken_.empty()) return;
  for (const auto& [number, book] : books_) {
    if (!book.waits) continue;
    if (book.why.empty()) Break(fmt::format("{} does not know why it waits", number));
    bool first = true;
    for (const auto& [other_number, other] : books_) {
      if (!other.waits || other_number == number) continue;
      first = first && SurelyBefore(book, other);
    }
    if (!first) continue;
    const Three need = Takes(book.wish, book.wish.min), free = FreeNow();
    if (Enough(need, free)) Break(fmt::format("{} waits although it fits", number));
    Three room = free, more = {};
    for (const auto& [other_number, other] : books_) {
      room = Sum(room, Takes(other.wish, other.workers()));
      room = Sum(room, Takes(other.wish, Planned(other)), -1);
      more = Sum(more, CouldGive(other, book));
    }
    if (!Enough(need, room) && Enough(need, Sum(room, more))) {
      Break(fmt::format("{} waits, and nobody is asked to yield", number));
    }
  }
}

void ArbiterWitness::Compare(const std::vector<ClaimState>& claims, const Amount& free) {
  const Three here = FreeNow();
  if (here != Three{double(free.cores), double(free.bytes), double(free.devices)}) {
    Break("free and held are not the machine");
  }
  if (claims.size() != books_.size()) Break("other claims than were made");
  for (const ClaimState& each : claims) {
    const auto found = books_.find(each.claim);
    if (found == books_.end()) return Break("a claim that is gone");
    const Book& book = found->second;
    if (each.workers != book.workers()) Break("it holds another number of seats");
    if (each.waits != book.waits) Break("it waits without knowing, or the other way round");
    if (each.waits && each.workers > 0) Break("it waits and holds seats");
  }
}

void ArbiterWitness::CheckEqual() {
  for (const auto& [giver_number, giver] : books_) {
    for (const auto& [taker_number, taker] : books_) {
      const bool moves = giver.workers() > giver.wish.min && taker.workers() < taker.wish.max;
      if (giver_number == taker_number || !moves || taker.workers() == 0) continue;
      if (giver.wish.priority != taker.wish.priority) continue;
      const bool alone = giver.wish.program == taker.wish.program;
      const auto moved = [&](const Book& each) {
        return each.workers() + (&each == &taker) - (&each == &giver);
      };
      if (Share(giver, alone, moved) > Share(taker, alone, moved) + kTiny) {
        Break(fmt::format("{} has more than its share, {} less", giver_number, taker_number));
      }
    }
  }
}

}  // namespace protium
