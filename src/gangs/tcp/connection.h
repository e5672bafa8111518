// SPDX-License-Identifier: Apache-2.0
// A connected stream of bytes between two ranks that never blocks its thread: plain or TLS. Waiting
// is the caller's, with poll(), because one thread serves the connections to all ranks.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/call.h"
#include "os/fd.h"

namespace protium {

// One thread at a time.
class TcpConnection {
 public:
  static constexpr int64_t kMustWait = 0;
  static constexpr int64_t kEnded = -1;  // Closed by the other side, or broken.

  explicit TcpConnection(UniqueFd socket) : socket_(std::move(socket)) {}
  virtual ~TcpConnection() = default;

  // Moves as many bytes as possible without waiting; returns how many, kMustWait or kEnded. After
  // kMustWait, Send() must be called again with the same bytes first (TLS may have encrypted them
  // already).
  virtual int64_t Send(std::span<const iovec> parts) = 0;
  virtual int64_t Receive(std::span<std::byte> into) = 0;
  // Whether bytes were taken from the socket that Receive() has not given yet: poll() misses them.
  virtual bool held() const { return false; }
  // 32 bytes that only the two ends of this connection know; empty on a plain one. Signed into the
  // proof, they stop a stranger in the middle from passing two ranks' proofs on over two TLS
  // connections of its own.
  virtual Result<std::string> Binding() const { return std::string(); }

  int fd() const { return socket_.get(); }
  UniqueFd TakeSocket() { return std::move(socket_); }

 protected:
  UniqueFd socket_;
};

// Takes a connected stream socket and makes it non-blocking.
Result<std::unique_ptr<TcpConnection>> MakePlainConnection(UniqueFd socket);

// How long a wait may take, and what ends it before: a descriptor that becomes readable.
struct Patience {
  Deadline deadline = kNever;
  int stop_fd = -1;
};

// OK once `fd` shows one of `events`; a fault with Exit::kStalled at the deadline, Cancelled when
// stopped.
Status AwaitEvents(int fd, short events, const Patience& patience);

Status SendAll(TcpConnection& connection, std::string_view bytes, const Patience& patience);
// Exactly `bytes` bytes; the other side's end is an IOError.
Result<std::string> ReceiveExactly(TcpConnection& connection, size_t bytes,
                                   const Patience& patience);

}  // namespace protium
