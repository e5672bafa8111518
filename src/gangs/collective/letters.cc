// SPDX-License-Identifier: Apache-2.0
// A window begins with a Head; then, by receiver, come a Slot and the bytes of the boxes.
#include "collective/letters.h"

#include <fmt/format.h>

#include <atomic>
#include <new>
#include <thread>

#include "base/fault.h"

namespace protium {
namespace {

constexpr int64_t kLine = 64;  // Boxes share no cache lines.

struct alignas(kLine) Head {
  std::atomic<uint32_t> left;
};
struct alignas(kLine) Slot {
  std::atomic<uint64_t> sent;
  int64_t bytes;   // Of the last letter.
  int64_t offset;  // Of its box in the window.
  int64_t most_bytes;
};

int64_t Rounded(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

int64_t WindowBytes(const std::vector<int64_t>& most_bytes) {
  int64_t bytes = int64_t(sizeof(Head)) + int64_t(most_bytes.size() * sizeof(Slot));
  for (const int64_t each : most_bytes) bytes += Rounded(each);
  return bytes;
}

const Head& HeadOf(const std::byte* window) {
  return *std::launder(reinterpret_cast<const Head*>(window));
}
Head& HeadOf(std::byte* window) { return *std::launder(reinterpret_cast<Head*>(window)); }

const Slot& SlotOf(const std::byte* window, int32_t receiver) {
  return std::launder(reinterpret_cast<const Slot*>(window + sizeof(Head)))[receiver];
}
Slot& SlotOf(std::byte* window, int32_t receiver) {
  return std::launder(reinterpret_cast<Slot*>(window + sizeof(Head)))[receiver];
}

Status NotHere() {
  return Fail({.exit = Exit::kUsage,
               .what = "ranks on several machines send each other no letters",
               .where = "train.mode",
               .fix = "train on one machine, or with mode = \"exact\""});
}

}  // namespace

void ShortSleeps::Sleep() {
  // Microseconds. Yielding instead would wait for the slices of all who want the core.
  constexpr int kLooks = 200;
  constexpr std::chrono::microseconds kShort{50};
  if (++count_ > kLooks) std::this_thread::sleep_for(kShort);
}

Letters::Letters(const LettersSpec& spec, std::unique_ptr<Window> window, int32_t rank)
    : spec_(spec), window_(std::move(window)), rank_(rank), taken_(spec.most_bytes.size(), 0) {
  std::byte* const own = window_->own().data();
  int64_t offset = int64_t(sizeof(Head)) + int64_t(spec.most_bytes.size() * sizeof(Slot));
  for (size_t r = 0; r < spec.most_bytes.size(); ++r) {
    Slot& slot = SlotOf(own, int32_t(r));
    slot.offset = offset;
    slot.most_bytes = spec.most_bytes[r];
    offset += Rounded(spec.most_bytes[r]);
  }
}

Result<std::unique_ptr<Letters>> Letters::Make(const LettersSpec& spec,
                                               Communicator& communicator) {
  PT_CHECK(int32_t(spec.most_bytes.size()) == communicator.world());
  PT_LET(std::unique_ptr<Window> window, communicator.MakeWindow(WindowBytes(spec.most_bytes)));
  for (int32_t r = 0; r < communicator.world(); ++r) {
    if (window->Direct(r) == nullptr) return NotHere();
  }
  std::unique_ptr<Letters> out(new Letters(spec, std::move(window), communicator.rank()));
  PT_TRY(communicator.Barrier("boxes for letters"));
  return out;
}

std::span<std::byte> Letters::Box(int32_t rank) {
  const Slot& slot = SlotOf(window_->own().data(), rank);
  return window_->own().subspan(size_t(slot.offset), size_t(slot.most_bytes));
}

void Letters::Send(int32_t rank, int64_t bytes) {
  Slot& slot = SlotOf(window_->own().data(), rank);
  PT_CHECK(bytes <= slot.most_bytes);
  slot.bytes = bytes;
  slot.sent.fetch_add(1, std::memory_order_release);
}

std::optional<std::span<const std::byte>> Letters::Take(int32_t rank) {
  const std::byte* const window = window_->Direct(rank);
  const Slot& slot = SlotOf(window, rank_);
  if (slot.sent.load(std::memory_order_acquire) == taken_[size_t(rank)]) return std::nullopt;
  ++taken_[size_t(rank)];
  return std::span(window + slot.offset, size_t(slot.bytes));
}

bool Letters::HasLeft(int32_t rank) const {
  return HeadOf(window_->Direct(rank)).left.load(std::memory_order_acquire) != 0;
}

void Letters::Leave() { HeadOf(window_->own().data()).left.store(1, std::memory_order_release); }

Result<std::span<const std::byte>> Letters::Await(int32_t rank) {
  const auto until = std::chrono::steady_clock::now() + spec_.deadline;
  ShortSleeps sleeps;
  while (true) {
    // Before Take(): a letter may come before its rank leaves.
    const bool left = HasLeft(rank);
    if (const auto letter = Take(rank)) return *letter;
    if (left) {
      return Fail({.exit = Exit::kRemote, .what = fmt::format("rank {} has left", rank)});
    }
    if (std::chrono::steady_clock::now() >= until) {
      return Fail({.exit = Exit::kStalled,
                   .what = fmt::format("rank {} did not answer rank {} within {:g} s", rank, rank_,
                                       spec_.deadline.count()),
                   .where = "gang.deadline"});
    }
    sleeps.Sleep();
  }
}

}  // namespace protium
