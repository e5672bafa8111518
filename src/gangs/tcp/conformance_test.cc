// SPDX-License-Identifier: Apache-2.0
// The tests that every backend must pass (testing/conformance.h).
#include "tcp/testing/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/fault.h"
#include "protium/ranks.h"

namespace protium {
namespace {

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(Worlds()),
                         [](const auto& info) { return info.param.name; });

// Rank r's element i, with sums that are not integers.
template <class T>
T Element(int32_t rank, int64_t i) {
  const int64_t x = (i * 7919 + rank * 104729) % 1009 - (std::is_unsigned_v<T> ? 0 : 500);
  return std::is_floating_point_v<T> ? T(x) / T(7) : T(x);
}

template <class T>
T Expected(int32_t world, int64_t i, Op op) {
  T result = Element<T>(0, i);
  for (int32_t r = 1; r < world; ++r) {
    const T x = Element<T>(r, i);
    if (op == Op::kSum) result = T(result + x);
    if (op == Op::kMin) result = std::min(result, x);
    if (op == Op::kMax) result = std::max(result, x);
    if (op != Op::kProduct) continue;
    if constexpr (std::is_integral_v<T>) result = T(uint64_t(result) * uint64_t(x));
    if constexpr (!std::is_integral_v<T>) result = result * x;
  }
  return result;
}

template <class T>
void CheckAllReduce(Communicator& communicator, int64_t count, Op op) {
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[size_t(i)] = Element<T>(communicator.rank(), i);
  const Status status = communicator.AllReduce(AsBuffer(std::span<T>(values)), op);
  ASSERT_TRUE(status.ok()) << status;
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(values[size_t(i)], Expected<T>(communicator.world(), i, op)) << i << " of " << count;
  }
}

TEST_P(Conformance, ReducesEveryTypeOperationAndSize) {
  Run([](Communicator& communicator) {
    for (const int64_t count : {0, 1, 17, 1023, 2048, 2049, 5000, 131072, 131073, 400001}) {
      for (const Op op : {Op::kSum, Op::kMin, Op::kMax}) {
        CheckAllReduce<float>(communicator, count, op);
        CheckAllReduce<double>(communicator, count, op);
        CheckAllReduce<int64_t>(communicator, count, op);
        CheckAllReduce<uint64_t>(communicator, count, op);
      }
    }
    for (const int64_t count : {0, 1, 2049, 262'147}) {
      for (const Op op : {Op::kSum, Op::kMin, Op::kMax, Op::kProduct}) {
        CheckAllReduce<int32_t>(communicator, count, op);
        CheckAllReduce<uint8_t>(communicator, count, op);
      }
      CheckAllReduce<float>(communicator, count, Op::kProduct);
      CheckAllReduce<double>(communicator, count, Op::kProduct);
      CheckAllReduce<int64_t>(communicator, count, Op::kProduct);
    }
    return Status::OK();
  });
}

// Integers that 16-bit floats represent exactly, up to their sums over seven ranks.
TEST_P(Conformance, ReducesFloatsOfSixteenBits) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    const int32_t world = communicator.world();
    for (const int64_t count : {1, 70'000}) {
      std::vector<Float16> halves(size_t(count), ToFloat16(float(communicator.rank() + 1)));
      PT_TRY(ranks.AllReduce(Values(halves), Op::kSum));
      std::vector<Bfloat16> brains(size_t(count), ToBfloat16(float(communicator.rank() + 1)));
      PT_TRY(ranks.AllReduce(Values(brains), Op::kMax));
      for (const Float16 each : halves) {
        if (ToFloat(each) != float(world * (world + 1) / 2)) return Status::Invalid("float16");
      }
      for (const Bfloat16 each : brains) {
        if (ToFloat(each) != float(world)) return Status::Invalid("bfloat16");
      }
    }
    return Status::OK();
  });
}

TEST_P(Conformance, DividesMeansOfFloatsOnly) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    std::vector<double> values(3, communicator.rank() * 2.0);
    PT_TRY(ranks.AllReduce(Values(values), Op::kMean));
    for (const double each : values) {
      if (each != communicator.world() - 1) return Status::Invalid("mean ", each);
    }
    std::vector<int32_t> whole(3);
    if (ranks.AllReduce(Values(whole), Op::kMean).ok()) return Status::Invalid("a mean of int32");
    return Status::OK();
  });
}

