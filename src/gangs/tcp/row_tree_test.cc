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
Status CheckRows(const SummedRows& sums, int32_t leaves, int64_t width, uint32_t seed) {
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
    if (!touched[size_t(id)]) continue;
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

TEST_P(RowConformance, SumsRowsOfTablesAsWholeTablesBitForBit) {
  Run([](Communicator& communicator) {
    for (uint32_t round = 0; round < 12; ++round) {
      std::mt19937 random(round);
      RowTreeSpec spec{.leaves = 1 + int32_t(random() % 9), .first = {0}, .widths = {1, 3, 16}};
      for (int32_t r = 1; r < communicator.world(); ++r) {
        spec.first.push_back(int32_t(random() % uint32_t(spec.leaves + 1)));
      }
      spec.first.push_back(spec.leaves);
      std::sort(spec.first.begin(), spec.first.end());
      RowTree tree(spec, communicator);
      for (uint32_t step = round; step < round + 2; ++step) {
        for (RowSubtree& subtree : tree.own()) {
          for (SparseRows& table : subtree.tables) {
            table = TouchAll(subtree.begin, subtree.end, table.width(), step);
          }
        }
        PT_LET(const auto sums, tree.Reduce());
        for (size_t t = 0; t < sums.size(); ++t) {
          PT_TRY(CheckRows(sums[t], spec.leaves, spec.widths[t], step));
        }
      }
    }
    return Status::OK();
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
