// SPDX-License-Identifier: Apache-2.0
#include "launcher/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launcher/clock.h"

// Every call is non-blocking and followed by poll() up to the deadline: the sockets are blocking,
// the program inherits them later, and their mode must not change.

namespace protium::launcher {
namespace {

// Waits in slices of a minute, since poll() takes an int of milliseconds.
bool Wait(int socket, short events, int64_t deadline) {
  for (;;) {
    int64_t left = deadline - Now();
    if (left <= 0) return false;
    pollfd waiting{socket, events, 0};
    int ready = poll(&waiting, 1, left > 60000 ? 60000 : static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool ShouldRetry() { return errno == EAGAIN || errno == EINTR; }

bool Send(int socket, const void* bytes, size_t size, int64_t deadline) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    ssize_t sent = send(socket, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (!ShouldRetry() || !Wait(socket, POLLOUT, deadline))) return false;
    if (sent > 0) from += sent, size -= sent;
  }
  return true;
}

bool Receive(int socket, void* bytes, size_t size, int64_t deadline) {
  char* into = static_cast<char*>(bytes);
  while (size > 0) {
    ssize_t got = recv(socket, into, size, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0 && (!ShouldRetry() || !Wait(socket, POLLIN, deadline))) return false;
    if (got > 0) into += got, size -= got;
  }
  return true;
}

bool Write(int fd, const void* bytes, size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    ssize_t written = write(fd, from, size);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) from += written, size -= written;
  }
  return true;
}

}  // namespace

bool SendInt(int socket, int32_t value, int64_t deadline) {
  uint32_t bytes = htonl(static_cast<uint32_t>(value));
  return Send(socket, &bytes, sizeof bytes, deadline);
}

bool SendText(int socket, const char* text, int64_t deadline) {
  size_t size = strlen(text);
  return SendInt(socket, static_cast<int32_t>(size), deadline) &&
         Send(socket, text, size, deadline);
}

bool ReceiveInt(int socket, int32_t* value, int64_t deadline) {
  uint32_t bytes;
  if (!Receive(socket, &bytes, sizeof bytes, deadline)) return false;
  *value = static_cast<int32_t>(ntohl(bytes));
  return true;
}

bool ReceiveText(int socket, char* into, int32_t room, int32_t* length, int64_t deadline) {
  if (!ReceiveInt(socket, length, deadline)) return false;
  if (*length < 0 || *length >= room) return false;
  into[*length] = 0;
  return Receive(socket, into, *length, deadline);
}

void Drain(int socket, int64_t deadline) {
  char bytes[16384];
  while (Wait(socket, POLLIN, deadline)) {
    ssize_t got = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !ShouldRetry())) return;
  }
}

void SendAtOnce(int socket) {
  int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

bool WriteInt(int fd, int32_t value) {
  uint32_t bytes = htonl(static_cast<uint32_t>(value));
  return Write(fd, &bytes, sizeof bytes);
}

bool WriteText(int fd, const char* text) {
  size_t size = strlen(text);
  return WriteInt(fd, static_cast<int32_t>(size)) && Write(fd, text, size);
}

}  // namespace protium::launcher
