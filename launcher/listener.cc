// SPDX-License-Identifier: Apache-2.0
#include "launcher/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "launcher/wire.h"

namespace protium::launcher {
namespace {

// The least that PySpark's daemon requests.
constexpr int kBacklog = 1024;

bool ListenOn(int fd, const sockaddr* address, socklen_t size) {
  return fd >= 0 && bind(fd, address, size) == 0 && listen(fd, kBacklog) == 0;
}

int NewSocket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

Listener ListenUnix(const char* folder) {
  Listener listener{.transport = Transport::kUnix};
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  listener.path = Format("%s/.protium-%d-%lld.sock", folder, static_cast<int>(getpid()),
                         now.tv_sec * 1000LL + now.tv_nsec / 1000000);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (strlen(listener.path.chars) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return listener;
  }
  strcpy(address.sun_path, listener.path.chars);
  int fd = NewSocket(AF_UNIX);
  // bind() creates the file with these rights; at no moment can others connect.
  mode_t before = umask(0177);
  if (ListenOn(fd, reinterpret_cast<sockaddr*>(&address), sizeof address)) listener.fd = fd;
  umask(before);
  return listener;
}

Listener ListenIpv4() {
  Listener listener;
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = NewSocket(AF_INET);
  if (!ListenOn(fd, reinterpret_cast<sockaddr*>(&address), size)) return listener;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  listener.fd = fd;
  listener.port = ntohs(address.sin_port);
  return listener;
}

Listener ListenIpv6() {
  Listener listener;
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  int fd = NewSocket(AF_INET6);
  if (!ListenOn(fd, reinterpret_cast<sockaddr*>(&address), size)) return listener;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  listener.fd = fd;
  listener.port = ntohs(address.sin6_port);
  return listener;
}

}  // namespace

Listener Listen() {
  const char* sockets = getenv("PYTHON_UNIX_DOMAIN_ENABLED");
  const char* folder = getenv("PYTHON_WORKER_FACTORY_SOCK_DIR");
  if (sockets != nullptr && strcasecmp(sockets, "true") == 0 && folder != nullptr) {
    return ListenUnix(folder);
  }
  return PrefersIpv6() ? ListenIpv6() : ListenIpv4();
}

bool Announce(const Listener& listener) {
  return listener.transport == Transport::kTcp ? WriteInt(1, listener.port)
                                               : WriteText(1, listener.path.chars);
}

}  // namespace protium::launcher
