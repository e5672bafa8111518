// SPDX-License-Identifier: Apache-2.0
// approx_count_distinct() as Spark estimates it: HyperLogLog++ (Heule, Nunkesser, Hall 2013) with
// 512 registers, the number for its default accuracy of 5 %, over xxhash64() of the values. The
// registers do not depend on the order of the rows, so the estimate is the same everywhere.
#include "functions/distinct_estimate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "functions/distinct_estimate_bias.h"

namespace protium {
namespace {

using Aggregate = duck::Owned<duckdb_aggregate_function, duckdb_destroy_aggregate_function>;

constexpr int kBits = 9;  // Bits of a hash that choose the register.
constexpr size_t kRegisters = size_t{1} << kBits;
constexpr double kM = kRegisters;
// Up to here, the empty registers give the better estimate.
constexpr double kMostCountedEmpty = 400;

constexpr size_t kNumEstimates = std::size(kRawEstimates);
constexpr size_t kNeighbours = 6;  // Number of neighbours whose bias is averaged.

double BiasOf(double estimate) {
  const auto distance = [&](size_t i) {
    return (estimate - kRawEstimates[i]) * (estimate - kRawEstimates[i]);
  };
  const size_t nearest = static_cast<size_t>(
      std::lower_bound(std::begin(kRawEstimates), std::end(kRawEstimates), estimate) -
      std::begin(kRawEstimates));
  size_t low = nearest + 1 > kNeighbours ? nearest + 1 - kNeighbours : 0;
  size_t high = std::min(low + kNeighbours, kNumEstimates);
  while (high < kNumEstimates && distance(high) < distance(low)) {
    ++low;
    ++high;
  }
  double sum = 0;
  for (size_t i = low; i < high; ++i) sum += kBiases[i];
  return sum / static_cast<double>(high - low);
}

struct Registers {
  std::array<uint8_t, kRegisters> ranks{};

  void Add(uint64_t hash) {
    const uint64_t rest = (hash << kBits) | (uint64_t{1} << (kBits - 1));
    uint8_t& rank = ranks[hash >> (64 - kBits)];
    rank = std::max(rank, static_cast<uint8_t>(std::countl_zero(rest) + 1));
  }
  void Merge(const Registers& other) {
    for (size_t i = 0; i < kRegisters; ++i) ranks[i] = std::max(ranks[i], other.ranks[i]);
  }
  int64_t Estimate() const {
    double inverse = 0, empty = 0;
    for (const uint8_t rank : ranks) {
      inverse += 1.0 / static_cast<double>(uint64_t{1} << rank);
      empty += rank == 0 ? 1 : 0;
    }
    const double raw = (0.7213 / (1.0 + 1.079 / kM)) * kM * kM / inverse;
    double estimate = raw < 5.0 * kM ? raw - BiasOf(raw) : raw;
    if (empty > 0) {
      const double counted = kM * std::log(kM / empty);
      if (counted <= kMostCountedEmpty || raw <= 2.5 * kM) estimate = counted;
    }
    return static_cast<int64_t>(std::floor(estimate + 0.5));
  }
};

Registers& At(duckdb_aggregate_state state) { return *reinterpret_cast<Registers*>(state); }

void Update(duckdb_function_info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const cells::Column hashes(input, 0);
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (hashes.Valid(row)) At(states[row]).Add(static_cast<uint64_t*>(hashes.data())[row]);
  }
}

void Combine(duckdb_function_info, duckdb_aggregate_state* from, duckdb_aggregate_state* to,
             idx_t count) {
  for (idx_t i = 0; i < count; ++i) At(to[i]).Merge(At(from[i]));
}

void Finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* const values = static_cast<int64_t*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) values[offset + i] = At(states[i]).Estimate();
}

}  // namespace

Status RegisterDistinctEstimate(const duck::Connection& connection) {
  const Aggregate function(duckdb_create_aggregate_function());
  const duck::Type number = cells::MakeType(DUCKDB_TYPE_BIGINT);
  duckdb_aggregate_function_set_name(function.get(), "pt_distinct_estimate");
  duckdb_aggregate_function_add_parameter(function.get(), number.get());
  duckdb_aggregate_function_set_return_type(function.get(), number.get());
  // Rows with a null are skipped, and no rows means no values: 0.
  duckdb_aggregate_function_set_special_handling(function.get());
  duckdb_aggregate_function_set_functions(
      function.get(), [](duckdb_function_info) -> idx_t { return sizeof(Registers); },
      [](duckdb_function_info, duckdb_aggregate_state state) { At(state) = Registers(); }, Update,
      Combine, Finalize);
  if (duckdb_register_aggregate_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function pt_distinct_estimate");
}

}  // namespace protium
