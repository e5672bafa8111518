// SPDX-License-Identifier: Apache-2.0
#include "tcp/service.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cstring>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {
namespace {

constexpr std::chrono::seconds kGoodbyeTime{1};
constexpr int kFramesAtATime = 16;
constexpr size_t kFullOut = 16 << 20;  // Beyond that, a rank's requests wait.

std::string_view AsBytes(const TcpFrame& frame) {
  return {reinterpret_cast<const char*>(&frame), sizeof(frame)};
}

// TCP_USER_TIMEOUT: without it Linux resends to a vanished host for about 15 minutes before send()
// fails.
void GiveUpUnacknowledged(int fd, std::chrono::milliseconds after) {
  const auto value = int(after.count());
  (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof(value));
}

}  // namespace

TcpService::TcpService(int32_t rank, std::vector<std::string> names, const ServiceOptions& options)
    : rank_(rank),
      names_(std::move(names)),
      options_(options),
      failed_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      peers_(names_.size()),
      ended_(names_.size(), false) {}

Result<std::shared_ptr<TcpService>> TcpService::Start(
    int32_t rank, std::vector<std::unique_ptr<TcpConnection>> connections,
    std::vector<std::string> names, const ServiceOptions& options) {
  std::shared_ptr<TcpService> service(new TcpService(rank, std::move(names), options));
  if (!service->failed_ || !service->posted_) return SystemFault("make an event", errno);
  for (size_t r = 0; r < connections.size(); ++r) {
    if (connections[r] != nullptr)
      GiveUpUnacknowledged(connections[r]->fd(), options.unreachable_after);
    service->peers_[r].connection = std::move(connections[r]);
  }
  // A plain pointer: the destructor joins the thread, so it cannot outlive the service, and a
  // shared pointer would keep the service alive.
  service->thread_ = std::jthread([raw = service.get()] { raw->Run(); });
  return service;
}

TcpService::~TcpService() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    eventfd_write(posted_.get(), 1);
  }
  if (thread_.joinable()) thread_.join();
}

void TcpService::Run() {
  Deadline beat = Clock::now();
  for (;;) {
    if (Clock::now() >= beat) {
      Beat();
      beat = Clock::now() + options_.heartbeat;
    }
    Wait(beat);
    TakeLetters();
    // All peers on each pass: there are few, and TLS may hold bytes that poll() does not show.
    for (int32_t r = 0; r < int32_t(peers_.size()); ++r) {
      ReceiveSome(r);
      SendSome(r);
    }
    const std::lock_guard lock(mutex_);
    if (stop_) break;
  }
  SayGoodbye();
}

void TcpService::Wait(Deadline until) {
  std::vector<pollfd> polls{{posted_.get(), POLLIN, 0}};
  for (const Peer& peer : peers_) {
    if (peer.connection == nullptr) continue;
    // If a rank's replies pile up, it is not read from until it takes them: memory stays bounded.
    const bool full = peer.out.size() - peer.sent > kFullOut;
    const short events = short((peer.out.empty() ? 0 : POLLOUT) | (full ? 0 : POLLIN));
    polls.push_back({peer.connection->fd(), events, 0});
  }
  Poll(polls, until);
  eventfd_t ignored = 0;
  (void)eventfd_read(posted_.get(), &ignored);
}

// Silence is counted in our own beats, so a process that was stopped blames nobody.
void TcpService::Beat() {
  for (size_t r = 0; r < peers_.size(); ++r) {
    Peer& peer = peers_[r];
    if (peer.connection == nullptr || peer.bye) continue;
    // Anything queued is a sign of life by itself.
    if (peer.out.empty()) Queue(peer, {.kind = TcpFrame::Kind::kBeat}, "");
    peer.silent += options_.heartbeat;
    if (peer.silent <= options_.unreachable_after) continue;
    (void)Abort(
        Fail({.exit = Exit::kRemote,
              .what = fmt::format("{} is unreachable: it has been silent for {:g} s", names_[r],
                                  double(options_.unreachable_after.count()) / 1000)}));
  }
}

void TcpService::TakeLetters() {
  std::vector<Letter> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(letters_);
  }
  for (const Letter& letter : letters) {
    Queue(peers_[size_t(letter.to)], letter.frame, letter.body);
  }
}

void TcpService::Queue(Peer& peer, const TcpFrame& frame, std::string_view body) {
  if (peer.connection == nullptr) return;
  TcpFrame head = frame;
  head.bytes = uint32_t(body.size());
  peer.out += AsBytes(head);
  peer.out += body;
}

void TcpService::SendSome(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  while (peer.connection != nullptr && peer.sent < peer.out.size()) {
    const iovec part{peer.out.data() + peer.sent, peer.out.size() - peer.sent};
    const int64_t sent = peer.connection->Send({&part, 1});
    if (sent == TcpConnection::kMustWait) return;
    if (sent == TcpConnection::kEnded) break;  // What it sent before is read before it is given up.
    peer.sent += size_t(sent);
  }
  peer.out.clear();
  peer.sent = 0;
}

void TcpService::ReceiveSome(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  // A bounded number of frames per pass, so that one busy rank does not starve the others.
  for (int i = 0; i < kFramesAtATime && peer.connection != nullptr; ++i) {
    if (peer.out.size() - peer.sent > kFullOut || !ReceiveFrame(rank)) return;
    peer.silent = std::chrono::milliseconds(0);
    const Status handled = HandleFrame(rank);
    peer.filled = 0;
    peer.body.clear();
    if (!handled.ok()) (void)Abort(handled);
  }
  // More may be buffered where poll() does not see it.
  if (peer.connection != nullptr && peer.connection->held()) eventfd_write(posted_.get(), 1);
}

