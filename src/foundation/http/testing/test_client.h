// SPDX-License-Identifier: Apache-2.0
// A connection for tests that sends and reads raw bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>

namespace protium {

class TestClient {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TestClient(int port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(uint16_t(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~TestClient() { ::close(socket_); }
  TestClient(TestClient&& other) noexcept
      : socket_(other.socket_), connected_(other.connected_), read_(std::move(other.read_)) {
    other.socket_ = -1;
  }

  bool connected() const { return connected_; }
  // False if the other side has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(size_t(n));
    }
    return true;
  }
  void Finish() { ::shutdown(socket_, SHUT_WR); }
  // Reads until the other side closes, or `seconds` have passed.
  std::string ReadAll(double seconds = 10) { return ReadUntil("", seconds); }
  // Whether the other side closes within `seconds`.
  bool Closed(double seconds) {
    ReadAll(seconds);
    return closed_;
  }
  // Reads up to and including `end`; the rest is retained.
  std::string ReadUntil(std::string_view end, double seconds = 10) {
    const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      const size_t at = end.empty() ? std::string::npos : read_.find(end);
      if (at != std::string::npos) return Take(at + end.size());
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now());
      if (left.count() <= 0 || !Receive(int(left.count()))) return Take(read_.size());
    }
  }

 private:
  bool Receive(int milliseconds) {
    pollfd poll{socket_, POLLIN, 0};
    if (::poll(&poll, 1, milliseconds) <= 0) return false;
    char some[65536];
    const ssize_t n = ::recv(socket_, some, sizeof some, 0);
    closed_ = n <= 0;
    if (n > 0) read_.append(some, size_t(n));
    return n > 0;
  }
  std::string Take(size_t bytes) {
    std::string taken = read_.substr(0, bytes);
    read_.erase(0, bytes);
    return taken;
  }

  int socket_ = -1;
  bool connected_ = false, closed_ = false;
  std::string read_;
};

}  // namespace protium
