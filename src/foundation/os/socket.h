// SPDX-License-Identifier: Apache-2.0
// Two connected ends that exchange whole messages and file descriptors between processes of one
// host, over a Unix stream socket.
//
// A frame is: uint32 length, uint32 number of descriptors (both little-endian), then `length`
// bytes. Descriptors travel with the frame's first byte. If a reader stops in the middle of a frame
// (a deadline), its next call continues there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/fd.h"

namespace protium {

inline constexpr int64_t kMaxMessageBytes = int64_t{256} << 20;
inline constexpr size_t kMaxMessageFds = 128;

struct Message {
  std::string bytes;
  std::vector<UniqueFd> fds;
};

// One end. One thread may send while another receives.
class Channel {
 public:
  Channel() = default;
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}
  static Result<std::pair<Channel, Channel>> Pair();

  // Sends a whole message. After an error the channel is broken and must not be used again. If the
  // other end is closed, fails with an IOError.
  Status Send(std::string_view bytes, std::span<const int> fds, Deadline deadline);

  // Receives a whole message; nullopt if the other end was closed between messages. If the deadline
  // comes first, fails with kStalled and may be called again: nothing is lost.
  Result<std::optional<Message>> Receive(Deadline deadline);

  int fd() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  UniqueFd Take() { return std::move(socket_); }

 private:
  Result<bool> ReceiveSome(Deadline deadline);
  Status BeginBody();

  UniqueFd socket_;
  std::string header_;
  std::string body_;
  size_t filled_ = 0;  // Bytes of body_.
  bool in_body_ = false;
  uint32_t num_fds_ = 0;
  std::vector<UniqueFd> fds_;
};

// A connected pair of stream sockets, closed on exec.
Result<std::pair<UniqueFd, UniqueFd>> SocketPair();

}  // namespace protium
