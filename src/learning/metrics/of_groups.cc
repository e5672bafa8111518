// SPDX-License-Identifier: Apache-2.0
// Metrics of the order of rows within their groups. They need every row.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/strict_math.h"
#include "metrics/base64.h"
#include "metrics/kinds.h"
#include "metrics/relevance.h"
#include "protium/fields.h"

namespace protium {
namespace {

struct GroupedRow {
  uint64_t group = 0;
  float score = 0;
  float label = 0;  // NaN: it is no relevance.
  float weight = 0;
  uint32_t unused = 0;  // So that no byte is without a value.

  // By group, then by falling score. NaN, which a program's own model may return, comes last.
  auto Key() const {
    const bool missing = std::isnan(score);
    return std::tuple(group, missing, missing ? 0 : -score, Bits(label), Bits(weight));
  }
  static uint32_t Bits(float number) { return std::bit_cast<uint32_t>(number); }
};
static_assert(std::is_trivially_copyable_v<GroupedRow> && sizeof(GroupedRow) == 24);

float Relevance(double label) {
  return IsRelevance(label) ? float(label) : std::numeric_limits<float>::quiet_NaN();
}

double Discount(size_t place) { return StrictLog1p(1.0) / StrictLog1p(double(place + 1)); }

struct RowsJson {
  std::string rows;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
  }
};

// The normalised discounted cumulative gain (Jarvelin and Kekalainen, 2002) of the first `best`
// rows of each group, as a weighted mean over groups: a group's weight is the mean of its rows'. A
// row of relevance r at place p, from 0, gains (2^r - 1) / log2(2 + p). Rows of equal scores share
// their places: each gains what it would on average over all their orders (McSherry and Najork,
// 2008). A group without any relevant row counts as 1, as in LightGBM and XGBoost.
class Ndcg final : public Metric {
 public:
  explicit Ndcg(int64_t best) : best_(size_t(best)) {}

  void Add(const Judged& row) override {
    // Adding 0 turns -0.0 into 0.0.
    rows_.push_back(
        {row.group, float(row.scores[0]) + 0.0F, Relevance(row.labels[0]), float(row.weight)});
  }

  Json ToJson() const override {
    const std::vector<GroupedRow> sorted = Sorted();
    const auto* const bytes = reinterpret_cast<const char*>(sorted.data());
    return FieldsToJson(RowsJson{ToBase64({bytes, sorted.size() * sizeof(GroupedRow)})});
  }

  Status Merge(const Json& json) override {
    RowsJson in;
    PT_TRY(FieldsFromJson(json, "state", in));
    const std::optional<std::string> bytes = FromBase64(in.rows);
    if (!bytes || bytes->size() % sizeof(GroupedRow) != 0) {
      return Fail({.what = "a state of ranked groups is damaged"});
    }
    const size_t before = rows_.size(), more = bytes->size() / sizeof(GroupedRow);
    rows_.resize(before + more);
    if (more > 0) std::memcpy(rows_.data() + before, bytes->data(), bytes->size());
    return Status::OK();
  }

  double Value() const override {
    const std::vector<GroupedRow> rows = Sorted();
    double sum = 0, weights = 0;
    for (size_t first = 0; first < rows.size();) {
      size_t end = first;
      double weight = 0;
      for (; end < rows.size() && rows[end].group == rows[first].group; ++end) {
        weight += double(rows[end].weight);
      }
      weight /= double(end - first);
      sum += weight * OfGroup({rows.data() + first, end - first});
      weights += weight;
      first = end;
    }
    return sum / weights;
  }

 private:
  std::vector<GroupedRow> Sorted() const {
    std::vector<GroupedRow> sorted = rows_;
    std::ranges::sort(sorted, {}, &GroupedRow::Key);
    return sorted;
  }

  // NaN if a label is no relevance.
  double OfGroup(std::span<const GroupedRow> rows) const {
    std::vector<double> gains;
    for (const GroupedRow& each : rows) {
      if (std::isnan(each.label)) return std::numeric_limits<double>::quiet_NaN();
      gains.push_back(GainOf(each.label));
    }
    const double reached = Dcg(rows, gains);
    std::ranges::sort(gains, std::greater<>());
    double most = 0;
    for (size_t p = 0; p < std::min(best_, gains.size()); ++p) most += gains[p] * Discount(p);
    return most > 0 ? reached / most : 1;
  }

  double Dcg(std::span<const GroupedRow> rows, std::span<const double> gains) const {
    double sum = 0;
    for (size_t first = 0; first < std::min(best_, rows.size());) {
      size_t end = first;
      double gain = 0, discount = 0;
      for (; end < rows.size() && SameScore(rows[end], rows[first]); ++end) {
        gain += gains[end];
        if (end < best_) discount += Discount(end);
      }
      sum += gain / double(end - first) * discount;
      first = end;
    }
    return sum;
  }

  static bool SameScore(const GroupedRow& a, const GroupedRow& b) {
    return a.score == b.score || (std::isnan(a.score) && std::isnan(b.score));
  }

  size_t best_;
  std::vector<GroupedRow> rows_;
};

}  // namespace

std::unique_ptr<Metric> MakeNdcg(int64_t best) { return std::make_unique<Ndcg>(best); }

}  // namespace protium
