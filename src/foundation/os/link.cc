// SPDX-License-Identifier: Apache-2.0
#include "os/link.h"

#include <algorithm>
#include <utility>

namespace protium {

namespace {

// Both sides read all the time, on a separate thread; one that does not for this long is gone.
constexpr double kSendSeconds = 10;

}  // namespace

void Link::LimitSends(double seconds) {
  send_ms_ = static_cast<int64_t>(std::min(seconds, kSendSeconds) * 1000);
}

Result<int64_t> RequireWhole(const Json& head, const char* key) {
  const auto found = head.find(key);
  if (found == head.end() || !found->is_number_integer()) {
    return Status::Invalid("a message has no number \"", key, "\": ", Dump(head));
  }
  return found->get<int64_t>();
}

Result<std::string> RequireText(const Json& head, const char* key) {
  const auto found = head.find(key);
  if (found == head.end() || !found->is_string()) {
    return Status::Invalid("a message has no text \"", key, "\": ", Dump(head));
  }
  return found->get<std::string>();
}

Status Link::Send(const Json& head, std::string_view raw, std::span<const int> fds) {
  std::string bytes = Dump(head);
  bytes.push_back('\n');
  bytes.append(raw);
  std::lock_guard lock(sending_);
  return channel_.Send(bytes, fds, Clock::now() + std::chrono::milliseconds(send_ms_));
}

Result<std::optional<Frame>> Link::Receive(Deadline deadline) {
  PT_LET(auto message, channel_.Receive(deadline));
  if (!message) return std::optional<Frame>();
  // Dump() writes no line breaks, so the first one ends the JSON.
  const size_t line = message->bytes.find('\n');
  if (line == std::string::npos) return Status::Invalid("a message has no end of line");
  Frame frame;
  PT_LET(frame.head, ParseJson(std::string_view(message->bytes).substr(0, line)));
  if (!frame.head.is_object()) return Status::Invalid("a message is not an object");
  PT_LET(frame.type, RequireText(frame.head, "type"));
  frame.raw = message->bytes.substr(line + 1);
  frame.fds = std::move(message->fds);
  return frame;
}

}  // namespace protium
