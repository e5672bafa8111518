// SPDX-License-Identifier: Apache-2.0
// Watches an arbiter from outside, for tests: hears every event and every order, keeps its own
// books and checks the rules in arbiter.h by its own reckoning.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pool/arbiter.h"

namespace protium {

class ArbiterWitness {
 public:
  using Time = Clock::time_point;
  struct Book {
    Claim wish;
    std::vector<PoolSeat> seats;
    int64_t age = 0;  // Grows with every new claim.
    bool waits = false;
    Time waits_since;
    int32_t asked_for = -1;  // Workers that it was asked to shrink to, and has not; -1: none.
    Time asked_at;
    bool paused = false;
    Time rests_until = Time::min();
    int32_t offered = 0;
    bool grows = false;  // It has just asked for one more.
    std::string why;
    int32_t planned_before = 0;  // Workers that it is to keep before and after this event's orders.
    int32_t planned_after = 0;
    int32_t workers() const { return int32_t(seats.size()); }
  };

  explicit ArbiterWitness(const PoolMachine& machine) : machine_(machine) {}

  // Events, reported before the arbiter hears of them.
  void Asks(int64_t claim, const Claim& wish, Time now);
  void Grows(int64_t claim) { books_[claim].grows = true; }
  void GivesBack(int64_t claim, const std::vector<PoolSeat>& seats, Time now);
  void Ends(int64_t claim) { books_.erase(claim); }
  void Gone(int64_t program);
  void Adopts(int64_t claim, const Claim& wish, const std::vector<PoolSeat>& seats);
  void Presses(bool short_of_memory) { pressed_ = short_of_memory; }
  void Restarts() { books_.clear(); }

  // Checks all orders of one event, and what is true after them.
  void Saw(const std::vector<ArbiterOrder>& orders, Time now);
  void Compare(const std::vector<ClaimState>& claims, const Amount& free);
  // Nothing has happened for a long time: shares must be as equal as workers allow.
  void CheckEqual();

  const std::map<int64_t, Book>& books() const { return books_; }
  const std::string& broken() const { return broken_; }  // The first broken rule; empty: none.

 private:
  using Three = std::array<double, 3>;

  void Break(const std::string& rule);
  Three Takes(const Claim& wish, int32_t workers) const;
  Three FreeNow() const;
  int32_t Planned(const Book& book) const;
  bool Counted(const Book& book) const { return now_ < book.asked_at + machine_.rest; }
  using Count = std::function<int32_t(const Book&)>;
  // The weighted share of its program, or of it alone, with so many workers each.
  double Share(const Book& book, bool alone, const Count& count) const;
  double Share(const Book& book, bool alone) const;
  Three QuotaLeft(const Book& of, int32_t& covered) const;
  bool HasQuota(const Book& book) const { return machine_.quotas.count(book.wish.label) > 0; }
  Three Quota(const std::string& label) const;
  bool Within(const Book& book, int32_t more) const;
  bool SurelyBefore(const Book& a, const Book& b) const;
  void Granted(const ArbiterOrder& order, Book& book);
  void CheckSeats(const ArbiterOrder& order, const Book& book);
  void CheckPassed(const Book& book, int64_t number, int32_t workers);
  void CheckGrowth(const Book& book, int32_t workers);
  void AskedBack(const ArbiterOrder& order, Book& book);
  bool MayAsk(const Book& giver, int64_t giver_number, int32_t left) const;
  bool MayTake(const Book& giver, const Book& taker, int32_t left) const;
  void CheckNeeded();
  void CheckWaits();
  Three CouldGive(const Book& giver, const Book& taker) const;

  const PoolMachine machine_;
  std::map<int64_t, Book> books_;
  bool pressed_ = false;
  int64_t newest_ = 0;
  Time now_;
  std::set<int64_t> touched_;  // Programs with orders of this event.
  std::string broken_;
};

}  // namespace protium