// Returns true when a whole frame has arrived.
bool TcpService::ReceiveFrame(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  while (peer.filled < sizeof(TcpFrame) + peer.body.size()) {
    const bool in_head = peer.filled < sizeof(TcpFrame);
    const auto room = in_head ? std::as_writable_bytes(std::span(&peer.frame, 1))
                              : std::as_writable_bytes(std::span(peer.body));
    const size_t at = in_head ? peer.filled : peer.filled - sizeof(TcpFrame);
    const int64_t got = peer.connection->Receive(room.subspan(at));
    if (got == TcpConnection::kMustWait) return false;
    if (got == TcpConnection::kEnded) {
      End(rank);
      return false;
    }
    peer.silent = std::chrono::milliseconds(0);
    peer.filled += size_t(got);
    if (in_head && peer.filled == sizeof(TcpFrame) && !MakeRoom(rank)) return false;
  }
  return true;
}

// Makes room for the body of the frame whose head came; lengths that no rank of ours sends end the
// gang.
bool TcpService::MakeRoom(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  const uint32_t bytes = peer.frame.bytes;
  if (bytes <= kMostBlockBytes) {
    peer.body.assign(bytes, '\0');
    return true;
  }
  (void)Abort(Status::IOError(names_[size_t(rank)], " sent a frame of ", bytes,
                              " bytes; the limit is ", kMostBlockBytes));
  End(rank);
  return false;
}

Status TcpService::HandleFrame(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  switch (peer.frame.kind) {
    case TcpFrame::Kind::kBeat:
      return Status::OK();
    case TcpFrame::Kind::kAbort:
      HearAbort(rank);
      return Status::OK();
    case TcpFrame::Kind::kBye:
      peer.bye = true;
      return Status::OK();
    case TcpFrame::Kind::kRead:
      return Answer(rank);
    case TcpFrame::Kind::kBlock:
      return Deliver(rank, false);
    case TcpFrame::Kind::kRefused:
      return Deliver(rank, true);
  }
  return Status::IOError(names_[size_t(rank)], " sent a frame of unknown kind ",
                         uint32_t(peer.frame.kind));
}

void TcpService::HearAbort(int32_t rank) {
  const auto json = ParseJson(peers_[size_t(rank)].body);
  const Status cause = json.ok() ? StatusFromJson(*json) : json.status();
  (void)Abort(cause.ok()
                  ? Status::UnknownError(names_[size_t(rank)], " failed without giving a cause")
                  : cause);
}

Status TcpService::Answer(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  const TcpFrame& asked = peer.frame;
  const std::lock_guard lock(mutex_);
  const auto window = windows_.find(asked.window);
  const int64_t size = window == windows_.end() ? -1 : int64_t(window->second.size());
  if (asked.extra > kMostBlockBytes || asked.offset < 0 || asked.offset > size ||
      int64_t(asked.extra) > size - asked.offset) {
    Queue(peer, {.kind = TcpFrame::Kind::kRefused, .ticket = asked.ticket}, "");
    return Status::OK();
  }
  // Copied into the queue with the mutex held: after Close() has returned, nothing refers to the
  // window.
  const auto bytes = window->second.subspan(size_t(asked.offset), asked.extra);
  Queue(peer, {.kind = TcpFrame::Kind::kBlock, .ticket = asked.ticket},
        {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return Status::OK();
}

Status TcpService::Deliver(int32_t rank, bool refused) {
  const Peer& peer = peers_[size_t(rank)];
  const std::lock_guard lock(mutex_);
  const auto found = awaited_.find(peer.frame.ticket);
  if (found == awaited_.end()) return Status::OK();  // Its reader gave up.
  Awaited& awaited = found->second;
  if (!refused && peer.body.size() != awaited.into.size()) {
    return Status::IOError(names_[size_t(rank)], " sent ", peer.body.size(), " bytes instead of ",
                           awaited.into.size(), " of its window");
  }
  if (!refused) std::memcpy(awaited.into.data(), peer.body.data(), peer.body.size());
  awaited.done = true;
  awaited.refused = refused;
  changed_.notify_all();
  return Status::OK();
}

// A rank that leaves without a goodbye died: all are notified at once.
void TcpService::End(int32_t rank) {
  Peer& peer = peers_[size_t(rank)];
  peer.connection.reset();
  peer.out.clear();
  peer.sent = 0;
  if (!peer.bye) (void)Abort(GoneFault(rank));
  const std::lock_guard lock(mutex_);
  ended_[size_t(rank)] = true;
  changed_.notify_all();
}

void TcpService::SayGoodbye() {
  TakeLetters();
  for (Peer& peer : peers_) Queue(peer, {.kind = TcpFrame::Kind::kBye}, "");
  const Deadline until = Clock::now() + kGoodbyeTime;
  bool more = true;
  while (more && Clock::now() < until) {
    more = false;
    for (int32_t r = 0; r < int32_t(peers_.size()); ++r) {
      SendSome(r);
      more = more || (peers_[size_t(r)].connection != nullptr && !peers_[size_t(r)].out.empty());
    }
    if (more) Wait(std::min(until, Clock::now() + std::chrono::milliseconds(20)));
  }
  for (Peer& peer : peers_) {
    // Closes our end for writing only: unread bytes would make close() send a reset, which could
    // overtake the goodbye.
    if (peer.connection != nullptr) ::shutdown(peer.connection->fd(), SHUT_WR);
  }
}

}  // namespace protium
