// SPDX-License-Identifier: Apache-2.0
#include "trees/bins.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "rows/key.h"
#include "trees/features.h"

namespace protium {
namespace {

// How many values of the sample are exchanged at a time.
constexpr int64_t kBlockValues = int64_t{1} << 24;

// Rows with a key's high half below this are in the sample; 2^64 - 1 takes all.
uint64_t SampleBound(int64_t total) {
  if (total <= kSampleRows) return ~uint64_t{0};
  return uint64_t(std::ldexp(double(kSampleRows) / double(total), 64));
}

// The own rows of the sample: their features, row by row.
struct Sample {
  int64_t columns = 0;
  std::vector<float> values;
  int64_t rows() const { return columns == 0 ? 0 : int64_t(values.size()) / columns; }
};

Result<Sample> TakeSample(const ShardedRows& rows) {
  Sample sample{.columns = CountFeatures(rows.schema())};
  const uint64_t bound = SampleBound(rows.total_rows());
  const int64_t width = rows.schema().width();
  std::vector<uint64_t> keys;
  std::vector<float> features;
  PT_TRY(ForOwnRows(rows, [&](const PackedRows& block) {
    keys.resize(size_t(block.size()));
    WriteHighKeys(block.row(0), width, keys);
    features.resize(size_t(block.size() * sample.columns));
    CopyFeatures(block, features);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] > bound) continue;
      const auto at = features.begin() + ptrdiff_t(i) * sample.columns;
      sample.values.insert(sample.values.end(), at, at + sample.columns);
    }
    return Status::OK();
  }));
  return sample;
}

// The sampled values of columns [begin, end), column by column, without missing ones: for each
// column its count as int64, then its values.
std::string Excerpt(const Sample& sample, std::span<const ForestColumn> columns, int64_t begin,
                    int64_t end) {
  std::string out;
  std::vector<float> values;
  for (int64_t c = begin; c < end; ++c) {
    values.clear();
    for (int64_t i = 0; i < sample.rows() && columns[size_t(c)].cardinality == 0; ++i) {
      const float x = sample.values[size_t(i * sample.columns + c)];
      if (!std::isnan(x)) values.push_back(x);
    }
    const auto count = int64_t(values.size());
    out.append(reinterpret_cast<const char*>(&count), sizeof(count));
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return out;
}

// Takes the next column's values from a rank's excerpt, whose rest begins at `at`.
void TakeValues(const std::string& excerpt, size_t& at, std::vector<float>* out) {
  int64_t count = 0;
  std::memcpy(&count, excerpt.data() + at, sizeof(count));
  at += sizeof(count);
  if (out != nullptr) {
    const size_t old = out->size();
    out->resize(old + size_t(count));
    std::memcpy(out->data() + old, excerpt.data() + at, size_t(count) * sizeof(float));
  }
  at += size_t(count) * sizeof(float);
}

// Collective. Each rank cuts some of the columns [begin, end) and all receive all cuts.
Status CutBlock(const Sample& sample, std::span<const ForestColumn> columns, int64_t begin,
                int64_t end, int32_t most, Communicator& communicator,
                std::vector<ColumnBins>& bins) {
  PT_LET(const auto excerpts, communicator.AllGather(Excerpt(sample, columns, begin, end)));
  std::vector<size_t> at(excerpts.size());
  std::string own;
  std::vector<float> values;
  for (int64_t c = begin; c < end; ++c) {
    const bool mine = c % communicator.world() == communicator.rank();
    values.clear();
    for (size_t r = 0; r < excerpts.size(); ++r) {
      TakeValues(excerpts[r], at[r], mine ? &values : nullptr);
    }
    if (!mine) continue;
    const std::vector<float> cuts = CutsOf(values, most);
    const auto count = int64_t(cuts.size());
    own.append(reinterpret_cast<const char*>(&count), sizeof(count));
    own.append(reinterpret_cast<const char*>(cuts.data()), cuts.size() * sizeof(float));
  }
  PT_LET(const auto all, communicator.AllGather(own));
  at.assign(all.size(), 0);
  for (int64_t c = begin; c < end; ++c) {
    const auto rank = size_t(c % communicator.world());
    TakeValues(all[rank], at[rank], &bins[size_t(c)].cuts);
  }
  return Status::OK();
}

// Collective. How many training rows have each category of a column.
Result<std::vector<int64_t>> CountCategories(const ShardedRows& rows, int64_t column,
                                             int64_t cardinality, Communicator& communicator) {
  std::vector<int64_t> counts(static_cast<size_t>(cardinality));
  std::vector<float> values;
  PT_TRY(ForOwnRows(rows, [&](const PackedRows& block) {
    values.resize(size_t(block.size()));
    CopyFeature(block, column, values);
    for (const float x : values) {
      if (x >= 0 && x < float(cardinality)) counts[size_t(x)] += 1;
    }
    return Status::OK();
  }));
  PT_TRY(communicator.AllReduce(AsBuffer(std::span(counts)), Op::kSum));
  return counts;
}

// The bins of categories: all of them, or the most frequent ones.
Status BinCategories(const ShardedRows& rows, int64_t column, int64_t cardinality,
                     Communicator& communicator, ColumnBins& bins) {
  bins.cardinality = cardinality;
  bins.category.resize(size_t(cardinality));
  std::iota(bins.category.begin(), bins.category.end(), 0);
  if (cardinality > kMostBins) {
    PT_LET(const auto counts, CountCategories(rows, column, cardinality, communicator));
    std::stable_sort(bins.category.begin(), bins.category.end(),
                     [&](int32_t a, int32_t b) { return counts[size_t(a)] > counts[size_t(b)]; });
    bins.category.resize(size_t(kMostBins));
    std::sort(bins.category.begin(), bins.category.end());
  }
  bins.bin_of.assign(size_t(cardinality), bins.missing());
  for (size_t b = 0; b < bins.category.size(); ++b) {
    bins.bin_of[size_t(bins.category[b])] = int32_t(b);
  }
  return Status::OK();
}

// A float32 between two neighbouring values: a <= it < b.
float Between(float a, float b) {
  const auto middle = float(double(a) + (double(b) - double(a)) / 2);
  return middle >= a && middle < b ? middle : a;
}

// The distinct values of a sorted list, with their counts.
struct Distinct {
  std::vector<float> values;
  std::vector<int64_t> counts;
};
Distinct CountDistinct(std::span<const float> sorted) {
  Distinct out;
  for (const float x : sorted) {
    if (out.values.empty() || x != out.values.back()) {
      out.values.push_back(x);
      out.counts.push_back(0);
    }
    out.counts.back() += 1;
  }
  return out;
}

// Positions of the last value of each bin but the last one. Frequent values get a bin of their own;
// the others share what is left evenly.
std::vector<size_t> ChooseEnds(const std::vector<int64_t>& counts, int32_t most) {
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  int64_t left = total, bins = most;  // Of values that are not frequent.
  std::vector<bool> frequent(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    frequent[i] = counts[i] * most >= total;
    if (!frequent[i]) continue;
    left -= counts[i];
    --bins;
  }
  std::vector<size_t> ends;
  int64_t filled = 0;
  for (size_t i = 0; i + 1 < counts.size() && int64_t(ends.size()) + 1 < most; ++i) {
    filled += counts[i];
    if (!frequent[i]) left -= counts[i];
    const bool full = filled * std::max<int64_t>(bins, 1) >= left + filled;
    if (!frequent[i] && !frequent[i + 1] && !full) continue;
    ends.push_back(i);
    if (!frequent[i]) --bins;
    filled = 0;
  }
  return ends;
}

}  // namespace

