// SPDX-License-Identifier: Apache-2.0
// A hash table from numbers to counts, with open addressing: a column of a million distinct numbers
// is counted several times as fast as in an unordered_map, which allocates for each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace protium {

class NumberTable {
 public:
  struct Entry {
    double number = 0;
    int64_t count = 0;  // 0: the slot is empty.
  };

  // Walks over the entries, in no particular order.
  class Iterator {
   public:
    Iterator(const Entry* at, const Entry* end) : at_(at), end_(end) { Skip(); }
    const Entry& operator*() const { return *at_; }
    const Entry* operator->() const { return at_; }
    Iterator& operator++() {
      ++at_;
      Skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void Skip() {
      while (at_ != end_ && at_->count == 0) ++at_;
    }
    const Entry* at_;
    const Entry* end_;
  };

  // Adds `count`, above 0, to that of a number, which must not be NaN. Returns false, and adds
  // nothing, if there would be more than `most` numbers. -0.0 and 0.0 are one number, 0.0: which
  // came first depends on the order of rows.
  bool Add(double number, int64_t count, size_t most) {
    if (2 * (size_ + 1) > slots_.size()) Grow();
    Entry& entry = Find(number + 0.0);
    if (entry.count == 0) {
      if (size_ >= most) return false;
      ++size_;
      entry.number = number + 0.0;
    }
    entry.count += count;
    return true;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return {slots_.data(), slots_.data() + slots_.size()}; }
  Iterator end() const { return {slots_.data() + slots_.size(), slots_.data() + slots_.size()}; }

 private:
  // Numbers with few digits differ only in their highest bits, so these are mixed into all bits
  // (MurmurHash3's finalizer, https://github.com/aappleby/smhasher).
  static size_t Hash(double number) {
    auto bits = std::bit_cast<uint64_t>(number);
    bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdu;
    bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53u;
    return size_t(bits ^ (bits >> 33));
  }

  // Returns the number's slot, or the empty one for it. Half of the slots are empty.
  Entry& Find(double number) {
    for (size_t at = Hash(number);; ++at) {
      Entry& entry = slots_[at & (slots_.size() - 1)];
      if (entry.count == 0 || entry.number == number) return entry;
    }
  }

  void Grow() {
    std::vector<Entry> old(slots_.empty() ? 16 : 2 * slots_.size());
    std::swap(old, slots_);
    for (const Entry& each : old) {
      if (each.count > 0) Find(each.number) = each;
    }
  }

  std::vector<Entry> slots_;  // A power of two.
  size_t size_ = 0;
};

}  // namespace protium
