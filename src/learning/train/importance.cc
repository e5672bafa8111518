// SPDX-License-Identifier: Apache-2.0
#include "train/importance.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/splitmix.h"
#include "rows/packed.h"
#include "rows/permutation.h"

namespace protium {
namespace {

constexpr int64_t kUsualRows = 1000;
constexpr int64_t kFewestRows = 100;
constexpr int64_t kUsualPredictions = 200'000;

// Permutation() draws the orders of epochs from the same seed; this number is no epoch's.
constexpr int64_t kNoEpoch = int64_t{1} << 40;

// Values move among the rows of all shards.
constexpr int32_t kNoShard = 0;

// The part of a row that one column fills.
struct Place {
  std::string column;
  int64_t offset = 0;  // In bytes, from the beginning of the row.
  int64_t bytes = 0;
};

std::vector<Place> PlacesOf(const RowSchema& schema) {
  std::vector<Place> places;
  for (const RowField& field : schema.fields()) {
    if (field.role != RowRole::kFeature) continue;
    const int64_t bytes = field.element_bytes() * std::max<int64_t>(field.list_length, 1);
    for (size_t c = 0; c < field.columns.size(); ++c) {
      places.push_back({field.columns[c], field.offset + int64_t(c) * bytes, bytes});
    }
  }
  return places;
}

int64_t RowsToSee(const ImportanceSpec& spec, size_t columns, int64_t all) {
  const int64_t affordable = kUsualPredictions / std::max(int64_t(columns), int64_t{1});
  const int64_t usual = std::clamp(affordable, kFewestRows, kUsualRows);
  return std::min(spec.rows.value_or(usual), all);
}

// The first rows of an own shard.
struct Sample {
  int32_t shard = 0;
  std::vector<std::byte> rows;
};

// Shards contribute rows in proportion to their size, rounded up, so that none is left out.
Result<std::vector<Sample>> TakeSamples(const ShardedRows& rows, int64_t most) {
  std::vector<Sample> samples;
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!rows.owns(shard) || rows.rows(shard) == 0) continue;
    const int64_t wanted = (most * rows.rows(shard) + rows.total_rows() - 1) / rows.total_rows();
    Sample& sample = samples.emplace_back(Sample{.shard = shard});
    const auto scan = rows.Scan(shard);
    const auto width = size_t(rows.schema().width());
    while (sample.rows.size() < size_t(wanted) * width) {
      PT_LET(const auto next, scan->Next(wanted - int64_t(sample.rows.size() / width)));
      if (next.empty()) break;
      sample.rows.insert(sample.rows.end(), next.begin(), next.end());
    }
  }
  return samples;
}

// Whole groups with the lowest hashes, so many that about `most` rows are expected.
Result<std::vector<Sample>> TakeGroups(const ShardedRows& rows, int64_t most) {
  const double share = double(most) / double(rows.total_rows());
  const uint64_t bound = share >= 1 ? ~uint64_t{0} : uint64_t(std::ldexp(share, 64));
  std::vector<Sample> samples;
  for (int32_t shard = 0; shard < rows.shards(); ++shard) {
    if (!rows.owns(shard) || rows.rows(shard) == 0) continue;
    Sample& sample = samples.emplace_back(Sample{.shard = shard});
    const auto scan = rows.Scan(shard);
    const auto width = size_t(rows.schema().width());
    while (true) {
      PT_LET(const auto next, scan->Next(kUsualRows));
      if (next.empty()) break;
      const PackedRows block(rows.schema(), next.data(), int64_t(next.size() / width));
      const FieldRows<int32_t> groups = block.ints(kGroupField);
      for (int64_t i = 0; i < block.size(); ++i) {
        if (SplitMix(GroupAt(groups, i)) > bound) continue;
        sample.rows.insert(sample.rows.end(), block.row(i), block.row(i) + width);
      }
    }
  }
  return samples;
}

// Where each shard's sampled rows stand among those of all ranks, in the order of shards.
struct SampledRows {
  std::vector<int64_t> first;  // By shard.
  int64_t rows = 0;
};

