// SPDX-License-Identifier: Apache-2.0
#include "tcp/connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {
namespace {

bool MustWait(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class PlainConnection : public TcpConnection {
 public:
  using TcpConnection::TcpConnection;

  int64_t Send(std::span<const iovec> parts) override {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts.data());
    message.msg_iovlen = parts.size();
    for (;;) {
      // MSG_NOSIGNAL: a peer that is gone must be an error here, not a SIGPIPE that ends the
      // process.
      const ssize_t sent = ::sendmsg(fd(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) return sent;
      if (errno != EINTR) return MustWait(errno) ? kMustWait : kEnded;
    }
  }

  int64_t Receive(std::span<std::byte> into) override {
    for (;;) {
      const ssize_t got = ::recv(fd(), into.data(), into.size(), MSG_DONTWAIT);
      if (got > 0) return got;
      if (got == 0) return kEnded;
      if (errno != EINTR) return MustWait(errno) ? kMustWait : kEnded;
    }
  }
};

Status Closed() { return Status::IOError("the other side closed the connection"); }

}  // namespace

Result<std::unique_ptr<TcpConnection>> MakePlainConnection(UniqueFd socket) {
  const int flags = ::fcntl(socket.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return SystemFault("set up a connection", errno);
  }
  return std::unique_ptr<TcpConnection>(new PlainConnection(std::move(socket)));
}

Status AwaitEvents(int fd, short events, const Patience& patience) {
  std::array<pollfd, 2> polls{pollfd{.fd = fd, .events = events, .revents = 0},
                              pollfd{.fd = patience.stop_fd, .events = POLLIN, .revents = 0}};
  if (!Poll(polls, patience.deadline)) {
    return Fail({.exit = Exit::kStalled, .what = "no answer in time"});
  }
  return polls[1].revents != 0 ? Status::Cancelled("stopped") : Status::OK();
}

Status SendAll(TcpConnection& connection, std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    const iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    const int64_t sent = connection.Send({&part, 1});
    if (sent == TcpConnection::kEnded) return Closed();
    if (sent == TcpConnection::kMustWait) PT_TRY(AwaitEvents(connection.fd(), POLLOUT, patience));
    bytes.remove_prefix(size_t(sent));
  }
  return Status::OK();
}

Result<std::string> ReceiveExactly(TcpConnection& connection, size_t bytes,
                                   const Patience& patience) {
  std::string text(bytes, '\0');
  for (size_t filled = 0; filled < bytes;) {
    const int64_t got = connection.Receive(std::as_writable_bytes(std::span(text)).subspan(filled));
    if (got == TcpConnection::kEnded) return Closed();
    if (got == TcpConnection::kMustWait) PT_TRY(AwaitEvents(connection.fd(), POLLIN, patience));
    filled += size_t(got);
  }
  return text;
}

}  // namespace protium
