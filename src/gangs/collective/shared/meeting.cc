// SPDX-License-Identifier: Apache-2.0
#include "collective/shared/meeting.h"

#include <fmt/format.h>
#include <poll.h>

#include "base/fault.h"
#include "os/futex.h"
#include "os/machine.h"
#include "os/poll.h"

namespace protium {
namespace {

// How long to spin before sleeping. Long enough for a sleeper that was just woken, so that ranks in
// step with each other return to spinning.
constexpr std::chrono::microseconds kLongSpin{100};
// The length of most spins while spinning has not helped lately (ranks share a core, or one is much
// slower).
constexpr std::chrono::microseconds kShortSpin{3};
constexpr uint32_t kVain = 3;
constexpr uint32_t kTryAgain = 32;  // After this many waits a long spin is tried again.
// Between two checks for ranks that are gone.
constexpr std::chrono::milliseconds kSlice{20};
constexpr std::string_view kGreeting = "protium board 1";

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// POLLRDHUP is set when the other end closed, which the kernel also does for a killed process, even
// if bytes are still unread.
bool HungUp(int fd) {
  pollfd poll{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return Poll({&poll, 1}, Clock::now()) && poll.revents != 0;
}

}  // namespace

Result<std::shared_ptr<Meeting>> Meeting::Make(int32_t rank, std::vector<UniqueFd> peers,
                                               std::chrono::milliseconds deadline) {
  PT_CHECK(rank >= 0 && size_t(rank) < peers.size());
  std::shared_ptr<Meeting> meeting(new Meeting(rank, deadline));
  for (UniqueFd& peer : peers) meeting->peers_.emplace_back(std::move(peer));
  // With fewer cores than ranks a spinning rank would keep the missing one from its core.
  meeting->may_spin_ = ReadMachine().cores >= meeting->world();
  PT_TRY(rank == 0 ? meeting->ShareBoard() : meeting->TakeBoard());
  return meeting;
}

Status Meeting::ShareBoard() {
  PT_LET(const Memfd memory, Memfd::Make("protium-board", Board::Bytes(world())));
  PT_LET(board_, Board::Map(memory, world()));
  const std::string greeting = fmt::format("{} {}", kGreeting, world());
  for (int32_t r = 1; r < world(); ++r) {
    const int fd = memory.fd();
    const Status sent = peers_[size_t(r)].Send(greeting, {&fd, 1}, Clock::now() + deadline_);
    if (!sent.ok()) return Abort(SendFault(r, sent, "sending the board to"));
  }
  return Status::OK();
}

Status Meeting::TakeBoard() {
  auto received = peers_[0].Receive(Clock::now() + deadline_);
  if (received.ok() ? !received->has_value() : HungUp(peers_[0].fd())) return GoneFault(0);
  if (!received.ok()) return Annotate(received.status(), "waiting for rank 0's board");
  Message& message = **received;
  if (message.bytes != fmt::format("{} {}", kGreeting, world()) || message.fds.size() != 1) {
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("rank 0 sent rank {} \"{:.100}\" and {} descriptors "
                                     "instead of the board of a world of {}",
                                     rank_, message.bytes, message.fds.size(), world()),
                 .why = "rank 0 runs another version, or belongs to another gang"});
  }
  const int64_t bytes = Board::Bytes(world());
  PT_LET(const Memfd memory, Memfd::Adopt(std::move(message.fds[0]), bytes));
  PT_LET(board_, Board::Map(memory, world()));
  return Status::OK();
}

const Request& Meeting::Asked(int32_t rank) const {
  return board_.seat(rank).requests[agreed_ % 2];
}

Status Meeting::Agree(const Request& request) {
  PT_TRY(Check());
  board_.seat(rank_).requests[half()] = request;
  // The request must be on the board before Arrive() publishes it.
  agreed_ = meeting_ + 1;
  Arrive();
  PT_TRY(AwaitAll());
  const Status agreement = Compare();
  return agreement.ok() ? agreement : Abort(agreement);
}

Status Meeting::Next() {
  Arrive();
  return AwaitAll();
}

void Meeting::Arrive() {
  Board::Seat& seat = board_.seat(rank_);
  // Both are sequentially consistent, as are the sleeper's increment and its read of `arrived`:
  // either this rank sees the sleeper or the sleeper sees the arrival. With weaker orders both
  // could miss, and the sleeper would lose up to 20 ms.
  seat.arrived.store(++meeting_);
  if (seat.sleepers.load() > 0) FutexWake(seat.arrived);
}

// Meeting numbers wrap after 2^32; ranks are never more than one apart, so the sign of the
// difference says which is ahead.
bool Meeting::Reached(int32_t rank) const {
  const uint32_t arrived = board_.seat(rank).arrived.load(std::memory_order_acquire);
  return int32_t(arrived - meeting_) >= 0;
}

Status Meeting::AwaitAll() {
  for (int32_t r = 0; r < world(); ++r) {
    if (!Reached(r) && !SpinFor(r)) PT_TRY(SleepFor(r));
  }
  return Status::OK();
}

