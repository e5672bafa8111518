// SPDX-License-Identifier: Apache-2.0
#include "launcher/handshake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "launcher/clock.h"
#include "launcher/text.h"
#include "launcher/wire.h"

namespace protium::launcher {
namespace {

constexpr int32_t kMaxSecret = 4096;

const char* Secret() {
  const char* secret = getenv("PYTHON_WORKER_FACTORY_SECRET");
  return secret == nullptr ? "" : secret;
}

// Takes the same time wherever the two differ, so that the time reveals nothing.
bool SameSecret(const char* given, size_t length, const char* expected) {
  size_t size = strlen(expected);
  if (size == 0 || size >= kMaxSecret) return false;
  unsigned char differing = length != size;
  for (size_t i = 0; i < size; ++i) differing |= given[i < length ? i : 0] ^ expected[i];
  return differing == 0;
}

// SPARK_AUTH_SOCKET_TIMEOUT is in seconds.
int64_t HandshakeDeadline() {
  const char* seconds = getenv("SPARK_AUTH_SOCKET_TIMEOUT");
  long given = seconds == nullptr ? 0 : strtol(seconds, nullptr, 10);
  return Now() + 1000 * (given >= 1 && given <= 600 ? given : 15);
}

int ConnectUnix(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? fd
                                                                                            : -1;
}

int ConnectTcp(int port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<uint16_t>(port));
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  v6.sin6_addr = in6addr_loopback;
  bool six = PrefersIpv6();
  int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr* address =
      six ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  return fd >= 0 && connect(fd, address, six ? sizeof v6 : sizeof v4) == 0 ? fd : -1;
}

// In simple mode the JVM asks for the secret, in daemon mode the worker does.
bool ProveToJvm(int socket) {
  SendAtOnce(socket);
  int64_t deadline = HandshakeDeadline();
  char answer[16];
  int32_t length;
  return SendText(socket, Secret(), deadline) &&
         ReceiveText(socket, answer, sizeof answer, &length, deadline) && strcmp(answer, "ok") == 0;
}

}  // namespace

bool PrefersIpv6() {
  const char* six = getenv("SPARK_PREFER_IPV6");
  return six != nullptr && strcasecmp(six, "true") == 0;
}

bool Greet(int socket, Transport transport) {
  SendAtOnce(socket);
  int64_t deadline = HandshakeDeadline();
  if (!SendInt(socket, getpid(), deadline)) return false;
  // Spark sends no secret over a Unix socket.
  if (transport == Transport::kUnix) return true;
  char given[kMaxSecret];
  int32_t length;
  if (!ReceiveText(socket, given, sizeof given, &length, deadline)) return false;
  bool same = SameSecret(given, static_cast<size_t>(length), Secret());
  return SendText(socket, same ? "ok" : "err", deadline) && same;
}

int ConnectToJvm() {
  const char* path = getenv("PYTHON_WORKER_FACTORY_SOCK_PATH");
  const char* port = getenv("PYTHON_WORKER_FACTORY_PORT");
  if (path == nullptr && port == nullptr) {
    fprintf(stderr, "protium-launcher: the JVM named neither a port nor a socket\n");
    return -1;
  }
  int fd = path != nullptr ? ConnectUnix(path) : ConnectTcp(atoi(port));
  if (fd < 0) {
    fprintf(stderr, "protium-launcher: cannot connect to the JVM at %s: %s\n",
            path != nullptr ? path : port, strerror(errno));
    return -1;
  }
  if (path != nullptr || ProveToJvm(fd)) return fd;
  fprintf(stderr, "protium-launcher: the JVM did not accept the secret\n");
  return -1;
}

bool Introduce(int socket, int pid) { return SendInt(socket, pid, HandshakeDeadline()); }

}  // namespace protium::launcher