// Collective.
Result<SampledRows> SampledRowsOf(const std::vector<Sample>& samples, const ShardedRows& rows,
                                  Communicator& communicator) {
  std::vector<int64_t> counts(size_t(rows.shards()));
  const int64_t width = rows.schema().width();
  for (const Sample& each : samples) {
    counts[size_t(each.shard)] = int64_t(each.rows.size()) / width;
  }
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(counts)), Op::kSum));
  SampledRows sampled;
  for (const int64_t count : counts) {
    sampled.first.push_back(sampled.rows);
    sampled.rows += count;
  }
  return sampled;
}

// Collective. One column's values in the sampled rows of all ranks. Each value is given by one rank
// and is zero at the others, so that sums of words put them together.
Result<std::vector<int64_t>> GatherColumn(const std::vector<Sample>& samples, const Place& place,
                                          const SampledRows& sampled, int64_t width,
                                          Communicator& communicator) {
  std::vector<int64_t> words(size_t(sampled.rows * place.bytes + 7) / 8);
  auto* const values = reinterpret_cast<std::byte*>(words.data());
  for (const Sample& each : samples) {
    const int64_t first = sampled.first[size_t(each.shard)];
    for (int64_t i = 0; i < int64_t(each.rows.size()) / width; ++i) {
      std::memcpy(values + (first + i) * place.bytes, each.rows.data() + i * width + place.offset,
                  size_t(place.bytes));
    }
  }
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(words)), Op::kSum));
  return words;
}

// Collective. The samples with the values of one column moved to other rows, of any shard.
Result<std::vector<Sample>> Shuffled(const std::vector<Sample>& samples, const Place& place,
                                     const Permutation& order, const SampledRows& sampled,
                                     int64_t width, Communicator& communicator) {
  PT_LET(const std::vector<int64_t> words,
         GatherColumn(samples, place, sampled, width, communicator));
  const auto* const values = reinterpret_cast<const std::byte*>(words.data());
  std::vector<Sample> out = samples;
  for (Sample& each : out) {
    const int64_t first = sampled.first[size_t(each.shard)];
    for (int64_t i = 0; i < int64_t(each.rows.size()) / width; ++i) {
      std::memcpy(each.rows.data() + i * width + place.offset,
                  values + order.At(first + i) * place.bytes, size_t(place.bytes));
    }
  }
  return out;
}

// For a metric whose best value is 0, such as bias, the size counts.
double HowBad(const MetricSpec& metric, double value) {
  return metric.higher_is_better ? -value : std::fabs(value);
}

}  // namespace

Result<Json> MeasureImportance(const ImportanceSpec& spec, const ShardedRows& rows,
                               Validation& validation, Communicator& communicator) {
  const std::vector<Place> places = PlacesOf(rows.schema());
  const int64_t most = RowsToSee(spec, places.size(), rows.total_rows());
  if (most <= 0) return Json();
  const bool grouped = rows.schema().Find(kGroupField) != nullptr;
  PT_LET(const std::vector<Sample> samples,
         grouped ? TakeGroups(rows, most) : TakeSamples(rows, most));
  PT_LET(const SampledRows sampled, SampledRowsOf(samples, rows, communicator));
  const auto measure = [&](const std::vector<Sample>& given) -> Result<Json> {
    std::vector<std::span<const std::byte>> parts;
    for (const Sample& each : given) parts.emplace_back(each.rows);
    PT_LET(const Json values, validation.MeasureThese(parts, spec.metric.name, communicator));
    return values.value(spec.metric.name, Json());
  };
  PT_LET(const Json whole, measure(samples));
  if (!whole.is_number()) return Json();
  std::vector<Json> columns;
  for (size_t p = 0; p < places.size(); ++p) {
    const Permutation order(spec.seed, kNoEpoch + int64_t(p), kNoShard, sampled.rows);
    PT_LET(const auto shuffled,
           Shuffled(samples, places[p], order, sampled, rows.schema().width(), communicator));
    PT_LET(const Json value, measure(shuffled));
    if (!value.is_number()) continue;
    const double worse =
        HowBad(spec.metric, value.get<double>()) - HowBad(spec.metric, whole.get<double>());
    columns.push_back({{"column", places[p].column}, {"value", value}, {"worse", worse}});
  }
  std::ranges::stable_sort(columns, std::greater<>(),
                           [](const Json& each) { return each["worse"].get<double>(); });
  return Json{{"metric", spec.metric.name},
              {"value", whole},
              {"rows", grouped ? sampled.rows : most},
              {"columns", columns}};
}

}  // namespace protium