TEST_P(Conformance, ReducesGroupsAsItReducesEachAlone) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    std::vector<std::vector<float>> alone, together;
    for (const int64_t count : {3, 0, 1000, 1'200'000, 17, 17}) {
      auto& values = alone.emplace_back();
      for (int64_t i = 0; i < count; ++i) {
        values.push_back(Element<float>(communicator.rank(), i + count));
      }
    }
    together = alone;
    std::vector<int64_t> whole(5, communicator.rank());
    std::vector<Tensor> group;
    for (auto& each : together) group.push_back(Values(each));
    group.insert(group.begin() + 2, Values(whole));
    PT_TRY(ranks.AllReduce(group, Op::kSum));
    for (size_t t = 0; t < alone.size(); ++t) {
      PT_TRY(ranks.AllReduce(Values(alone[t]), Op::kSum));
      if (alone[t] != together[t]) return Status::Invalid("tensor ", t);
    }
    const int64_t sum = int64_t{communicator.world()} * (communicator.world() - 1) / 2;
    return whole == std::vector<int64_t>(5, sum) ? Status::OK() : Status::Invalid("whole");
  });
}

// What rank `from` has for rank `to`.
std::vector<int32_t> PartFor(int32_t from, int32_t to, int64_t scale) {
  std::vector<int32_t> part(size_t(scale * ((from + 2 * to) % 4)));
  for (size_t i = 0; i < part.size(); ++i) part[i] = int32_t(from * 1000 + to * 100 + i % 97);
  return part;
}

TEST_P(Conformance, SendsEveryRankItsPart) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    for (const int64_t scale : {0, 1, 50'000, 3, 2000}) {
      std::vector<int32_t> own;
      std::vector<int64_t> splits;
      for (int32_t to = 0; to < ranks.world(); ++to) {
        const auto part = PartFor(ranks.rank(), to, scale);
        own.insert(own.end(), part.begin(), part.end());
        splits.push_back(int64_t(part.size()));
      }
      PT_LET(const auto got, ranks.AllToAll(std::span<const int32_t>(own), splits));
      for (int32_t from = 0; from < ranks.world(); ++from) {
        if (got[size_t(from)] != PartFor(from, ranks.rank(), scale)) {
          return Status::Invalid("part of rank ", from, " at ", scale);
        }
      }
    }
    return Status::OK();
  });
}

TEST_P(Conformance, GathersAndScattersRaggedValues) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    for (const int64_t scale : {1, 30'000}) {
      const auto own = PartFor(ranks.rank(), 1, scale);
      PT_LET(const auto all, ranks.AllGather(std::span<const int32_t>(own)));
      const int32_t root = ranks.world() - 1;
      PT_LET(const auto gathered, ranks.Gather(std::span<const int32_t>(own), root));
      if (gathered.size() != (ranks.rank() == root ? all.size() : 0)) {
        return Status::Invalid("gathered");
      }
      for (int32_t r = 0; r < ranks.world(); ++r) {
        if (all[size_t(r)] != PartFor(r, 1, scale)) return Status::Invalid("all-gather");
        if (ranks.rank() == root && gathered[size_t(r)] != all[size_t(r)]) {
          return Status::Invalid("gather");
        }
      }
    }
    for (const int64_t count : {0, 1, 10, 200'003}) {
      std::vector<double> values;
      for (int64_t i = 0; i < count; ++i) values.push_back(Element<double>(ranks.rank(), i));
      PT_LET(const auto slice, ranks.ReduceScatter(std::span<const double>(values), Op::kSum));
      int64_t begin = 0;
      for (int32_t r = 0; r < ranks.rank(); ++r) {
        begin += count / ranks.world() + (r < count % ranks.world());
      }
      for (size_t i = 0; i < slice.size(); ++i) {
        if (slice[i] != Expected<double>(ranks.world(), begin + int64_t(i), Op::kSum)) {
          return Status::Invalid("slice of ", count);
        }
      }
      const int64_t wanted = count / ranks.world() + (ranks.rank() < count % ranks.world());
      if (int64_t(slice.size()) != wanted) return Status::Invalid("length of a slice");
    }
    return Status::OK();
  });
}

TEST_P(Conformance, CarriesObjects) {
  Run([](Communicator& communicator) {
    Ranks ranks(communicator);
    const Json own = {{"rank", ranks.rank()}, {"text", std::string(size_t(ranks.rank()), 'x')}};
    PT_LET(const std::vector<Json> all, ranks.AllGather(own));
    for (int32_t r = 0; r < ranks.world(); ++r) {
      if (all[size_t(r)]["rank"] != r) return Status::Invalid("object of rank ", r);
    }
    PT_LET(const Json last, ranks.Broadcast(own, ranks.world() - 1));
    return last == all.back() ? Status::OK() : Status::Invalid("broadcast object");
  });
}

