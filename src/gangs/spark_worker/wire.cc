// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/wire.h"

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
constexpr int64_t kLargePart = 4096;  // Bytes; smaller ones are cheaper copied.
// Per sendmsg(); Linux allows 1024 (IOV_MAX).
constexpr size_t kPartsAtOnce = 512;

template <class Number>
std::array<uint8_t, sizeof(Number)> BigEndian(Number number) {
  std::array<uint8_t, sizeof(Number)> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * (bytes.size() - 1 - i)));
  }
  return bytes;
}

const std::byte* End(const iovec& part) {
  return static_cast<const std::byte*>(part.iov_base) + part.iov_len;
}

// Returns what is left of `parts` after their first `bytes` bytes were sent.
std::span<iovec> After(std::span<iovec> parts, size_t bytes) {
  while (!parts.empty() && bytes >= parts[0].iov_len) {
    bytes -= parts[0].iov_len;
    parts = parts.subspan(1);
  }
  if (bytes == 0) return parts;
  parts[0].iov_base = static_cast<std::byte*>(parts[0].iov_base) + bytes;
  parts[0].iov_len -= bytes;
  return parts;
}

Status TimeoutFault() {
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
  // Otherwise Nagle's algorithm would hold small numbers back until what went before is
  // acknowledged. Unix sockets ignore this.
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
  if (!Poll(polls, deadline_)) return TimeoutFault();
  // If both are ready the executor comes first: the task may have been asked to stop because the
  // executor is gone.
  return polls[0].revents != 0 ? Status::OK() : Interrupted();
}

// The executor may make a worker wait as long as it likes, until whatever reads the rows goes on.
// Only a worker that is to end has a limit.
Status ExecutorWire::WaitToWrite() {
  std::array<pollfd, 2> polls = {{{socket_.get(), POLLOUT, 0}, {interrupted_.get(), POLLIN, 0}}};
  (void)Poll(polls, kNever);
  if (polls[0].revents != 0) return Status::OK();
  return Poll(std::span(polls).first(1), Clock::now() + kStopTime) ? Status::OK() : Interrupted();
}

// Returns as many bytes as there are, at least one; 0 if the connection was closed.
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
    // Large parts go straight into the buffer that Arrow holds.
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

// Sends everything; consumes `parts`.
Status ExecutorWire::Send(std::vector<iovec>& parts) {
  std::span<iovec> left = parts;
  while (!left.empty()) {
    msghdr message = {};
    message.msg_iov = left.data();
    message.msg_iovlen = std::min(left.size(), kPartsAtOnce);
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      left = After(left, static_cast<size_t>(sent));
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
  while (bytes > 0) {
    if (out_.size() == kOutBytes) PT_TRY(Flush());
    out_.reserve(kOutBytes);
    const size_t part = std::min(kOutBytes - out_.size(), static_cast<size_t>(bytes));
    std::byte* const to = out_.data() + out_.size();
    out_.insert(out_.end(), data, data + part);
    // Bytes that follow each other in out_ are one part.
    const bool joins = !parts_.empty() && End(parts_.back()) == to;
    if (joins) parts_.back().iov_len += part;
    if (!joins) parts_.push_back({to, part});
    data += part;
    bytes -= static_cast<int64_t>(part);
  }
  return Status::OK();
}

Status ExecutorWire::WriteInPlace(const void* from, int64_t bytes) {
  if (bytes < kLargePart) return Write(from, bytes);
  parts_.push_back({const_cast<void*>(from), static_cast<size_t>(bytes)});
  return Status::OK();
}

Status ExecutorWire::Flush() {
  const Status sent = Send(parts_);
  parts_.clear();
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
