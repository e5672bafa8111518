// SPDX-License-Identifier: Apache-2.0
#include "tensor/id_places.h"

#include <gtest/gtest.h>

#include <vector>

namespace protium {
namespace {

// -1, 0 and 2^63 among others.
std::shared_ptr<const IdTables> Ids() {
  std::vector<uint64_t> ids;
  for (uint64_t i = 0; i < 500; ++i) ids.push_back(i * i);
  ids.push_back(uint64_t{1} << 63);
  ids.push_back(~uint64_t{0});
  return IdTables::Make({ids, {7}}, 5).ValueOrDie();
}

TEST(IdPlaces, GiveEachIdToOneServerWhichHasItsRowInOrder) {
  for (const int32_t servers : {1, 2, 3, 64}) {
    const IdPlaces places(Ids(), servers);
    for (size_t c = 0; c < 2; ++c) {
      int64_t held = 0;
      for (int32_t s = 0; s < servers; ++s) {
        held += places.Of(s).ValueOrDie()->columns[c].count();
      }
      const auto ids = places.all().columns[c].ids();
      EXPECT_EQ(held, int64_t(ids.size()));
      for (size_t i = 0; i < ids.size(); ++i) {
        const auto own = places.Of(places.server(c, int64_t(i))).ValueOrDie();
        EXPECT_EQ(own->columns[c].Find(ids[i]), places.row(c, int64_t(i))) << ids[i];
        EXPECT_EQ(own->seed, 5u);
      }
    }
  }
}

TEST(IdPlaces, SpreadPartitionsEvenly) {
  std::vector<int> held(kPartitions);
  for (uint64_t id = 0; id < 64'000; ++id) ++held[size_t(PartitionOf(id))];
  for (const int each : held) EXPECT_NEAR(each, 1000, 200);
  EXPECT_EQ(ServerOf(0, 64), 0);
  EXPECT_LT(ServerOf(~uint64_t{0}, 3), 3);
}

}  // namespace
}  // namespace protium
