// SPDX-License-Identifier: Apache-2.0
// 1. A cut is the row at a known position among all rows. Eight rounds of summed histograms, one
//    for each byte of the key's high half, find that row's high half and how many rows come before
//    it.
// 2. Rows that share the high half are then listed, each once with its count per rank, and counted
//    in order: exact for any keys, and short for any number of copies.
#include "rows/cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>

#include "base/fault.h"
#include "rows/key.h"

namespace protium {
namespace {

constexpr int kBins = 256;
constexpr int64_t kBlockRows = 4096;  // Of one scan.

// A high half shared by own rows, and where the last such row ends.
struct Stretch {
  uint64_t high = 0;
  int64_t end = 0;
};

// The search for one cut. Rows [begin, end) of this rank share the prefix; `target` lies among
// the `within` rows of all ranks that do.
struct Search {
  int64_t target = 0;   // Global position of the row to find.
  uint64_t prefix = 0;  // The part of its high half found so far.
  int64_t below = 0;    // Rows of all ranks below the prefix.
  int64_t within = 0;   // Rows of all ranks that share the prefix.
  int64_t begin = 0;    // Own rows that share it.
  int64_t end = 0;
  // Of these rows, after the first bytes of the prefix are found. Searches for neighbouring cuts
  // often cover the same rows.
  std::shared_ptr<const std::vector<Stretch>> stretches;
};

// Where the rows of a sorted store end by their high halves: a table by the first bits, which one
// pass fills; for the following bits only the rows of a search are read, and copies of a row,
// however many, are one entry. So it takes little memory for any number of rows.
class HighHalves {
 public:
  static constexpr int kTableBits = 16;
  static constexpr int kRestBits = 64 - kTableBits;

  static Result<HighHalves> Read(const RowStore& rows) {
    HighHalves out(rows);
    const auto scan = rows.Scan({0, rows.rows()});
    std::vector<uint64_t> highs(kBlockRows);
    while (true) {
      PT_LET(const auto keys, NextHighs(*scan, rows.width(), highs));
      if (keys.empty()) break;
      for (const uint64_t high : keys) ++out.ends_[high >> kRestBits];
    }
    std::partial_sum(out.ends_.begin(), out.ends_.end(), out.ends_.begin());
    return out;
  }

  // For searches whose prefixes have kTableBits; those with the same rows must be adjacent.
  Status ReadStretches(std::span<Search> searches) const {
    const Search* last = nullptr;
    for (Search& search : searches) {
      if (last != nullptr && last->begin == search.begin && last->end == search.end) {
        search.stretches = last->stretches;
      } else {
        PT_LET(auto stretches, StretchesOf({search.begin, search.end}));
        search.stretches = std::make_shared<const std::vector<Stretch>>(std::move(stretches));
      }
      last = &search;
    }
    return Status::OK();
  }

  // Returns where the rows of a search end whose high half is `last` or less. All bits of `last`
  // below the byte at `shift` are ones.
  int64_t EndOf(const Search& search, uint64_t last, int shift) const {
    if (shift >= kRestBits) return ends_[last >> kRestBits];
    const auto& of = *search.stretches;
    const auto after = std::upper_bound(of.begin(), of.end(), last,
                                        [](uint64_t x, const Stretch& y) { return x < y.high; });
    return after == of.begin() ? search.begin : std::prev(after)->end;
  }

 private:
  Result<std::vector<Stretch>> StretchesOf(RowSpan range) const {
    std::vector<Stretch> stretches;
    const auto scan = rows_->Scan(range);
    std::vector<uint64_t> highs(kBlockRows);
    int64_t end = range.begin;
    while (true) {
      PT_LET(const auto keys, NextHighs(*scan, rows_->width(), highs));
      if (keys.empty()) return stretches;
      for (const uint64_t high : keys) {
        if (stretches.empty() || stretches.back().high != high) stretches.push_back({high, end});
        stretches.back().end = ++end;
      }
    }
  }

  explicit HighHalves(const RowStore& rows) : rows_(&rows), ends_(size_t{1} << kTableBits) {}

  static Result<std::span<const uint64_t>> NextHighs(RowScan& scan, int64_t width,
                                                     std::vector<uint64_t>& highs) {
    PT_LET(const auto block, scan.Next(kBlockRows));
    const auto out = std::span(highs).first(block.size() / size_t(width));
    WriteHighKeys(block.data(), width, out);
    return std::span<const uint64_t>(out);
  }