TEST_P(Conformance, NamesARankThatGathersWhileOthersExchange) {
  if (ranks() == 1) return;
  for (const Status& status : Failures([](Communicator& communicator) {
         Ranks ranks(communicator);
         if (ranks.rank() == 1) return ranks.AllGather(Json("no numbers")).status();
         const std::vector<int64_t> splits(size_t(ranks.world()), 0);
         return ranks.AllToAll(std::span<const int32_t>(), splits).status();
       })) {
    EXPECT_FALSE(status.ok());
  }
}

TEST_P(Conformance, RefusesSplitsThatDoNotFitOnEveryRank) {
  for (const Status& status : Failures([](Communicator& communicator) {
         Ranks ranks(communicator);
         const std::vector<int32_t> own(4);
         const std::vector<int64_t> splits(size_t(ranks.world()), ranks.rank() == 0 ? 5 : 0);
         return ranks.AllToAll(std::span<const int32_t>(own), splits).status();
       })) {
    EXPECT_EQ(FaultOf(status).exit, Exit::kUsage) << status;
  }
}

TEST_P(Conformance, BroadcastsFromEveryRank) {
  Run([](Communicator& communicator) {
    for (const int64_t bytes : {0, 1, 8192, 8193, 524288, 1500001}) {
      for (int32_t root = 0; root < communicator.world(); ++root) {
        std::vector<std::byte> data(static_cast<size_t>(bytes), std::byte(communicator.rank()));
        if (communicator.rank() == root) {
          for (size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * 31 + size_t(root));
        }
        PT_TRY(communicator.Broadcast(data, root));
        for (size_t i = 0; i < data.size(); ++i) {
          if (data[i] != std::byte(i * 31 + size_t(root))) return Status::Invalid("byte ", i);
        }
      }
    }
    return Status::OK();
  });
}

