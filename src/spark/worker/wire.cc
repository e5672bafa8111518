// SPDX-License-Identifier: Apache-2.0
#include "spark/worker/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {

namespace {

constexpr size_t kOutBytes = size_t{1} << 18;

template <class Number>
std::array<uint8_t, sizeof(Number)> BigEndian(Number number) {
  std::array<uint8_t, sizeof(Number)> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * (bytes.size() - 1 - i)));
  }
  return bytes;
}

Status Late() {
  return Fail({.exit = Exit::kStalled,
               .what = "the Spark executor sent only a part of what was expected in time",
               .why = "the worker and this release of Spark may not speak the same protocol"});
}

Status Interrupted() {
  return Fail({.exit = Exit::kStopped, .what = "the task was asked to stop"});
}

}  // namespace

Result<std::unique_ptr<ExecutorWire>> ExecutorWire::Make(UniqueFd socket) {
  UniqueFd interrupted(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!interrupted) return SystemFault("watch the Spark executor", errno);
  // Small numbers must not wait for the answer to what went before. Unix sockets never do.
  const int yes = 1;
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return std::unique_ptr<ExecutorWire>(new ExecutorWire(std::move(socket), std::move(interrupted)));
}

void ExecutorWire::Interrupt() { (void)::eventfd_write(interrupted_.get(), 1); }

void ExecutorWire::Resume() {
  eventfd_t ignored = 0;
  (void)::eventfd_read(interrupted_.get(), &ignored);
}

Status ExecutorWire::Closed() {
  closed_ = true;
  return Fail({.exit = Exit::kRemote, .what = "the Spark executor closed the connection"});
}

Status ExecutorWire::WaitToRead() {
  std::array<pollfd, 2> polls = {{{socket_.get(), POLLIN, 0}, {interrupted_.get(), POLLIN, 0}}};
  if (!Poll(polls, deadline_)) return Late();
  // An executor that is gone is told from a wish to stop that followed from it.
  return polls[0].revents != 0 ? Status::OK() : Interrupted();
}

// The executor may let a worker wait as long as it likes: what reads its rows decides. Only one
// that is to end does not wait for ever.
Status ExecutorWire::WaitToWrite() {
  std::array<pollfd, 2> polls = {{{socket_.get(), POLLOUT, 0}, {interrupted_.get(), POLLIN, 0}}};
  (void)Poll(polls, kNever);
  if (polls[0].revents != 0) return Status::OK();
  return Poll(std::span(polls).first(1), Clock::now() + kStopTime) ? Status::OK() : Interrupted();
}

// Some bytes, at least one; 0 when the connection was closed.
Result<int64_t> ExecutorWire::Receive(void* into, int64_t bytes) {
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), into, static_cast<size_t>(bytes), MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno == ECONNRESET) return 0;
    if (errno == EAGAIN) {
      PT_TRY(WaitToRead());
    } else if (errno != EINTR) {
      return SystemFault("read from the Spark executor", errno);
    }
  }
}

Result<bool> ExecutorWire::Begin() {
  if (begin_ < end_) return true;
  PT_LET(const int64_t got, Receive(in_.data(), static_cast<int64_t>(in_.size())));
  begin_ = 0;
  end_ = static_cast<size_t>(got);
  closed_ = closed_ || got == 0;
  return got > 0;
}

Status ExecutorWire::Read(void* into, int64_t bytes) {
  auto* to = static_cast<std::byte*>(into);
  while (bytes > 0) {
    if (begin_ == end_ && bytes >= static_cast<int64_t>(in_.size())) {
      PT_LET(const int64_t got, Receive(to, bytes));
      if (got == 0) return Closed();
      to += got;
      bytes -= got;
      continue;
    }
    PT_LET(const bool more, Begin());
    if (!more) return Closed();
    const size_t part = std::min(end_ - begin_, static_cast<size_t>(bytes));
    std::memcpy(to, in_.data() + begin_, part);
    begin_ += part;
    to += part;
    bytes -= static_cast<int64_t>(part);
  }
  return Status::OK();
}

Result<int32_t> ExecutorWire::ReadInt() {
  std::array<uint8_t, 4> bytes{};
  PT_TRY(Read(bytes.data(), bytes.size()));
  uint32_t number = 0;
  for (const uint8_t byte : bytes) number = number << 8 | byte;
  return static_cast<int32_t>(number);
}

Status ExecutorWire::Send(const std::byte* from, int64_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_.get(), from, size_t(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      from += sent;
      bytes -= sent;
    } else if (errno == EAGAIN) {
      PT_TRY(WaitToWrite());
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Closed();
    } else if (errno != EINTR) {
      return SystemFault("write to the Spark executor", errno);
    }
  }
  return Status::OK();
}

Status ExecutorWire::Write(const void* from, int64_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  if (out_.size() + static_cast<size_t>(bytes) > kOutBytes) PT_TRY(Flush());
  if (static_cast<size_t>(bytes) >= kOutBytes) return Send(data, bytes);
  out_.insert(out_.end(), data, data + bytes);
  return Status::OK();
}

Status ExecutorWire::Flush() {
  const Status sent = Send(out_.data(), static_cast<int64_t>(out_.size()));
  out_.clear();
  return sent;
}

Status ExecutorWire::WriteInt(int32_t number) {
  const auto bytes = BigEndian(number);
  return Write(bytes.data(), bytes.size());
}

Status ExecutorWire::WriteLong(int64_t number) {
  const auto bytes = BigEndian(number);
  return Write(bytes.data(), bytes.size());
}

Status ExecutorWire::WriteText(std::string_view text) {
  PT_TRY(WriteInt(static_cast<int32_t>(text.size())));
  return Write(text.data(), static_cast<int64_t>(text.size()));
}

void ExecutorWire::Drain(Deadline deadline) {
  Resume();
  WaitUntil(deadline);
  do {
    begin_ = end_;
  } while (Begin().ValueOr(false));
}

}  // namespace protium
