// SPDX-License-Identifier: Apache-2.0
// The socket between a Spark executor and its worker, read and written through one buffer each way.
// Numbers of the protocol and Arrow's messages follow each other on it without a gap, so reading
// ahead for one must not lose bytes of the other.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace protium {

// Bytes in order. It is an error if they end before all requested bytes have come.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Status Read(void* into, int64_t bytes) = 0;
};

// Numbers are big-endian. One thread, except for Interrupt(). Reads wait until the deadline set by
// WaitUntil (then kStalled), until Interrupt() (kStopped), or until the executor closes (kRemote).
class ExecutorWire : public ByteSource {
 public:
  static Result<std::unique_ptr<ExecutorWire>> Make(UniqueFd socket);

  // Sets the deadline of reads from now on. kNever: as long as the executor leaves the connection
  // open.
  void WaitUntil(Deadline deadline) { deadline_ = deadline; }
  // Makes reads fail with kStopped until Resume(), including one that waits now. Writes may still
  // take kStopTime. Any thread.
  void Interrupt();
  void Resume();

  // Waits for the next byte; false if the executor closed the connection before it.
  Result<bool> Begin();
  Status Read(void* into, int64_t bytes) override;
  Result<int32_t> ReadInt();

  Status Write(const void* from, int64_t bytes);
  // Like Write, but sends a large part without a copy: `from` must stay valid until Flush().
  Status WriteInPlace(const void* from, int64_t bytes);
  Status WriteInt(int32_t number);
  Status WriteLong(int64_t number);
  // Writes the length, then the bytes.
  Status WriteText(std::string_view text);
  Status Flush();

  // Reads and drops everything until the executor closes the connection or the deadline passes. If
  // a TCP socket is closed with bytes unread, the kernel sends a reset, which destroys what the
  // executor has not read of the reply.
  void Drain(Deadline deadline);

  // Whether a read or a write met the closed connection: the executor wants no more.
  bool closed() const { return closed_; }
  int fd() const { return socket_.get(); }

 private:
  static constexpr std::chrono::seconds kStopTime{30};

  ExecutorWire(UniqueFd socket, UniqueFd interrupted)
      : socket_(std::move(socket)), interrupted_(std::move(interrupted)) {}
  Result<int64_t> Receive(void* into, int64_t bytes);
  Status WaitToRead();
  Status WaitToWrite();
  Status Send(std::vector<iovec>& parts);
  Status Closed();

  const UniqueFd socket_;
  // An eventfd, readable after Interrupt().
  const UniqueFd interrupted_;
  Deadline deadline_ = kNever;
  bool closed_ = false;
  // 8 KiB: what is read ahead of a large part has to be copied.
  std::vector<std::byte> in_ = std::vector<std::byte>(1 << 13);
  size_t begin_ = 0;  // Start of the unread bytes in in_.
  size_t end_ = 0;
  // What is to be sent: bytes of out_, which reserves space for all of them and so never moves, and
  // parts elsewhere. parts_ points to both, in order.
  std::vector<std::byte> out_;
  std::vector<iovec> parts_;
};

}  // namespace protium