// Waking a sleeper costs more than many meetings take. But where ranks share a core, a spinning
// rank delays the one that it waits for: after kVain spins that did not help only short ones are
// made, and a long one now and then to see whether that has changed.
bool Meeting::SpinFor(int32_t rank) {
  if (!may_spin_) return false;
  const bool hopeful = vain_spins_ < kVain || ++short_spins_ % kTryAgain == 0;
  const Deadline until = Clock::now() + (hopeful ? kLongSpin : kShortSpin);
  do {
    for (int i = 0; i < 32; ++i) {
      if (Reached(rank)) {
        vain_spins_ = 0;
        return true;
      }
      Pause();
    }
  } while (Clock::now() < until);
  ++vain_spins_;
  return false;
}

Status Meeting::SleepFor(int32_t rank) {
  const Deadline deadline = Clock::now() + deadline_;
  Board::Seat& seat = board_.seat(rank);
  seat.sleepers.fetch_add(1);
  Status status;
  while (status.ok()) {
    // Read before the comparison: a rank that arrives in between changes it, and the futex, which
    // compares, does not sleep then.
    const uint32_t seen = seat.arrived.load();
    if (int32_t(seen - meeting_) >= 0) break;
    if (board_.failed()) {
      status = board_.Cause();
    } else if (Clock::now() >= deadline) {
      status = Abort(BlameLate());
    } else if (!FutexWait(seat.arrived, seen, std::min(deadline, Clock::now() + kSlice))) {
      status = FindTheDead();
    }
  }
  seat.sleepers.fetch_sub(1);
  return status;
}

Status Meeting::FindTheDead() {
  for (int32_t r = 0; r < world(); ++r) {
    if (r == rank_ || Reached(r) || !HungUp(peers_[size_t(r)].fd())) continue;
    // It may have come, and ended normally, between the two checks.
    if (!Reached(r)) return Abort(GoneFault(r));
  }
  return Status::OK();
}

Status Meeting::Compare() const {
  std::vector<Request> asked;
  for (int32_t r = 0; r < world(); ++r) asked.push_back(Asked(r));
  return CompareRequests(asked);
}

Status Meeting::BlameLate() const {
  std::vector<int32_t> late;
  // All send before any receives: a socket accepts a descriptor without its reader, so there is no
  // circular wait.
  for (int32_t r = 0; r < world(); ++r) {
    if (!Reached(r)) late.push_back(r);
  }
  return LateFault(late, Asked(rank_), deadline_);
}

Status Meeting::GoneFault(int32_t rank) const {
  const bool began = board_.ready() && agreed_ > 0;
  const std::string name = began ? Describe(Asked(rank_)) : "the start of the gang";
  return Fail(
      {.exit = Exit::kRemote,
       .what = fmt::format("rank {} is gone; the others were waiting for it in {}", rank, name)});
}

// If a rank has died, its end is the cause, and not the error of the rank that sent to it.
Status Meeting::SendFault(int32_t rank, const Status& sent, const char* doing) const {
  if (HungUp(peers_[size_t(rank)].fd())) return GoneFault(rank);
  return Annotate(sent, fmt::format("{} rank {}", doing, rank));
}

Status Meeting::Abort(const Status& cause) {
  board_.SetCause(cause.ok() ? Status::Cancelled("aborted") : cause);
  // After the cause is set: a rank that wakes checks for it.
  for (int32_t r = 0; r < world(); ++r) FutexWake(board_.seat(r).arrived);
  const Status first = Check();
  return first.ok() ? cause : first;
}

Result<std::vector<UniqueFd>> Meeting::Swap(int fd) {
  for (int32_t r = 0; r < world(); ++r) {
    if (r == rank_) continue;
    const Deadline deadline = Clock::now() + deadline_;
    const Status sent = peers_[size_t(r)].Send("memory", {&fd, 1}, deadline);
    if (!sent.ok()) return Abort(SendFault(r, sent, "sharing memory with"));
  }
  std::vector<UniqueFd> fds(peers_.size());
  for (int32_t r = 0; r < world(); ++r) {
    if (r == rank_) continue;
    PT_LET(Message message, ReceiveFrom(r));
    if (message.fds.size() != 1) return Abort(Status::IOError("rank ", r, " sent no memory"));
    fds[size_t(r)] = std::move(message.fds[0]);
  }
  return fds;
}

Result<Message> Meeting::ReceiveFrom(int32_t rank) {
  const Deadline deadline = Clock::now() + deadline_;
  for (;;) {
    PT_TRY(Check());
    auto received = peers_[size_t(rank)].Receive(std::min(deadline, Clock::now() + kSlice));
    if (received.ok() && received->has_value()) return std::move(**received);
    if (received.ok()) return Abort(GoneFault(rank));
    if (FaultOf(received.status()).exit != Exit::kStalled) return Abort(received.status());
    if (Clock::now() >= deadline) {
      return Abort(Fail({.exit = Exit::kStalled,
                         .what = fmt::format("rank {} did not share its memory within {:g} s", rank,
                                             double(deadline_.count()) / 1000)}));
    }
  }
}

}  // namespace protium