  const RowStore* rows_;
  std::vector<int64_t> ends_;  // By the first bits of the high half.
};

// Counts how many of the own rows of each search fall into each bin of its next byte. The rows are
// sorted, so a bin ends at the first row above the last high half with the bin's byte.
std::vector<uint64_t> CountBins(const HighHalves& highs, std::span<const Search> searches,
                                int shift) {
  std::vector<uint64_t> bins(searches.size() * kBins);
  for (size_t s = 0; s < searches.size(); ++s) {
    int64_t from = searches[s].begin;
    for (uint64_t bin = 0; bin < kBins && from != searches[s].end; ++bin) {
      const uint64_t last = searches[s].prefix | (bin << shift) | ((uint64_t{1} << shift) - 1);
      const int64_t to = highs.EndOf(searches[s], last, shift);
      bins[s * kBins + bin] = uint64_t(to - from);
      from = to;
    }
  }
  return bins;
}

// The next byte is that of the bin in which the target lies, counting all ranks' rows from the
// lowest bin on; every rank finds the same bin, and the position of its own rows relative to it.
void Narrow(Search& search, std::span<const uint64_t> own, std::span<const uint64_t> all,
            int shift) {
  uint64_t bin = 0;
  while (search.below + int64_t(all[bin]) <= search.target) {
    search.below += int64_t(all[bin]);
    search.begin += int64_t(own[bin]);
    ++bin;
  }
  search.end = search.begin + int64_t(own[bin]);
  search.within = int64_t(all[bin]);
  search.prefix |= bin << shift;
}

Status FindHighs(const HighHalves& highs, std::vector<Search>& searches,
                 Communicator& communicator) {
  // All cuts are searched at once: a round costs one all-reduce of 256 counts for each.
  for (int shift = 56; shift >= 0; shift -= 8) {
    if (shift + 8 == HighHalves::kRestBits) {
      PT_TRY(highs.ReadStretches(searches));
    }
    const std::vector<uint64_t> own = CountBins(highs, searches, shift);
    std::vector<uint64_t> all = own;
    PT_TRY(communicator.AllReduce(AsBuffer(std::span(all)), Op::kSum));
    for (size_t s = 0; s < searches.size(); ++s) {
      const auto bins = [&](const auto& of) {
        return std::span<const uint64_t>(of).subspan(s * kBins, kBins);
      };
      Narrow(searches[s], bins(own), bins(all), shift);
    }
  }
  return Status::OK();
}

void AppendNumber(std::string& text, int64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Appends the distinct rows of a search's range: their number, then the count and bytes of each.
Status AppendDistinct(const RowStore& sorted, const Search& search, std::string& text) {
  const auto width = size_t(sorted.width());
  const size_t at = text.size();
  int64_t distinct = 0, count = 0;
  AppendNumber(text, distinct);
  const auto scan = sorted.Scan({search.begin, search.end});
  while (true) {
    PT_LET(auto rows, scan->Next(kBlockRows));
    if (rows.empty()) break;
    for (; !rows.empty(); rows = rows.subspan(width)) {
      // The text ends with the previous row, which may be from another block.
      const size_t last = text.size() - width;
      if (distinct == 0 || std::memcmp(text.data() + last, rows.data(), width) != 0) {
        AppendNumber(text, count = 1);
        text.append(reinterpret_cast<const char*>(rows.data()), width);
        ++distinct;
      } else {
        ++count;
        std::memcpy(text.data() + last - sizeof(count), &count, sizeof(count));
      }
    }
  }
  std::memcpy(text.data() + at, &distinct, sizeof(distinct));
  return Status::OK();
}

// Reads what AppendDistinct() wrote; fails instead of reading beyond the end.
class DistinctReader {
 public:
  DistinctReader(std::string_view text, int64_t width, size_t rank)
      : text_(text), width_(width), rank_(rank) {}

  Result<int64_t> Number() {
    int64_t number = 0;
    PT_LET(const std::string_view bytes, Take(sizeof(number)));
    std::memcpy(&number, bytes.data(), sizeof(number));
    if (number < 0) return Malformed("holds a count below 0");
    return number;
  }
  Result<std::string_view> Row() { return Take(size_t(width_)); }

 private:
  Result<std::string_view> Take(size_t bytes) {
    if (bytes > text_.size()) return Malformed("ends early");
    const std::string_view taken = text_.substr(0, bytes);
    text_.remove_prefix(bytes);
    return taken;
  }
  Status Malformed(const char* how) const {
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format("the list of tied rows of rank {} {}", rank_, how)});
  }
  std::string_view text_;
  int64_t width_;
  size_t rank_;
};

struct RowLess {
  int64_t width;
  bool operator()(std::string_view a, std::string_view b) const {
    const auto* x = reinterpret_cast<const std::byte*>(a.data());
    const auto* y = reinterpret_cast<const std::byte*>(b.data());
    return CompareRows(HashRow(x, width), x, HashRow(y, width), y, width) < 0;
  }
};

// Tied rows in order, each with its copies by rank.
using Tied = std::map<std::string_view, std::vector<int64_t>, RowLess>;

Result<Tied> ReadTied(std::vector<DistinctReader>& readers, int64_t width) {
  Tied tied(RowLess{width});
  for (size_t r = 0; r < readers.size(); ++r) {
    PT_LET(const int64_t distinct, readers[r].Number());
    for (int64_t i = 0; i < distinct; ++i) {
      PT_LET(const int64_t copies, readers[r].Number());
      PT_LET(const std::string_view row, readers[r].Row());
      auto& by_rank = tied[row];
      by_rank.resize(readers.size());
      by_rank[r] = copies;
    }
  }
  return tied;
}

// Returns how many of rank `rank`'s tied rows come before position `offset` of all tied rows.
int64_t CountOff(const Tied& tied, int64_t offset, size_t rank) {
  int64_t own = 0;
  for (const auto& [row, by_rank] : tied) {
    for (size_t r = 0; r < by_rank.size(); ++r) {
      const int64_t taken = std::min(by_rank[r], offset);
      offset -= taken;
      if (r == rank) own += taken;
    }
    if (offset == 0) break;
  }
  return own;
}

Status SplitTies(const RowStore& sorted, std::vector<Search>& searches,
                 Communicator& communicator) {
  std::string text;
  // If only one row has the high half, the cut is right before it.
  const auto lists = [&](size_t s) {
    return searches[s].within > 1 && (s == 0 || searches[s].prefix != searches[s - 1].prefix);
  };
  for (size_t s = 0; s < searches.size(); ++s) {
    if (lists(s)) PT_TRY(AppendDistinct(sorted, searches[s], text));
  }
  // All ranks list the same searches in the same order, so the texts need no names.
  PT_LET(const auto all, communicator.AllGather(text));
  std::vector<DistinctReader> readers;
  for (size_t r = 0; r < all.size(); ++r) readers.emplace_back(all[r], sorted.width(), r);
  Tied tied(RowLess{sorted.width()});
  for (size_t s = 0; s < searches.size(); ++s) {
    Search& search = searches[s];
    if (search.within <= 1) continue;
    // Cuts that share the high half are counted in the same list.
    if (lists(s)) {
      PT_LET(tied, ReadTied(readers, sorted.width()));
    }
    search.begin += CountOff(tied, search.target - search.below, size_t(communicator.rank()));
  }
  return Status::OK();
}

Result<Cuts> ShareCuts(const std::vector<int64_t>& own, Communicator& communicator) {
  const std::string_view text(reinterpret_cast<const char*>(own.data()),
                              own.size() * sizeof(int64_t));
  PT_LET(const auto all, communicator.AllGather(text));
  Cuts cuts;
  for (size_t r = 0; r < all.size(); ++r) {
    if (all[r].size() != text.size()) {
      return Fail(
          {.exit = Exit::kBug,
           .what = fmt::format("rank {} cuts its rows into a different number of shards", r)});
    }
    std::vector<int64_t> one(own.size());
    std::memcpy(one.data(), all[r].data(), all[r].size());
    cuts.push_back(std::move(one));
  }
  return cuts;
}

}  // namespace