TEST_P(Conformance, GathersMessagesOfDifferentLengths) {
  const auto message = [](int32_t rank, int round) {
    constexpr size_t kLengths[] = {0, 1, 8192, 8193, 600'000, 5, 1'100'000};
    return std::string(kLengths[size_t(rank + round) % std::size(kLengths)], char('a' + rank));
  };
  Run([&](Communicator& communicator) {
    for (int round = 0; round < 7; ++round) {
      PT_LET(auto all, communicator.AllGather(message(communicator.rank(), round)));
      if (all.size() != size_t(communicator.world())) return Status::Invalid("too few");
      for (int32_t r = 0; r < communicator.world(); ++r) {
        if (all[size_t(r)] != message(r, round)) return Status::Invalid("message of rank ", r);
      }
    }
    return Status::OK();
  });
}

TEST_P(Conformance, HoldsRanksAtBarriers) {
  std::atomic<int32_t> arrived = 0;
  Run([&](Communicator& communicator) {
    for (int32_t round = 1; round <= 200; ++round) {
      arrived.fetch_add(1);
      PT_TRY(communicator.Barrier("round"));
      if (arrived.load() < round * communicator.world()) return Status::Invalid("left early");
      PT_TRY(communicator.Barrier("between"));
    }
    return Status::OK();
  });
}

TEST_P(Conformance, OpensWindowsOfDifferentSizes) {
  Run([](Communicator& communicator) {
    const auto size_of = [](int32_t rank) { return int64_t{rank} * 70'000; };
    PT_LET(auto window, communicator.MakeWindow(size_of(communicator.rank())));
    if (int64_t(window->own().size()) != size_of(communicator.rank())) {
      return Status::Invalid("own size");
    }
    for (auto& byte : window->own()) byte = std::byte(communicator.rank() + 1);
    PT_TRY(communicator.Barrier("filled"));
    for (int32_t r = 0; r < communicator.world(); ++r) {
      if (window->size(r) != size_of(r)) return Status::Invalid("size of rank ", r);
      std::vector<std::byte> read(static_cast<size_t>(size_of(r)));
      PT_TRY(window->Read(r, 0, read));
      for (const auto byte : read) {
        if (byte != std::byte(r + 1)) return Status::Invalid("byte of rank ", r);
      }
      std::array<std::byte, 2> two;
      if (window->Read(r, size_of(r) - 1, two).ok()) return Status::Invalid("read beyond the end");
      if (window->Read(r, -1, two).ok()) return Status::Invalid("read before the start");
    }
    if (window->Read(communicator.world(), 0, {}).ok()) return Status::Invalid("no such rank");
    return communicator.Barrier("read");
  });
}

TEST_P(Conformance, GivesPagesOfAWindowBack) {
  Run([](Communicator& communicator) {
    PT_LET(auto window, communicator.MakeWindow(10 * 4096 + 10));
    for (auto& byte : window->own()) byte = std::byte(1);
    window->Release(100, 3 * 4096);
    const auto own = window->own();
    EXPECT_EQ(own[4095], std::byte(1));
    EXPECT_EQ(own[4096], std::byte(0));
    EXPECT_EQ(own[3 * 4096 - 1], std::byte(0));
    EXPECT_EQ(own[3 * 4096], std::byte(1));
    return communicator.Barrier("released");
  });
}

Status CheckTree(Communicator& communicator, SumTree& tree, const TreeSpec& spec, uint32_t seed) {
  const auto leaves = MakeLeaves(spec.leaves, spec.count, seed);
  for (const Subtree& subtree : tree.own()) {
    if (int64_t(subtree.sum.size()) != spec.count) return Status::Invalid("length of a subtree");
    for (size_t i = 0; i < subtree.sum.size(); ++i) {
      subtree.sum[i] = Halving(leaves, size_t(subtree.begin), size_t(subtree.end), i);
    }
  }
  PT_LET(const auto sum, tree.Reduce());
  for (size_t i = 0; i < size_t(spec.count); ++i) {
    const float expected = Halving(leaves, 0, size_t(spec.leaves), i);
    if (std::memcmp(&sum[i], &expected, sizeof(float)) != 0) {
      return Status::Invalid("element ", i, " of ", spec.leaves, " leaves: ", sum[i], " is not ",
                             expected);
    }
  }
  return Status::OK();
}

TEST_P(Conformance, SumsTreesBitForBit) {
  Run([](Communicator& communicator) {
    for (int32_t leaves = 1; leaves <= 9; ++leaves) {
      TreeSpec spec{.leaves = leaves};
      for (int32_t r = 0; r <= communicator.world(); ++r) {
        spec.first.push_back(r * leaves / communicator.world());
      }
      for (const int64_t count : {0, 1, 333, 5000}) {
        spec.count = count;
        PT_LET(auto tree, communicator.MakeTree(spec));
        PT_TRY(CheckTree(communicator, *tree, spec, 1));
        PT_TRY(CheckTree(communicator, *tree, spec, 2));
      }
    }
    return Status::OK();
  });
}

TEST_P(Conformance, SumsTreesOfUnevenWorldsBitForBit) {
  Run([](Communicator& communicator) {
    for (uint32_t round = 0; round < 12; ++round) {
      std::mt19937 random(round);
      TreeSpec spec{.leaves = 1 + int32_t(random() % 9), .count = 100};
      for (int32_t r = 1; r < communicator.world(); ++r) {
        spec.first.push_back(int32_t(random() % uint32_t(spec.leaves + 1)));
      }
      spec.first.push_back(0);
      spec.first.push_back(spec.leaves);
      std::sort(spec.first.begin(), spec.first.end());
      PT_LET(auto tree, communicator.MakeTree(spec));
      PT_TRY(CheckTree(communicator, *tree, spec, round));
    }
    return Status::OK();
  });
}

TEST_P(Conformance, RefusesImpossibleRequestsOnEveryRank) {
  for (const Status& status : Failures([](Communicator& communicator) {
         return communicator.Broadcast({}, communicator.world());
       })) {
    EXPECT_FALSE(status.ok());
  }
  for (const Status& status : Failures([](Communicator& communicator) {
         return communicator.MakeTree({.leaves = 0, .count = 1, .first = {0}}).status();
       })) {
    EXPECT_FALSE(status.ok());
  }
  for (const Status& status :
       Failures([](Communicator& communicator) { return communicator.MakeWindow(-1).status(); })) {
    EXPECT_FALSE(status.ok());
  }
}

TEST_P(Conformance, FailsWithTheFirstCauseAfterAnAbort) {
  const auto statuses = Failures([](Communicator& communicator) {
    if (communicator.rank() == communicator.world() - 1) {
      communicator.Abort(Fail({.exit = Exit::kNoRoom, .what = "the disk is full", .fix = "rm"}));
      communicator.Abort(Status::Invalid("a later cause"));
    } else {
      EXPECT_FALSE(communicator.Barrier("before the abort").ok());
    }
    for (const Status& status :
         {communicator.Barrier("after"), communicator.AllReduce({}, Op::kSum),
          communicator.AllGather("x").status(), communicator.MakeWindow(1).status()}) {
      EXPECT_EQ(FaultOf(status).what, "the disk is full");
      EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom);
    }
    return Status::OK();
  });
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace protium
