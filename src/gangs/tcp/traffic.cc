// SPDX-License-Identifier: Apache-2.0
#include "tcp/traffic.h"

#include <poll.h>

#include <array>

#include "base/fault.h"
#include "os/machine.h"
#include "os/poll.h"

namespace protium {
namespace {

// Parts of one sendmsg() call: most of what is queued for a rank, far below the system's limit
// (IOV_MAX, 1024).
constexpr size_t kMostParts = 16;
constexpr int kSpins = 50;  // Passes over all connections before the thread sleeps.

}  // namespace

Traffic::Traffic(int32_t rank, std::vector<std::unique_ptr<TcpConnection>> connections,
                 std::shared_ptr<TcpService> service, std::chrono::milliseconds deadline)
    : rank_(rank),
      peers_(connections.size()),
      service_(std::move(service)),
      deadline_(deadline),
      asked_(connections.size()) {
  for (size_t r = 0; r < connections.size(); ++r) peers_[r].connection = std::move(connections[r]);
  may_spin_ = ReadMachine().cores >= world();
}

Status Traffic::Run(const Request& request, Steps& steps, std::optional<Deadline> by) {
  PT_TRY(service_->Check());
  service_->Enter(request);
  Start(request, by);
  steps.Begin(*this);
  const Status status = Transfer(steps);
  service_->Leave();
  return status.ok() ? status : Abort(status);
}

void Traffic::Start(const Request& request, std::optional<Deadline> by) {
  asked_[size_t(rank_)] = request;
  started_ = Clock::now();
  limit_ = by.value_or(started_ + deadline_);
  missing_ = world() - 1;
  disagree_ = false;
  for (int32_t r = 0; r < world(); ++r) {
    if (r == rank_) continue;
    Peer& peer = peers_[size_t(r)];
    peer.greeted = false;
    peer.in = std::as_writable_bytes(std::span(&asked_[size_t(r)], 1));
    Send(r, &asked_[size_t(rank_)], sizeof(Request));
  }
}

void Traffic::Send(int32_t to, const void* data, int64_t bytes) {
  if (bytes > 0) peers_[size_t(to)].out.push_back({const_cast<void*>(data), size_t(bytes)});
}

void Traffic::Expect(int32_t from, void* into, int64_t bytes) {
  PT_CHECK(bytes > 0 && peers_[size_t(from)].in.empty());
  peers_[size_t(from)].in = {static_cast<std::byte*>(into), size_t(bytes)};
}

// Moves whatever can be moved on any connection, and sleeps only if nothing can be: a rank that
// sent without receiving could wait for one that does the same.
Status Traffic::Transfer(Steps& steps) {
  int idle = 0;
  while (!IsOver()) {
    bool moved = false;
    for (int32_t r = 0; r < world(); ++r) {
      if (r == rank_) continue;
      PT_LET(const bool one, Move(r, steps));
      moved = moved || one;
    }
    if (missing_ == 0 && disagree_) return CompareRequests(asked_);
    idle = moved ? 0 : idle + 1;
    if (moved || (may_spin_ && idle < kSpins)) continue;
    PT_TRY(Wait());
    idle = 0;
  }
  return Status::OK();
}

// Ranks that disagree wait for all requests, so that each can report who requested what.
bool Traffic::IsOver() const {
  if (disagree_) return false;
  for (const Peer& peer : peers_) {
    if (!peer.out.empty() || !peer.in.empty()) return false;
  }
  return true;
}

Result<bool> Traffic::Move(int32_t rank, Steps& steps) {
  PT_LET(const bool sent, SendSome(rank));
  PT_LET(const bool received, ReceiveSome(rank, steps));
  return sent || received;
}

Result<bool> Traffic::SendSome(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  if (peer.out.empty()) return false;
  std::array<iovec, kMostParts> parts;
  const size_t count = std::min(peer.out.size(), kMostParts);
  std::copy_n(peer.out.begin(), count, parts.begin());
  const int64_t sent = peer.connection->Send({parts.data(), count});
  if (sent == TcpConnection::kEnded) return service_->AbortGone(rank);
  auto left = size_t(sent);
  while (left > 0) {
    iovec& first = peer.out.front();
    const size_t part = std::min(left, first.iov_len);
    first.iov_base = static_cast<std::byte*>(first.iov_base) + part;
    first.iov_len -= part;
    left -= part;
    if (first.iov_len == 0) peer.out.pop_front();
  }
  return sent > 0;
}

Result<bool> Traffic::ReceiveSome(int32_t rank, Steps& steps) {
  Peer& peer = peers_[size_t(rank)];
  if (peer.in.empty()) return false;
  const int64_t got = peer.connection->Receive(peer.in);
  if (got == TcpConnection::kEnded) return service_->AbortGone(rank);
  peer.in = peer.in.subspan(size_t(got));
  if (peer.in.empty()) PT_TRY(Filled(rank, steps));
  return got > 0;
}

Status Traffic::Filled(int32_t rank, Steps& steps) {
  Peer& peer = peers_[size_t(rank)];
  if (peer.greeted) return steps.Arrived(rank, *this);
  peer.greeted = true;
  --missing_;
  if (Agree(asked_[size_t(rank_)], asked_[size_t(rank)])) return steps.Agreed(rank, *this);
  disagree_ = true;
  return Status::OK();
}

Status Traffic::Wait() {
  std::vector<pollfd> polls{{service_->failed_fd(), POLLIN, 0}};
  for (const Peer& peer : peers_) {
    if (peer.connection == nullptr) continue;
    // TLS may hold decrypted bytes already, which poll() cannot see.
    if (!peer.in.empty() && peer.connection->held()) return Status::OK();
    const short events = short((peer.out.empty() ? 0 : POLLOUT) | (peer.in.empty() ? 0 : POLLIN));
    if (events != 0) polls.push_back({peer.connection->fd(), events, 0});
  }
  // When all requests have come, the clock restarts with each wait: large vectors may take longer
  // than the deadline, silence may not.
  const Deadline until = missing_ > 0 ? limit_ : std::max(limit_, Clock::now() + deadline_);
  if (!Poll(polls, until)) return BlameLate();
  return polls.front().revents == 0 ? Status::OK() : service_->Check();
}

// Blames the ranks whose request did not come; if all came, those that stopped sending.
Status Traffic::BlameLate() const {
  std::vector<int32_t> late;
  for (int32_t r = 0; r < world(); ++r) {
    if (r != rank_ && !peers_[size_t(r)].greeted) late.push_back(r);
  }
  for (int32_t r = 0; missing_ == 0 && r < world(); ++r) {
    const Peer& peer = peers_[size_t(r)];
    if (!peer.in.empty() || !peer.out.empty()) late.push_back(r);
  }
  const auto waited = missing_ > 0 ? limit_ - started_ : Clock::duration(deadline_);
  return LateFault(late, asked_[size_t(rank_)],
                   std::chrono::round<std::chrono::milliseconds>(waited));
}

}  // namespace protium