int64_t ShardBegin(int64_t rows, int32_t shards, int32_t shard) {
  return int64_t(__int128(rows) * shard / shards);
}

Result<Cuts> FindCuts(const RowStore& sorted, int32_t shards, Communicator& communicator) {
  const int64_t rows = sorted.rows();
  std::array<int64_t, 1> total{rows};
  PT_TRY(communicator.AllReduce(AsBuffer(std::span<int64_t>(total)), Op::kSum));
  std::vector<int64_t> own(size_t(shards) + 1);
  own.back() = rows;
  // A gang of one has all rows in order: positions are the cuts.
  if (total[0] > 0 && communicator.world() == 1) {
    for (int32_t s = 0; s < shards; ++s) own[size_t(s)] = ShardBegin(total[0], shards, s);
  } else if (total[0] > 0) {
    PT_LET(const HighHalves highs, HighHalves::Read(sorted));
    std::vector<Search> searches;
    for (int32_t s = 1; s < shards; ++s) {
      searches.push_back({.target = ShardBegin(total[0], shards, s), .end = rows});
    }
    PT_TRY(FindHighs(highs, searches, communicator));
    PT_TRY(SplitTies(sorted, searches, communicator));
    for (size_t s = 0; s < searches.size(); ++s) own[s + 1] = searches[s].begin;
  }
  return ShareCuts(own, communicator);
}

}  // namespace protium
