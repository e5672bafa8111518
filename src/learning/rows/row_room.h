// SPDX-License-Identifier: Apache-2.0
// How much memory the rows of one rank may take, and where the rest goes. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

namespace protium {

// Memory that the stores of a rank share; it only counts. A store that comes when everything is
// used takes the little that it cannot work without, so the remainder may fall below 0.
class RowBudget {
 public:
  explicit RowBudget(int64_t bytes) : bytes_(bytes), left_(bytes) {}
  int64_t bytes() const { return bytes_; }
  int64_t left() const { return left_; }
  void Take(int64_t bytes) { left_ -= bytes; }

 private:
  int64_t bytes_;
  int64_t left_;
};

// What one store has taken of a budget; returned on destruction.
class RowGrant {
 public:
  explicit RowGrant(std::shared_ptr<RowBudget> budget) : budget_(std::move(budget)) {}
  RowGrant(const RowGrant&) = delete;
  RowGrant& operator=(const RowGrant&) = delete;
  ~RowGrant() { Set(0); }

  int64_t bytes() const { return bytes_; }
  // Grows to `bytes`; false if the budget does not have them.
  bool Grow(int64_t bytes) {
    if (bytes - bytes_ > budget_->left()) return false;
    Set(std::max(bytes, bytes_));
    return true;
  }
  void Set(int64_t bytes) { budget_->Take(bytes - std::exchange(bytes_, bytes)); }
  const RowBudget& budget() const { return *budget_; }

 private:
  std::shared_ptr<RowBudget> budget_;
  int64_t bytes_ = 0;
};

// Where rows may be stored.
struct RowRoom {
  // A larger budget (1 TiB) means none: reserving address space for as many rows as it allows could
  // fail.
  static constexpr int64_t kLargest = int64_t{1} << 40;

  RowRoom() : RowRoom(kLargest + 1) {}
  // `bytes` of memory, and no disk.
  RowRoom(int64_t bytes) : memory(std::make_shared<RowBudget>(bytes)) {}

  bool limited() const { return memory->bytes() <= kLargest; }

  std::shared_ptr<RowBudget> memory;
  std::filesystem::path disk;  // A folder for rows beyond memory; empty: none.
};

}  // namespace protium
