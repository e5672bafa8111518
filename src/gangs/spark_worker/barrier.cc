// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/barrier.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {

namespace {

constexpr int32_t kBarrier = 1;
constexpr int32_t kAllGather = 2;
// Bytes; a peer that sends more is not an executor.
constexpr size_t kMaxAnswer = size_t{64} << 20;
constexpr int32_t kMaxGreeting = 64;

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un path;
};

Result<socklen_t> Fill(const BarrierAddress& address, SocketAddress& into) {
  std::memset(&into, 0, sizeof into);
  if (!address.path.empty()) {
    if (address.path.size() >= sizeof into.path.sun_path) {
      return Status::Invalid("the path of Spark's barrier is too long: ", address.path);
    }
    into.path.sun_family = AF_UNIX;
    std::memcpy(into.path.sun_path, address.path.c_str(), address.path.size() + 1);
    return socklen_t{sizeof into.path};
  }
  if (address.port < 1 || address.port > 65535) {
    return Status::Invalid("Spark's barrier names the invalid port ", address.port);
  }
  // Spark sets this for its workers if the JVM binds ::1.
  const char* prefer = std::getenv("SPARK_PREFER_IPV6");
  if (prefer != nullptr && ::strcasecmp(prefer, "true") == 0) {
    into.v6.sin6_family = AF_INET6;
    into.v6.sin6_addr = in6addr_loopback;
    into.v6.sin6_port = htons(static_cast<uint16_t>(address.port));
    return socklen_t{sizeof into.v6};
  }
  into.v4.sin_family = AF_INET;
  into.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  into.v4.sin_port = htons(static_cast<uint16_t>(address.port));
  return socklen_t{sizeof into.v4};
}

// The executor listens on this host and serves one call at a time, so connecting waits at most for
// its queue.
Result<std::unique_ptr<ExecutorWire>> Connect(const BarrierAddress& address, Deadline deadline) {
  SocketAddress to;
  PT_LET(const socklen_t length, Fill(address, to));
  UniqueFd fd(::socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return SystemFault("make a socket", errno);
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(deadline - Clock::now());
  const timeval wait{.tv_sec = std::max<int64_t>(left.count(), 1), .tv_usec = 0};
  // Also limits connect().
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (::connect(fd.get(), &to.any, length) != 0) {
    return SystemFault("reach the barrier of the Spark executor", errno);
  }
  PT_LET(auto wire, ExecutorWire::Make(std::move(fd)));
  wire->WaitUntil(deadline);
  return wire;
}

// Spark's SocketAuthHelper, from the client's side.
Status Greet(ExecutorWire& wire, const std::string& secret) {
  PT_TRY(wire.WriteText(secret));
  PT_TRY(wire.Flush());
  PT_LET(const int32_t bytes, wire.ReadInt());
  if (bytes < 0 || bytes > kMaxGreeting)
    return Status::Invalid("an invalid answer of ", bytes, " bytes");
  std::string answer(static_cast<size_t>(bytes), '\0');
  PT_TRY(wire.Read(answer.data(), bytes));
  if (answer == "ok") return Status::OK();
  return Fail(
      {.exit = Exit::kRemote, .what = "the barrier of the Spark executor refused this task"});
}

Result<std::string> ReadToEnd(ExecutorWire& wire) {
  std::string bytes;
  for (;;) {
    PT_LET(const bool more, wire.Begin());
    if (!more) return bytes;
    if (bytes.size() == kMaxAnswer)
      return Status::Invalid("Spark's barrier sends an endless answer");
    char byte = 0;
    PT_TRY(wire.Read(&byte, 1));
    bytes.push_back(byte);
  }
}

std::optional<int32_t> TakeInt(std::string_view& bytes) {
  if (bytes.size() < 4) return std::nullopt;
  uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | static_cast<uint8_t>(bytes[size_t(i)]);
  bytes.remove_prefix(4);
  return static_cast<int32_t>(number);
}

std::optional<std::string> TakeText(std::string_view& bytes) {
  const auto length = TakeInt(bytes);
  if (!length || *length < 0 || static_cast<size_t>(*length) > bytes.size()) return std::nullopt;
  std::string text(bytes.substr(0, static_cast<size_t>(*length)));
  bytes.remove_prefix(text.size());
  return text;
}

// Returns the texts if a count and that many texts fill `bytes` exactly; a refusal's length cannot
// be distinguished from a count otherwise.
std::optional<std::vector<std::string>> TakeTexts(std::string_view bytes) {
  const auto count = TakeInt(bytes);
  if (!count || *count < 1 || static_cast<size_t>(*count) > bytes.size() / 4) return std::nullopt;
  std::vector<std::string> texts;
  for (int32_t i = 0; i < *count; ++i) {
    auto text = TakeText(bytes);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return bytes.empty() ? std::optional(std::move(texts)) : std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> ReadBarrierAnswer(std::string_view bytes) {
  if (auto texts = TakeTexts(bytes)) return std::move(*texts);
  std::string_view rest = bytes;
  const auto text = TakeText(rest);
  const bool whole = text && rest.empty();
  return Fail({.exit = Exit::kRemote,
               .what = "Spark's barrier failed",
               .why = whole           ? *text
                      : bytes.empty() ? "the executor closed it without an answer"
                                      : "its answer is malformed"});
}

Result<std::vector<std::string>> BarrierClient::Call(int32_t what, std::string_view text,
                                                     Deadline deadline) const {
  PT_LET(const auto wire, Connect(address_, deadline));
  const std::stop_callback interrupt(stop_, [&wire] { wire->Interrupt(); });
  if (address_.path.empty()) PT_TRY(Greet(*wire, address_.secret));
  PT_TRY(wire->WriteInt(what));
  if (what == kAllGather) PT_TRY(wire->WriteText(text));
  PT_TRY(wire->Flush());
  PT_LET(const std::string bytes, ReadToEnd(*wire));
  return ReadBarrierAnswer(bytes);
}

Status BarrierClient::Barrier(Deadline deadline) const {
  const auto texts = Call(kBarrier, {}, deadline);
  return texts.ok() ? Status::OK() : Annotate(texts.status(), "wait for the stage's other tasks");
}

Result<std::vector<std::string>> BarrierClient::AllGather(std::string_view text,
                                                          Deadline deadline) const {
  auto texts = Call(kAllGather, text, deadline);
  return texts.ok() ? texts : Annotate(texts.status(), "hear from the stage's other tasks");
}

}  // namespace protium
