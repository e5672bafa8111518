// SPDX-License-Identifier: Apache-2.0
#include "collective/sparse_rows.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "collective/combine.h"

namespace protium {
namespace {

constexpr int32_t kFree = -1;
constexpr size_t kFewestSlots = 64;

// The finaliser of MurmurHash3: neighbouring ids land far apart.
uint64_t Mix(int64_t id) {
  auto x = uint64_t(id);
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
  return x ^ (x >> 33);
}

}  // namespace

// The slot that holds the id, or the free one where it belongs.
int32_t& SparseRows::SlotOf(int64_t id) {
  const size_t mask = slots_.size() - 1;
  size_t at = size_t(Mix(id)) & mask;
  while (slots_[at] != kFree && ids_[size_t(slots_[at])] != id) at = (at + 1) & mask;
  return slots_[at];
}

void SparseRows::Grow() {
  slots_.assign(std::max(kFewestSlots, slots_.size() * 2), kFree);
  for (size_t i = 0; i < ids_.size(); ++i) SlotOf(ids_[i]) = int32_t(i);
}

float* SparseRows::At(int64_t id) {
  if (2 * (ids_.size() + 1) > slots_.size()) Grow();
  int32_t& slot = SlotOf(id);
  if (slot == kFree) {
    PT_CHECK(ids_.size() < size_t{1} << 30);
    slot = int32_t(ids_.size());
    ids_.push_back(id);
    values_.resize(values_.size() + size_t(width_), 0.0f);
  }
  return values_.data() + slot * width_;
}

void SparseRows::Add(const SparseRows& other) {
  for (int64_t i = 0; i < other.count(); ++i) {
    float* const row = At(other.ids_[size_t(i)]);
    protium::Add(row, other.row(i), row, width_);
  }
}

void SparseRows::Clear() {
  ids_.clear();
  values_.clear();
  std::ranges::fill(slots_, kFree);
}

void SparseRows::Renumber(std::span<const int64_t> numbers) {
  for (int64_t& id : ids_) id = numbers[size_t(id)];
}

void SparseRows::Round() { RoundToBfloat16(values_.data(), int64_t(values_.size())); }

std::vector<int32_t> SparseRows::Ascending() const {
  std::vector<int32_t> order(ids_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [this](int32_t at) { return ids_[size_t(at)]; });
  return order;
}

}  // namespace protium
