// SPDX-License-Identifier: Apache-2.0
#include "os/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fault.h"
#include "os/poll.h"

namespace protium {

namespace {

constexpr size_t kHeaderBytes = 8;
constexpr size_t kControlBytes = CMSG_SPACE(kMaxMessageFds * sizeof(int));

Status Stalled(const char* doing) {
  return Fail({.exit = Exit::kStalled, .what = std::string("the deadline passed while ") + doing});
}

Status Closed() { return Status::IOError("the other end of the channel is closed"); }

std::string MakeHeader(std::string_view bytes, size_t num_fds) {
  const uint32_t numbers[2] = {static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(num_fds)};
  return std::string(reinterpret_cast<const char*>(numbers), kHeaderBytes);
}

// Attaches `fds` to `message`; `control` is their memory. Descriptors travel beside the bytes, as
// SCM_RIGHTS (unix(7)); the kernel makes new ones in the receiving process.
void Attach(msghdr& message, std::span<char> control, std::span<const int> fds) {
  if (fds.empty()) return;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(head), fds.data(), fds.size_bytes());
}

void Detach(msghdr& message, std::vector<UniqueFd>& into) {
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      into.emplace_back(fd);
    }
  }
}

// Drops the part of the message that was sent.
void Advance(msghdr& message, size_t bytes) {
  while (message.msg_iovlen > 0 && bytes >= message.msg_iov->iov_len) {
    bytes -= message.msg_iov->iov_len;
    ++message.msg_iov;
    --message.msg_iovlen;
  }
  if (message.msg_iovlen == 0) return;
  message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + bytes;
  message.msg_iov->iov_len -= bytes;
}

bool MustWait(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> SocketPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemFault("make a pair of sockets", errno);
  }
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Result<std::pair<Channel, Channel>> Channel::Pair() {
  PT_LET(auto ends, SocketPair());
  return std::pair(Channel(std::move(ends.first)), Channel(std::move(ends.second)));
}

Status Channel::Send(std::string_view bytes, std::span<const int> fds, Deadline deadline) {
  if (bytes.size() > kMaxMessageBytes || fds.size() > kMaxMessageFds) {
    return Status::CapacityError("a message of ", bytes.size(), " bytes and ", fds.size(),
                                 " descriptors is too large for a channel");
  }
  std::string header = MakeHeader(bytes, fds.size());
  iovec parts[2] = {{header.data(), header.size()},
                    {const_cast<char*>(bytes.data()), bytes.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = bytes.empty() ? 1 : 2;
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  Attach(message, control, fds);
  while (message.msg_iovlen > 0) {
    // MSG_NOSIGNAL: a closed other end is an error here, not a SIGPIPE for the process.
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      Advance(message, sent);
      // They went with the first byte, and must not go twice.
      message.msg_control = nullptr;
      message.msg_controllen = 0;
    } else if (MustWait(errno)) {
      pollfd wait{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
      if (!Poll({&wait, 1}, deadline)) return Stalled("sending a message");
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return Closed();
    } else if (errno != EINTR) {
      return SystemFault("send a message", errno);
    }
  }
  return Status::OK();
}

// The header is complete. Checks its numbers before allocating memory.
Status Channel::BeginBody() {
  uint32_t numbers[2];
  std::memcpy(numbers, header_.data(), kHeaderBytes);
  if (numbers[0] > kMaxMessageBytes || numbers[1] > kMaxMessageFds) {
    return Fail({.exit = Exit::kBug,
                 .what = "a channel cannot carry a message of " + std::to_string(numbers[0]) +
                         " bytes and " + std::to_string(numbers[1]) + " descriptors"});
  }
  body_.assign(numbers[0], '\0');
  num_fds_ = numbers[1];
  filled_ = 0;
  in_body_ = true;
  return Status::OK();
}

// Returns false at the end of the stream.
Result<bool> Channel::ReceiveSome(Deadline deadline) {
  std::array<char, kHeaderBytes> head{};
  iovec part = in_body_ ? iovec{body_.data() + filled_, body_.size() - filled_}
                        : iovec{head.data(), kHeaderBytes - header_.size()};
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  for (;;) {
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0) {
      Detach(message, fds_);
      // MSG_CTRUNC: the kernel dropped descriptors, because this process is at its limit of open
      // files.
      if (message.msg_flags & MSG_CTRUNC)
        return Status::IOError("descriptors were lost in a message");
      if (in_body_) filled_ += got;
      if (!in_body_) header_.append(head.data(), got);
      return true;
    }
    if (got == 0 || errno == ECONNRESET) return false;
    if (errno == EINTR) continue;
    if (!MustWait(errno)) return SystemFault("receive a message", errno);
    pollfd wait{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (!Poll({&wait, 1}, deadline)) return Stalled("waiting for a message");
  }
}

Result<std::optional<Message>> Channel::Receive(Deadline deadline) {
  while (!in_body_ || filled_ < body_.size()) {
    PT_LET(const bool more, ReceiveSome(deadline));
    // Between two frames an end is regular, within one it is a loss.
    if (!more && !in_body_ && header_.empty()) return std::optional<Message>();
    if (!more) return Status::IOError("the channel ended in the middle of a message");
    if (!in_body_ && header_.size() == kHeaderBytes) PT_TRY(BeginBody());
  }
  if (fds_.size() != num_fds_) {
    return Fail({.exit = Exit::kBug,
                 .what = "a message arrived with " + std::to_string(fds_.size()) +
                         " descriptors instead of " + std::to_string(num_fds_)});
  }
  Message message{std::move(body_), std::move(fds_)};
  header_.clear();
  body_.clear();
  fds_.clear();
  in_body_ = false;
  return message;
}

}  // namespace protium
