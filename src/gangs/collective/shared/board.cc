// SPDX-License-Identifier: Apache-2.0
#include "collective/shared/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "base/fault.h"

namespace protium {
namespace {

constexpr int64_t kPage = 4096;

int64_t Pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

int64_t Board::Bytes(int32_t world) {
  return Pages(sizeof(Head)) + Pages(world * int64_t(sizeof(Seat))) + 2 * world * kInlineBytes +
         2 * (world + 1) * kSlotBytes;
}

Result<Board> Board::Map(const Memfd& memory, int32_t world) {
  if (memory.size() != Bytes(world)) {
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("rank 0 shares a board of {} bytes, but that of a world of {} "
                                     "has {}",
                                     memory.size(), world, Bytes(world)),
                 .why = "rank 0 runs another version"});
  }
  Board board;
  board.world_ = world;
  PT_LET(board.memory_, memory.Map());
  return board;
}

Board::Head& Board::head() const { return *std::launder(reinterpret_cast<Head*>(memory_.data())); }

Board::Seat& Board::seat(int32_t rank) const {
  std::byte* seats = memory_.data() + Pages(sizeof(Head));
  return *std::launder(reinterpret_cast<Seat*>(seats + rank * sizeof(Seat)));
}

std::span<std::byte> Board::Inline(int32_t rank, uint32_t half) const {
  std::byte* first = memory_.data() + Pages(sizeof(Head)) + Pages(world_ * int64_t(sizeof(Seat)));
  return {first + (2 * rank + int32_t(half)) * kInlineBytes, size_t(kInlineBytes)};
}

std::span<std::byte> Board::Slot(int32_t rank, uint32_t half) const {
  std::byte* first = Inline(world_, 0).data();
  return {first + (2 * rank + int32_t(half)) * kSlotBytes, size_t(kSlotBytes)};
}

void Board::SetCause(const Status& cause) const {
  uint32_t none = 0;
  if (!head().cause_state.compare_exchange_strong(none, 1)) {
    // Another rank is writing its cause, and callers report what is on the board next: waits for
    // it. At most one second, since the writer may have died.
    const auto until = Clock::now() + std::chrono::seconds(1);
    while (!failed() && Clock::now() < until) std::this_thread::yield();
    return;
  }
  std::string text = Dump(StatusToJson(cause));
  if (text.size() > kMostCauseBytes) {
    // Cut to what a user reads first; half a JSON document could not be read at all.
    text = Dump(StatusToJson(Status::UnknownError(FaultOf(cause).what.substr(0, 1000))));
  }
  head().cause_bytes = uint32_t(std::min<size_t>(text.size(), kMostCauseBytes));
  std::copy_n(text.begin(), head().cause_bytes, head().cause.begin());
  // Released last: whoever sees the 2 also sees the text.
  head().cause_state.store(2, std::memory_order_release);
}

bool Board::failed() const { return head().cause_state.load(std::memory_order_acquire) == 2; }

Status Board::Cause() const {
  if (!failed()) return Status::OK();
  const size_t bytes = std::min<size_t>(head().cause_bytes, kMostCauseBytes);
  const auto json = ParseJson({head().cause.data(), bytes});
  const Status cause = json.ok() ? StatusFromJson(*json) : json.status();
  return cause.ok() ? Status::UnknownError("a rank failed without giving a cause") : cause;
}

}  // namespace protium
