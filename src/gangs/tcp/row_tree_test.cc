// SPDX-License-Identifier: Apache-2.0
// Rows of tables, added up by every backend.
#include "collective/row_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>

#include "tcp/testing/conformance.h"

namespace protium {
namespace {

class RowConformance : public Conformance {};

INSTANTIATE_TEST_SUITE_P(Backends, RowConformance, testing::ValuesIn(Worlds()),
                         [](const auto& info) { return info.param.name; });

// Shard `leaf` touches some rows of a table, with values that cancel, vanish and have either sign.
void Touch(int32_t leaf, int64_t width, uint32_t seed, SparseRows& rows) {
  std::mt19937 random(seed * 100 + uint32_t(leaf));
  for (int64_t i = 0; i < int64_t(random() % 40); ++i) {
    float* const row = rows.At(int64_t(random() % 60));
    for (int64_t j = 0; j < width; ++j) {
      const float values[] = {0.0f, -0.0f, 1e-40f, -1e-40f, float(random()) / 7, -3.0f, 3.0f};
      row[j] += values[random() % std::size(values)];
    }
  }
}

// A subtree's rows, added up as a rank does it.
SparseRows TouchAll(int32_t begin, int32_t end, int64_t width, uint32_t seed) {
  SparseRows sum(width);
  if (end - begin == 1) {
    Touch(begin, width, seed, sum);
    return sum;
  }
  const int32_t middle = begin + (end - begin) / 2;
  sum = TouchAll(begin, middle, width, seed);
  sum.Add(TouchAll(middle, end, width, seed));
  return sum;
}

// Compares with the halving over whole tables, in which rows that a shard did not touch are +0.0.
// Of `modulus` owners, takes the rows of number `owner`.
Status CheckRows(const SummedRows& sums, int32_t leaves, int64_t width, uint32_t seed,
                 int64_t modulus = 1, int64_t owner = 0) {
  std::vector<std::vector<float>> whole(size_t(leaves), std::vector<float>(size_t(60 * width)));
  std::vector<char> touched(60);
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    SparseRows rows(width);
    Touch(leaf, width, seed, rows);
    for (const int64_t id : rows.ids()) {
      touched[size_t(id)] = 1;
      std::copy_n(rows.At(id), width, whole[size_t(leaf)].begin() + id * width);
    }
  }
  size_t at = 0;
  for (int64_t id = 0; id < 60; ++id) {
    if (!touched[size_t(id)] || id % modulus != owner) continue;
    if (at >= sums.ids.size() || sums.ids[at] != id) return Status::Invalid("row ", id);
    for (int64_t j = 0; j < width; ++j) {
      const float expected = Halving(whole, 0, size_t(leaves), size_t(id * width + j));
      const float& sum = sums.values[at * size_t(width) + size_t(j)];
      if (std::memcmp(&sum, &expected, sizeof(float)) != 0) {
        return Status::Invalid("row ", id, " of ", leaves, " leaves: ", sum, " is not ", expected);
      }
    }
    ++at;
  }
  return at == sums.ids.size() ? Status::OK() : Status::Invalid("more rows than were touched");
}

// Leaves of `world` ranks, some of which may have none.
RowTreeSpec DrawSpec(int32_t world, uint32_t round) {
  std::mt19937 random(round);
  RowTreeSpec spec{.leaves = 1 + int32_t(random() % 9), .first = {0}, .widths = {1, 3, 16}};
  for (int32_t r = 1; r < world; ++r) {
    spec.first.push_back(int32_t(random() % uint32_t(spec.leaves + 1)));
  }
  spec.first.push_back(spec.leaves);
  std::sort(spec.first.begin(), spec.first.end());
  return spec;
}

void TouchOwn(uint32_t step, RowTree& tree) {
  for (RowSubtree& subtree : tree.own()) {
    for (SparseRows& table : subtree.tables) {
      table = TouchAll(subtree.begin, subtree.end, table.width(), step);
    }
  }
}

TEST_P(RowConformance, SumsRowsOfTablesAsWholeTablesBitForBit) {
  Run([](Communicator& communicator) {
    for (uint32_t round = 0; round < 12; ++round) {
      const RowTreeSpec spec = DrawSpec(communicator.world(), round);
      RowTree tree(spec, communicator);
      for (uint32_t step = round; step < round + 2; ++step) {
        TouchOwn(step, tree);
        PT_LET(const auto sums, tree.Reduce());
        for (size_t t = 0; t < sums.size(); ++t) {
          PT_TRY(CheckRows(sums[t], spec.leaves, spec.widths[t], step));
        }
      }
    }
    return Status::OK();
  });
}

TEST_P(RowConformance, SendsRowsThatHaveOwnersToThemAlone) {
  Run([](Communicator& communicator) {
    const int32_t world = communicator.world(), rank = communicator.rank();
    for (uint32_t round = 0; round < 6; ++round) {
      RowTreeSpec spec = DrawSpec(world, round);
      spec.owners = {.tables = {1, 0, 1},
                     .of = [world](size_t, int64_t id) { return int32_t(id % world); }};
      RowTree tree(spec, communicator);
      for (uint32_t step = round; step < round + 4; ++step) {
        TouchOwn(step, tree);
        PT_LET(const auto sums, tree.Reduce());
        for (size_t t = 0; t < sums.size(); ++t) {
          const bool owned = spec.owners.Have(t);
          PT_TRY(CheckRows(sums[t], spec.leaves, spec.widths[t], step, owned ? world : 1,
                           owned ? rank : 0));
        }
      }
      PT_TRY(communicator.Barrier("all have their rows"));
    }
    return Status::OK();
  });
}

// Windows begin small; a step that needs more has them made anew.
TEST_P(RowConformance, MakesRoomForTheRowsOfALargeStep) {
  Run([](Communicator& communicator) -> Status {
    const int32_t world = communicator.world(), last = world - 1;
    RowTreeSpec spec{.leaves = world, .first = {}, .widths = {64}};
    for (int32_t r = 0; r <= world; ++r) spec.first.push_back(r);
    spec.owners = {.tables = {1}, .of = [last](size_t, int64_t) { return last; }};
    RowTree tree(spec, communicator);
    for (const int64_t count : {10, 2000, 0, 3, 9000, 5}) {
      SparseRows& rows = tree.own()[0].tables[0];
      rows.Clear();
      for (int64_t id = 0; id < count; ++id) rows.At(id)[id % 64] = float(id + 1);
      PT_LET(const auto sums, tree.Reduce());
      const int64_t expected = communicator.rank() == last ? count : 0;
      if (std::ssize(sums[0].ids) != expected) return Status::Invalid("rows: ", sums[0].ids.size());
      for (int64_t id = 0; id < expected; ++id) {
        const float sum = sums[0].values[size_t(id * 64 + id % 64)];
        if (sum != float(id + 1) * float(world)) return Status::Invalid("row ", id, ": ", sum);
      }
    }
    return communicator.Barrier("all have their rows");
  });
}

TEST_P(RowConformance, NamesARankThatExchangesRowsWhileOthersDoNot) {
  if (ranks() == 1) return;
  for (const Status& status : Failures([](Communicator& communicator) {
         if (communicator.rank() == 1) return communicator.Barrier("elsewhere");
         RowTreeSpec spec{.leaves = communicator.world(), .first = {}, .widths = {2}};
         for (int32_t r = 0; r <= communicator.world(); ++r) spec.first.push_back(r);
         return RowTree(spec, communicator).Reduce().status();
       })) {
    EXPECT_FALSE(status.ok());
  }
}

}  // namespace
}  // namespace protium
