// SPDX-License-Identifier: Apache-2.0
#include "metrics/score_bag.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "base/fault.h"
#include "protium/fields.h"

namespace protium {
namespace {

// Maps floats to whole numbers in the same order; -0.0 equals 0.0. The bits of positive floats are
// already in order (IEEE 754), those of negative ones in reverse: inverts the latter, and sets the
// highest bit of the former to put them above.
uint32_t OrderedBits(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Seven bits per byte, lowest first; the highest bit of a byte means that more follow.
void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(char(value | 0x80));
  out.push_back(char(value));
}

class VarintReader {
 public:
  explicit VarintReader(std::string_view text) : text_(text) {}
  bool done() const { return at_ == text_.size(); }
  // Returns false at the end of the text and beyond 64 bits.
  bool Read(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !done(); shift += 7) {
      const auto byte = static_cast<unsigned char>(text_[at_++]);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::string ToBase64(const std::string& bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), int(bytes.size()));
  out.resize(size_t(length));
  return out;
}

Status Damaged() { return Fail({.what = "a state of ranked scores is damaged"}); }

Result<std::string> FromBase64(const std::string& text) {
  if (text.size() % 4 != 0 || text.size() > size_t(std::numeric_limits<int>::max())) {
    return Damaged();
  }
  std::string out(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  if (length < 0) return Damaged();
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  // EVP_DecodeBlock() includes the zero bytes for padding in its count.
  out.resize(size_t(length) - padding);
  return out;
}

// The bag as bytes, in its order. For each entry: the score's distance from the previous one; the
// number of rows, doubled, plus 1 for a positive label; the weight's bits, exclusive-or those of 1.
// All three are small for a typical table, where an entry takes about four bytes.
std::string Packed(const std::vector<Ranked>& ranked) {
  std::string bytes;
  uint32_t before = 0;
  for (const Ranked& each : ranked) {
    AppendVarint(each.score - before, bytes);
    AppendVarint(uint64_t(each.rows) * 2 + (each.positive ? 1 : 0), bytes);
    AppendVarint(each.weight ^ std::bit_cast<uint32_t>(1.0f), bytes);
    before = each.score;
  }
  return bytes;
}

Status Unpack(std::string_view bytes, std::vector<Ranked>& out) {
  VarintReader reader(bytes);
  uint64_t score = 0;
  while (!reader.done()) {
    uint64_t step = 0, rows = 0, weight = 0;
    if (!reader.Read(step) || !reader.Read(rows) || !reader.Read(weight)) return Damaged();
    score += step;
    if (score > std::numeric_limits<uint32_t>::max() || rows < 2 || weight > UINT32_MAX) {
      return Damaged();
    }
    out.push_back({uint32_t(score), (rows & 1) != 0,
                   uint32_t(weight) ^ std::bit_cast<uint32_t>(1.0f), int64_t(rows >> 1)});
  }
  return Status::OK();
}

bool Before(const Ranked& a, const Ranked& b) { return a.Key() < b.Key(); }

// One pass of a radix sort: by 11 bits of the score from `shift` on, otherwise in the given order.
void SortByBits(int shift, std::span<const Ranked> from, std::span<Ranked> to) {
  const auto digit = [shift](const Ranked& each) { return (each.score >> shift) & 0x7ffu; };
  std::array<size_t, 0x800> ends{};
  for (const Ranked& each : from) ++ends[digit(each)];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (size_t i = from.size(); i-- > 0;) to[--ends[digit(from[i])]] = from[i];
}

// Comparisons would cost more than making the scores.
void SortByScore(std::span<Ranked> rows) {
  std::vector<Ranked> other(rows.size());
  SortByBits(0, rows, other);
  SortByBits(11, other, rows);
  SortByBits(22, rows, other);
  std::ranges::copy(other, rows.begin());
}

void Sort(std::span<Ranked> rows) {
  constexpr size_t kFew = 1 << 10;
  if (rows.size() < kFew) {
    std::ranges::sort(rows, Before);
    return;
  }
  SortByScore(rows);
  for (auto at = rows.begin(); at != rows.end();) {
    const auto end =
        std::find_if(at, rows.end(), [&](const Ranked& each) { return each.score != at->score; });
    std::sort(at, end, Before);
    at = end;
  }
}

// Sorts, and merges equal entries. The first `sorted` are in order already.
void Compact(size_t sorted, std::vector<Ranked>& ranked) {
  Sort(std::span(ranked).subspan(sorted));
  std::inplace_merge(ranked.begin(), ranked.begin() + ptrdiff_t(sorted), ranked.end(), Before);
  size_t kept = 0;
  for (size_t i = 0; i < ranked.size(); ++i) {
    if (kept > 0 && ranked[kept - 1].Key() == ranked[i].Key()) {
      ranked[kept - 1].rows += ranked[i].rows;
    } else {
      ranked[kept++] = ranked[i];
    }
  }
  ranked.resize(kept);
}

struct RankedJson {
  std::string ranked;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("ranked", ranked);
  }
};

}  // namespace

// The inverse of OrderedBits().
double Ranked::value() const {
  return double(std::bit_cast<float>((score & 0x80000000u) != 0 ? score & 0x7fffffffu : ~score));
}

void ScoreBag::Add(double score, bool positive, double weight) {
  ranked_.push_back(
      {OrderedBits(float(score)), positive, std::bit_cast<uint32_t>(float(weight)), 1});
  if (ranked_.size() > most_) Shrink();
}

Json ScoreBag::ToJson() const { return FieldsToJson(RankedJson{ToBase64(Packed(Sorted()))}); }

Status ScoreBag::Merge(const Json& json) {
  RankedJson in;
  PT_TRY(FieldsFromJson(json, "state", in));
  PT_LET(const std::string bytes, FromBase64(in.ranked));
  Shrink();
  PT_TRY(Unpack(bytes, ranked_));
  Shrink();
  return Status::OK();
}

std::vector<Ranked> ScoreBag::Sorted() const {
  std::vector<Ranked> sorted = ranked_;
  if (sorted_ < sorted.size()) Compact(sorted_, sorted);
  return sorted;
}

void ScoreBag::Shrink() {
  Compact(sorted_, ranked_);
  sorted_ = ranked_.size();
  most_ = 2 * ranked_.size() + (1 << 16);
}

}  // namespace protium
