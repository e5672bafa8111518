// SPDX-License-Identifier: Apache-2.0
// Compared with giving up what was used longest ago (LRU), on traces.
#include "store/worth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

namespace protium {
namespace {

struct Access {
  std::string name;
  int64_t bytes = 0;
  double seconds = 0;
};

// Seconds that a store of `limit` bytes spends on making what it does not have.
double SecondsByWorth(const std::vector<Access>& trace, int64_t limit) {
  std::map<std::string, Worth> kept;
  double spent = 0, age = 0;
  int64_t used = 0;
  for (const Access& each : trace) {
    const auto found = kept.find(each.name);
    if (found != kept.end()) {
      Worth& at = found->second;
      at.worth = WorthAt(age, at.seconds, ++at.uses, at.bytes);
      continue;
    }
    spent += each.seconds;
    std::vector<Worth> all;
    for (const auto& [name, worth] : kept) all.push_back(worth);
    const GivenUp given = ChooseGivenUp(all, used + each.bytes - limit, age);
    for (const std::string& name : given.names) kept.erase(name);
    used += each.bytes - given.bytes;
    age = given.age;
    kept[each.name] = {each.name, each.bytes, each.seconds, 1,
                       WorthAt(age, each.seconds, 1, each.bytes)};
  }
  return spent;
}

double SecondsByRecency(const std::vector<Access>& trace, int64_t limit) {
  std::list<Access> kept;  // The latest first.
  double spent = 0;
  int64_t used = 0;
  for (const Access& each : trace) {
    const auto found = std::ranges::find(kept, each.name, &Access::name);
    if (found != kept.end()) {
      kept.splice(kept.begin(), kept, found);
      continue;
    }
    spent += each.seconds;
    for (; used + each.bytes > limit; kept.pop_back()) used -= kept.back().bytes;
    kept.push_front(each);
    used += each.bytes;
  }
  return spent;
}

constexpr int64_t kMegabyte = 1 << 20;

TEST(Worth, ALargeScanDoesNotDriveOutWhatIsUsedAgainAndAgain) {
  std::vector<Access> trace;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 8; ++i) trace.push_back({"profile " + std::to_string(i), kMegabyte, 2});
    for (int i = 0; i < 10; ++i) {
      trace.push_back({"scan " + std::to_string(round * 10 + i), 60 * kMegabyte, 3});
    }
  }
  const double scans = 20 * 10 * 3;
  EXPECT_EQ(SecondsByWorth(trace, 100 * kMegabyte), scans + 8 * 2);
  EXPECT_EQ(SecondsByRecency(trace, 100 * kMegabyte), scans + 20 * 8 * 2);
}

TEST(Worth, MixedSizesCostLessTimeThanWithLru) {
  std::mt19937 random(3);
  std::vector<Access> all;
  for (int i = 0; i < 200; ++i) {
    all.push_back({"object " + std::to_string(i), int64_t(1 + random() % 50) * kMegabyte,
                   double(1 + random() % 30)});
  }
  std::vector<Access> trace;
  for (int i = 0; i < 5000; ++i) {
    // A few are asked for often, most of them rarely.
    const double share = double(random()) / double(std::mt19937::max());
    trace.push_back(all[size_t(share * share * share * 199)]);
  }
  EXPECT_LT(SecondsByWorth(trace, 500 * kMegabyte), 0.8 * SecondsByRecency(trace, 500 * kMegabyte));
}

TEST(Worth, WhatIsNotUsedAnyMoreGoesAtLast) {
  std::vector<Access> trace(50, {"dear once", kMegabyte, 10});
  for (int i = 0; i < 3000; ++i) {
    trace.push_back({"today's " + std::to_string(i % 5), 3 * kMegabyte, 5});
    trace.push_back({"passing " + std::to_string(i), 3 * kMegabyte, 1});
  }
  trace.push_back({"dear once", kMegabyte, 10});
  const double without = SecondsByWorth({trace.begin(), trace.end() - 1}, 16 * kMegabyte);
  EXPECT_EQ(SecondsByWorth(trace, 16 * kMegabyte), without + 10);
}

TEST(Worth, TheLeastWorthyGoFirstAndNoMoreThanNeeded) {
  const GivenUp given =
      ChooseGivenUp({{"b", 10, 1, 1, 5}, {"a", 10, 1, 1, 5}, {"c", 10, 1, 1, 1}}, 15, 2);
  EXPECT_EQ(given.names, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(given.bytes, 20);
  EXPECT_EQ(given.age, 5);
  EXPECT_TRUE(ChooseGivenUp({{"a", 10, 1, 1, 5}}, 0, 2).names.empty());
}

}  // namespace
}  // namespace protium
