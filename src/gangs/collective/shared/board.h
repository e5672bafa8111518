// SPDX-License-Identifier: Apache-2.0
// The memory in which ranks of one host meet: one memfd that rank 0 makes and all map.
//
// 1. A rank's `arrived` only grows; meeting n is over as soon as every rank's is n or more.
// 2. Meeting n uses the half n % 2. A rank touches that half again for meeting n + 2, which it
//    reaches only after every rank has left meeting n. So two halves are enough, and a meeting
//    costs one wait instead of two (one to come, one to leave).
// 3. A rank writes only its own seat and rooms. The head, with the first cause of failure, is
//    written by one rank, once.
//
// Layout, each part starting on a page: head; seats by rank; inline rooms by rank and half; slots
// by rank and half, then two for results.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "collective/request.h"
#include "os/memfd.h"

namespace protium {

class Board {
 public:
  static constexpr int64_t kInlineBytes = 8 << 10;  // A multiple of every element's size.
  // Small, so that what one rank has written is still cached when the others read it: a large
  // message then goes to memory and back once, not once for each of its copies. Not smaller, since
  // ranks wait for each other once per slot.
  static constexpr int64_t kSlotBytes = 256 << 10;
  static constexpr int64_t kMostCauseBytes = 16 << 10;

  // What one rank writes and others only read. Seats do not share cache lines, so that arriving
  // ranks do not take lines from each other.
  struct alignas(64) Seat {
    std::atomic<uint32_t> arrived;
    std::atomic<uint32_t> sleepers;  // Ranks that may sleep on `arrived`.
    std::array<Request, 2> requests;
  };

  Board() = default;
  // Maps memory of Bytes(world); zeroed memory is an empty board.
  static Result<Board> Map(const Memfd& memory, int32_t world);
  static int64_t Bytes(int32_t world);

  bool ready() const { return memory_.data() != nullptr; }
  Seat& seat(int32_t rank) const;
  // Space for small messages: one per rank and half.
  std::span<std::byte> Inline(int32_t rank, uint32_t half) const;
  // Space for parts of large messages: one per rank and half, and one more per half for results.
  std::span<std::byte> Slot(int32_t rank, uint32_t half) const;
  std::span<std::byte> ResultSlot(uint32_t half) const { return Slot(world_, half); }

  // Stores the first cause; drops later ones. Returns as soon as some cause can be read, or after 1
  // s. Any thread.
  void SetCause(const Status& cause) const;
  bool failed() const;
  Status Cause() const;  // OK until a cause is set.

 private:
  struct Head {
    std::atomic<uint32_t> cause_state;  // 0: none, 1: being written, 2: written.
    uint32_t cause_bytes;
    std::array<char, kMostCauseBytes> cause;
  };
  Head& head() const;

  int32_t world_ = 0;
  Mapping memory_;
};

}  // namespace protium
