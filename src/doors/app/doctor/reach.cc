// SPDX-License-Identifier: Apache-2.0
// Whether anything listens at a cluster's address, checked before gRPC retries again and again.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "app/doctor/finding.h"
#include "base/fault.h"
#include "engine/address.h"
#include "os/fd.h"

namespace protium {

namespace {

constexpr int kPatience = 5000;  // Milliseconds.

struct HostAndPort {
  std::string host, port = "15002";
};

// From "sc://host:15002/;use_ssl=true" and "sc://[::1]".
HostAndPort Target(const std::string& address) {
  HostAndPort target;
  std::string text = address.substr(5, address.find('/', 5) - 5);
  const size_t bracket = text.find(']');
  const size_t colon = text.find(':', bracket == text.npos ? 0 : bracket);
  if (colon != text.npos) target.port = text.substr(colon + 1);
  target.host = text.substr(0, colon);
  if (bracket != text.npos) target.host = text.substr(1, bracket - 1);
  return target;
}

Status Unreachable(const std::string& address, const std::string& why) {
  return Fail({.exit = Exit::kRemote,
               .what = "nothing answers at " + WithoutSecrets(address),
               .why = why,
               .fix = "check host and port, and that the Connect server runs: docs/spark.md"});
}

// gRPC goes through a proxy, and only the proxy may know the host.
bool HasProxy() {
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != 0) return true;
  }
  return false;
}

// Returns 0, or the errno of the last of the host's addresses.
int ConnectTo(const addrinfo* each) {
  const UniqueFd fd(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return errno;
  if (::connect(fd.get(), each->ai_addr, each->ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd poll{.fd = fd.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&poll, 1, kPatience) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

Status ReachHost(const std::string& address) {
  if (HasProxy()) return Status::OK();
  const HostAndPort target = Target(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found);
  if (failed != 0) {
    return Unreachable(address, fmt::format("\"{}\": {}", target.host, ::gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    error = ConnectTo(each);
    if (error == 0) return Status::OK();
  }
  return Unreachable(address, std::strerror(error));
}

}  // namespace protium
