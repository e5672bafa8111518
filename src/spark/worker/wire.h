// SPDX-License-Identifier: Apache-2.0
// The socket between a Spark executor and its worker, read and written through one buffer each way:
// numbers of the protocol and Arrow's messages follow each other on it without a gap.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "os/fd.h"

namespace protium {

// Bytes in order. An end in the middle of what was asked for is an error.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Status Read(void* into, int64_t bytes) = 0;
};

// One thread, but for Interrupt(). Numbers are big-endian.
class ExecutorWire : public ByteSource {
 public:
  static Result<std::unique_ptr<ExecutorWire>> Make(UniqueFd socket);

  // For reads from now on. kNever: as long as the executor keeps the connection open.
  void WaitUntil(Deadline deadline) { deadline_ = deadline; }
  // Makes the reads of now and later fail with kStopped, until Resume(); what is written may take
  // kStopTime more.
  void Interrupt();
  void Resume();

  // Waits for the next byte; false when the executor closed the connection before it.
  Result<bool> Begin();
  Status Read(void* into, int64_t bytes) override;
  Result<int32_t> ReadInt();

  Status Write(const void* from, int64_t bytes);
  // Like Write, but large parts are sent from where they lie: `from` must stay until Flush().
  Status WriteInPlace(const void* from, int64_t bytes);
  Status WriteInt(int32_t number);
  Status WriteLong(int64_t number);
  Status WriteText(std::string_view text);  // Its length, then its bytes.
  Status Flush();

  // Reads and drops what comes until the executor closes the connection or the deadline passes: a
  // socket closed with unread bytes would destroy what was written to it.
  void Drain(Deadline deadline);

  // The executor wants no more: a read or a write has met the closed connection.
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
  const UniqueFd interrupted_;  // An eventfd: readable once interrupted.
  Deadline deadline_ = kNever;
  bool closed_ = false;
  // Small: what is read ahead of large parts has to be copied.
  std::vector<std::byte> in_ = std::vector<std::byte>(1 << 13);
  size_t begin_ = 0;  // Of what is in in_.
  size_t end_ = 0;
  // What is to be sent: bytes of out_, which has room for all of them and so does not move, and
  // parts that lie elsewhere.
  std::vector<std::byte> out_;
  std::vector<iovec> parts_;
};

}  // namespace protium
