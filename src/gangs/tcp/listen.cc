// SPDX-License-Identifier: Apache-2.0
#include "tcp/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/fault.h"
#include "os/file.h"
#include "tcp/card.h"

namespace protium {
namespace {

// More ranks than this may call at once; if a caller's kernel finds the queue full, it tries again.
constexpr int kBacklog = 1024;

constexpr int kReceiveBytes = 4 << 20;  // Above what a sum sends ahead (tcp/sum.cc).
constexpr int kLocalSendBytes = 512 << 10;

// Addresses come from settings and from other ranks' cards.
Status NoAddress(std::string what) {
  return Fail({.exit = Exit::kRemote, .what = std::move(what)});
}

struct Address {
  sockaddr_storage storage{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Result<Address> ParseAddress(const std::string& number, uint16_t port) {
  Address address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET, number.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    address.bytes = sizeof(four);
  } else if (inet_pton(AF_INET6, number.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    address.bytes = sizeof(six);
  } else {
    return NoAddress("not the address of a host: " + number);
  }
  return address;
}

// Splits "10.0.0.5:40123" and "[::1]:40123".
Result<Address> ReadAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  uint16_t port = 0;
  if (colon == std::string::npos) return NoAddress("not an address with a port: " + text);
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, port);
  if (read.ec != std::errc() || read.ptr != end) {
    return NoAddress("not an address with a port: " + text);
  }
  std::string number = text.substr(0, colon);
  if (number.starts_with('[') && number.ends_with(']')) {
    number = number.substr(1, number.size() - 2);
  }
  return ParseAddress(number, port);
}

std::string WriteAddress(const std::string& number, uint16_t port) {
  const bool six = number.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", number, port) : fmt::format("{}:{}", number, port);
}

Result<uint16_t> FindPort(int fd) {
  Address address;
  address.bytes = sizeof(address.storage);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.bytes) != 0) {
    return SystemFault("find out the port of a socket", errno);
  }
  return ntohs(address.storage.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port
                   : reinterpret_cast<sockaddr_in&>(address.storage).sin_port);
}

Result<UniqueFd> NewSocket(int family) {
  UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return SystemFault("make a socket", errno);
  return socket;
}

Result<UniqueFd> ListenAt(const Address& address, const std::string& name) {
  PT_LET(UniqueFd socket, NewSocket(address.storage.ss_family));
  const int off = 0;
  // One socket for IPv4 and IPv6; the system's default for this option differs between
  // distributions.
  if (address.storage.ss_family == AF_INET6) {
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (bind(socket.get(), address.get(), address.bytes) != 0 ||
      listen(socket.get(), kBacklog) != 0) {
    return SystemFault("listen at " + name, errno);
  }
  return socket;
}

Result<UniqueFd> ListenEverywhere() {
  PT_LET(const Address six, ParseAddress("::", 0));
  auto socket = ListenAt(six, "all addresses");
  if (socket.ok()) return socket;
  PT_LET(const Address four, ParseAddress("0.0.0.0", 0));  // IPv6 may be switched off.
  return ListenAt(four, "all addresses");
}

Result<UniqueFd> Begin(const Address& address) {
  PT_LET(UniqueFd socket, NewSocket(address.storage.ss_family));
  // EINPROGRESS means that a non-blocking connect has begun.
  if (connect(socket.get(), address.get(), address.bytes) != 0 && errno != EINPROGRESS) {
    return SystemFault("connect", errno);
  }
  return socket;
}

struct UnixPlace {
  Address address;
  UniqueFd folder;  // Must be open while the address is used.
};

// A path that is too long for an address is reached through its folder: executors of a cluster have
// deep ones.
Result<UnixPlace> PlaceOf(const std::string& path) {
  UnixPlace place;
  auto& address = reinterpret_cast<sockaddr_un&>(place.address.storage);
  std::string short_path = path;
  if (path.size() >= sizeof(address.sun_path)) {
    const std::filesystem::path whole = path;
    place.folder = UniqueFd(::open(whole.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (place.folder.get() < 0) return SystemFault("open the folder of " + path, errno);
    short_path = fmt::format("/proc/self/fd/{}/{}", place.folder.get(), whole.filename().string());
  }
  if (short_path.empty() || short_path.size() >= sizeof(address.sun_path)) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("\"{}\" cannot be the path of a Unix socket", path),
                 .why = fmt::format("the system allows names of 1 to {} bytes",
                                    sizeof(address.sun_path) - 1)});
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, short_path.data(), short_path.size());
  place.address.bytes = sizeof(address);
  return place;
}

}  // namespace

Result<Listening> ListenTcp(const std::vector<std::string>& addresses) {
  Listening listening;
  if (addresses.empty()) {
    PT_LET(UniqueFd socket, ListenEverywhere());
    PT_LET(const uint16_t port, FindPort(socket.get()));
    for (const std::string& each : OwnAddresses()) {
      listening.addresses.push_back(WriteAddress(each, port));
    }
    listening.sockets.push_back(std::move(socket));
    return listening;
  }
  for (const std::string& each : addresses) {
    PT_LET(const Address address, ParseAddress(each, 0));
    PT_LET(UniqueFd socket, ListenAt(address, each));
    PT_LET(const uint16_t port, FindPort(socket.get()));
    listening.addresses.push_back(WriteAddress(each, port));
    listening.sockets.push_back(std::move(socket));
  }
  return listening;
}

Result<UniqueFd> ListenUnix(const std::string& path) {
  PT_LET(const UnixPlace place, PlaceOf(path));
  return ListenAt(place.address, path);
}

Result<UniqueFd> BeginTcp(const std::string& address) {
  PT_LET(const Address to, ReadAddress(address));
  return Begin(to);
}

Result<UniqueFd> BeginUnix(const std::string& path) {
  PT_LET(const UnixPlace place, PlaceOf(path));
  return Begin(place.address);
}

int ConnectError(int fd) {
  int error = 0;
  socklen_t bytes = sizeof(error);
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address.starts_with("[::1]");
}

void TuneTcp(int fd) {
  const auto set = [fd](int level, int name, int value) {
    (void)setsockopt(fd, level, name, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void WidenTcp(int fd, bool on_one_host) {
  const int receive = kReceiveBytes;
  // SO_RCVBUFFORCE may exceed rmem_max but needs CAP_NET_ADMIN. Setting any size switches off the
  // kernel's own tuning.
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive, sizeof(receive)) != 0) {
    // A smaller limit would be worse than the size the system finds by itself.
    const auto most = ReadFile("/proc/sys/net/core/rmem_max", 64);
    if (most.ok() && std::atoll(most->c_str()) >= kReceiveBytes) {
      (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive));
    }
  }
  const int send = kLocalSendBytes;
  if (on_one_host) (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send));
}

}  // namespace protium
