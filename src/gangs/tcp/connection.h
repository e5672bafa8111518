// SPDX-License-Identifier: Apache-2.0
// A connected stream of bytes between two ranks that never blocks its thread: plain or TLS. The
// caller waits, with poll(), because one thread serves the connections to all ranks.
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
  // kMustWait, the next Send() must begin with the same bytes (TLS may have encrypted them
  // already).
  virtual int64_t Send(std::span<const iovec> parts) = 0;
  virtual int64_t Receive(std::span<std::byte> into) = 0;
  // Whether bytes were read from the socket that Receive() has not returned yet: poll() misses
  // them.
  virtual bool held() const { return false; }
  // Returns 32 bytes that only the two ends of this connection know; empty on a plain one. The
  // proof covers them, so that a man in the middle cannot relay two ranks' proofs over two TLS
  // connections of its own.
  virtual Result<std::string> Binding() const { return std::string(); }

  int fd() const { return socket_.get(); }
  UniqueFd TakeSocket() { return std::move(socket_); }

 protected:
  UniqueFd socket_;
};

// Makes a connected stream socket non-blocking and takes it over.
Result<std::unique_ptr<TcpConnection>> MakePlainConnection(UniqueFd socket);

// How long a wait may take, and a descriptor that ends it earlier by becoming readable.
struct Patience {
  Deadline deadline = kNever;
  int stop_fd = -1;
};

// Returns OK as soon as `fd` shows one of `events`, an error with Exit::kStalled at the deadline,
// or Cancelled when stopped.
Status AwaitEvents(int fd, short events, const Patience& patience);

Status SendAll(TcpConnection& connection, std::string_view bytes, const Patience& patience);
// Receives exactly `bytes` bytes; if the other side ends first, an IOError.
Result<std::string> ReceiveExactly(TcpConnection& connection, size_t bytes,
                                   const Patience& patience);

}  // namespace protium
