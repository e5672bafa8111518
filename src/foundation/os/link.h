// SPDX-License-Identifier: Apache-2.0
// Messages over a channel (os/socket.h), as our processes of one host send them to each other. Each
// is a frame: a JSON object on one line, whose `type` is the kind of message, then perhaps raw
// bytes.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "os/socket.h"

namespace protium {

// A received message: `head` with its `type`, raw bytes, descriptors.
struct Frame {
  std::string type;
  Json head;
  std::string raw;
  std::vector<UniqueFd> fds;
};

// Return integers and texts of a frame's head; a missing one is an error that names the key.
Result<int64_t> RequireWhole(const Json& head, const char* key);
Result<std::string> RequireText(const Json& head, const char* key);

// One end of the channel. Send() from any thread, Receive() from one at a time.
class Link {
 public:
  explicit Link(Channel channel) : channel_(std::move(channel)) {}
  // Waits up to 10 s, or less after LimitSends(), for the other side to take it. The caller keeps
  // the descriptors.
  Status Send(const Json& head, std::string_view raw = {}, std::span<const int> fds = {});
  // Returns nullopt if the other side is gone; kStalled if nothing arrives by `deadline`.
  Result<std::optional<Frame>> Receive(Deadline deadline);
  // From now on Send() waits at most this long, if that is less than 10 s. Any thread.
  void LimitSends(double seconds);
  int fd() const { return channel_.fd(); }
  // Gives the socket away, for another process; what was received in part is lost.
  UniqueFd TakeSocket() { return channel_.Take(); }

 private:
  std::atomic<int64_t> send_ms_ = 10'000;
  std::mutex sending_;
  Channel channel_;
};

}  // namespace protium