int32_t ColumnBins::BinOf(float x) const {
  if (of_categories()) {
    return x >= 0 && x < float(cardinality) ? bin_of[size_t(x)] : missing();
  }
  if (std::isnan(x)) return missing();
  return int32_t(std::lower_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
}

void ColumnBins::BinsOf(std::span<const float> values, uint16_t* out) const {
  if (of_categories()) {
    for (size_t i = 0; i < values.size(); ++i) out[i] = uint16_t(BinOf(values[i]));
    return;
  }
  // A search without branches: the number of cuts below x, found from its highest bit on, for some
  // values at once, so that none waits for another.
  constexpr size_t kTogether = 8;
  for (size_t i = 0; i < values.size(); i += kTogether) {
    const size_t some = std::min(kTogether, values.size() - i);
    uint32_t at[kTogether] = {};
    for (size_t left = cuts.size(); left > 0;) {
      const size_t half = (left + 1) / 2;
      for (size_t v = 0; v < some; ++v) {
        at[v] += uint32_t(half) * uint32_t(cuts[at[v] + half - 1] < values[i + v]);
      }
      left -= half;
    }
    for (size_t v = 0; v < some; ++v) {
      out[i + v] = uint16_t(std::isnan(values[i + v]) ? uint32_t(missing()) : at[v]);
    }
  }
}

std::vector<float> CutsOf(std::span<float> values, int32_t most) {
  std::sort(values.begin(), values.end());
  const Distinct distinct = CountDistinct(values);
  std::vector<size_t> ends;
  if (int64_t(distinct.values.size()) <= most) {
    ends.resize(distinct.values.empty() ? 0 : distinct.values.size() - 1);
    std::iota(ends.begin(), ends.end(), size_t{0});
  } else {
    ends = ChooseEnds(distinct.counts, most);
  }
  std::vector<float> cuts;
  for (const size_t end : ends) {
    cuts.push_back(Between(distinct.values[end], distinct.values[end + 1]));
  }
  return cuts;
}

Result<std::vector<ColumnBins>> MakeBins(const ShardedRows& rows,
                                         std::span<const ForestColumn> columns, int32_t most,
                                         Communicator& communicator) {
  std::vector<ColumnBins> bins(columns.size());
  PT_LET(const Sample sample, TakeSample(rows));
  const int64_t sampled = std::min(rows.total_rows(), kSampleRows);
  const int64_t block = std::max<int64_t>(1, kBlockValues / std::max<int64_t>(sampled, 1));
  const auto count = int64_t(columns.size());
  for (int64_t begin = 0; begin < count; begin += block) {
    PT_TRY(
        CutBlock(sample, columns, begin, std::min(count, begin + block), most, communicator, bins));
  }
  for (int64_t c = 0; c < count; ++c) {
    const int64_t cardinality = columns[size_t(c)].cardinality;
    if (cardinality == 0) continue;
    PT_TRY(BinCategories(rows, c, cardinality, communicator, bins[size_t(c)]));
  }
  return bins;
}

}  // namespace protium
