// SPDX-License-Identifier: Apache-2.0
#include "tcp/mesh.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "os/poll.h"
#include "tcp/listen.h"

namespace protium {
namespace {

// Bounds on single steps, all of them within Connect()'s deadline: how long an address may take to
// prove itself while others are untried, how long a caller may take, how many callers beyond two
// per rank are served at a time, and the pauses between two rounds of calls.
constexpr std::chrono::seconds kProofTime{5};
constexpr std::chrono::seconds kStrangerTime{20};
constexpr size_t kMostStrangers = 128;
constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kPause{500};

// Tries all addresses of a rank at once; takes the first that responds and proves itself.
class Calling {
 public:
  Calling(const Membership& self, int32_t to, Lane lane, const Patience& patience)
      : self_(self), to_(to), lane_(lane), patience_(patience) {}

  // Tries again, with growing pauses, only if a connection was closed on us: a rank that has too
  // many callers closes connections before it knows whose they are. All other failures would
  // repeat.
  Result<std::unique_ptr<TcpConnection>> Run() {
    for (Clock::duration pause = kFirstPause;;
         pause = std::min<Clock::duration>(2 * pause, kPause)) {
      PT_LET(auto connection, TryAll());
      if (connection != nullptr) return connection;
      if (!closed_ || !Rest(pause)) return Unreachable();
    }
  }

 private:
  struct Try {
    std::string address;
    UniqueFd socket;
  };

  // nullptr: nobody proved to be that rank.
  Result<std::unique_ptr<TcpConnection>> TryAll() {
    Begin();
    while (!tries_.empty()) {
      PT_LET(const size_t ready, AwaitOne());
      // Writable means connected or failed; the error says which.
      Try at = std::move(tries_[ready]);
      tries_.erase(tries_.begin() + ptrdiff_t(ready));
      const int error = ConnectError(at.socket.get());
      if (error != 0) {
        Note(at.address, strerror(error));
        continue;
      }
      if (lane_ != Lane::kShared) TuneTcp(at.socket.get());
      Patience proof = patience_;
      // Something else may listen there and stay silent; then the other addresses are tried.
      if (!tries_.empty()) proof.deadline = std::min(proof.deadline, Clock::now() + kProofTime);
      auto connection = ProveAsCaller(self_, to_, lane_, std::move(at.socket), proof);
      if (connection.ok()) return connection;
      const Fault fault = FaultOf(connection.status());
      closed_ = closed_ || fault.exit == Exit::kInput;  // The end of a connection is an IOError.
      Note(at.address, fault.what);
    }
    return nullptr;
  }

  // Whether there is time for another round.
  bool Rest(Clock::duration pause) const {
    pollfd stop{patience_.stop_fd, POLLIN, 0};
    return !Poll({&stop, 1}, std::min(patience_.deadline, Clock::now() + pause)) &&
           Clock::now() < patience_.deadline;
  }

  void Begin() {
    tried_.clear();
    closed_ = false;
    const Card& card = self_.cards[size_t(to_)];
    const bool shared = lane_ == Lane::kShared;
    const std::vector<std::string> unix_path{card.unix_path};
    for (const std::string& address : shared ? unix_path : card.addresses) {
      // Another host's loopback address would lead to this host.
      if (!shared && IsLoopback(address) && !OnOneHost(card, self_.own())) continue;
      auto socket = shared ? BeginUnix(address) : BeginTcp(address);
      if (socket.ok()) {
        tries_.push_back({address, std::move(*socket)});
      } else {
        Note(address, FaultOf(socket.status()).what);
      }
    }
  }

  Result<size_t> AwaitOne() {
    std::vector<pollfd> polls;
    for (const Try& each : tries_) polls.push_back({each.socket.get(), POLLOUT, 0});
    polls.push_back({patience_.stop_fd, POLLIN, 0});
    if (!Poll(polls, patience_.deadline)) {
      for (const Try& each : tries_) Note(each.address, "no answer");
      return Unreachable();
    }
    if (polls.back().revents != 0) return Status::Cancelled("stopped");
    const auto ready = std::find_if(polls.begin(), polls.end() - 1,
                                    [](const pollfd& each) { return each.revents != 0; });
    return size_t(ready - polls.begin());
  }

  void Note(const std::string& address, const std::string& why) {
    tried_ += fmt::format("{}{} ({})", tried_.empty() ? "" : ", ", address, why);
  }

  Status Unreachable() const {
    const std::string where =
        tried_.empty() ? "any address: its card has none that this host can use" : tried_;
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("rank {} cannot reach {} at {}", self_.rank,
                                     DescribeRank(self_.cards[size_t(to_)]), where),
                 .fix = "let the hosts of a gang connect to each other on any port"});
  }

  const Membership& self_;
  int32_t to_;
  Lane lane_;
  Patience patience_;
  std::vector<Try> tries_;
  std::string tried_;
  bool closed_ = false;
};

std::string FormatAddress(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      from.ss_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(from).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(from).sin_addr;
  if (from.ss_family == AF_UNIX) return "this host";
  return inet_ntop(from.ss_family, bytes, text.data(), text.size()) == nullptr ? "somewhere"
                                                                               : text.data();
}

}  // namespace

Mesh::Mesh(const Membership& self, std::span<const UniqueFd> listeners, std::vector<Lane> lanes)
    : self_(self), listeners_(listeners), lanes_(std::move(lanes)), connections_(lanes_.size()) {
  for (auto& lane : connections_) lane.resize(self.cards.size());
}

Result<Connections> Mesh::Connect(Deadline deadline, const std::stop_token& stop) {
  deadline_ = deadline;
  stop_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_) return SystemFault("make an event", errno);
  Status status;
  {
    std::vector<std::jthread> threads;
    for (auto to = size_t(self_.rank) + 1; to < self_.cards.size(); ++to) {
      // One thread per rank: proofs take round trips, and one slow host must not delay the others.
      threads.emplace_back([this, to] { CallRank(int32_t(to)); });
    }
    threads.emplace_back([this] { Receive(); });
    const std::stop_callback on_stop(stop, [this] {
      FailWith(Fail({.exit = Exit::kRemote, .what = "the ranks that were to meet have changed"}));
    });
    status = AwaitAll(deadline);
    // Ends all waits of all threads, which the closing brace then joins.
    eventfd_write(stop_.get(), 1);
  }
  visits_.clear();
  PT_TRY(status);
  return std::move(connections_);
}

void Mesh::CallRank(int32_t to) {
  // One after another, the data lane first: a rank that cannot be reached is found once.
  for (const Lane lane : lanes_) {
    auto connection = Calling(self_, to, lane, patience()).Run();
    if (!connection.ok()) return FailWith(connection.status());
    AddConnection(to, lane, std::move(*connection));
  }
}

void Mesh::Receive() {
  std::vector<pollfd> polls;
  for (const UniqueFd& each : listeners_) polls.push_back({each.get(), POLLIN, 0});
  polls.push_back({stop_.get(), POLLIN, 0});
  pollfd stop = polls.back();
  while (Poll(polls, kNever) && polls.back().revents == 0) {
    for (const pollfd& each : polls) {
      if (each.revents == 0 || Accept(each.fd)) continue;
      // Out of descriptors, memory or threads: the caller waits in the queue until some are freed.
      TurnOutOldest();
      Poll({&stop, 1}, Clock::now() + kFirstPause);
    }
  }
}

// Returns false if this process lacks the resources to serve a caller.
bool Mesh::Accept(int listener) {
  sockaddr_storage from{};
  socklen_t bytes = sizeof(from);
  std::erase_if(visits_, [](const Visit& visit) { return visit.caller->over.load(); });
  // Two connections per rank may be waiting legitimately; the rest is room for strangers.
  if (visits_.size() >= kMostStrangers + 2 * self_.cards.size()) TurnOutOldest();
  UniqueFd socket(accept4(listener, reinterpret_cast<sockaddr*>(&from), &bytes, SOCK_CLOEXEC));
  if (socket) return Welcome(std::move(socket), FormatAddress(from));
  return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
}

bool Mesh::Welcome(UniqueFd socket, std::string from) {
  auto caller = std::make_shared<Caller>();
  // The visit's thread owns the socket itself; this second descriptor stays valid whatever the
  // thread does.
  caller->socket = UniqueFd(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0));
  caller->from = std::move(from);
  if (!caller->socket) return false;
  try {
    std::jthread thread([this, caller, socket = std::move(socket)]() mutable {
      Greet(std::move(socket), *caller);
      SeeOff(*caller);
    });
    visits_.push_back({std::move(caller), std::move(thread)});
    return true;
  } catch (const std::system_error&) {
    return false;  // No more threads.
  }
}

// Visits are in the order of their arrival.
void Mesh::TurnOutOldest() {
  const std::lock_guard lock(mutex_);
  for (const Visit& visit : visits_) {
    if (std::exchange(visit.caller->settled, true)) continue;
    ::shutdown(visit.caller->socket.get(), SHUT_RDWR);
    return;
  }
}

// Returns false for a caller that was refused.
bool Mesh::Admit(Caller& caller) {
  const std::lock_guard lock(mutex_);
  return !std::exchange(caller.settled, true);
}

void Mesh::SeeOff(Caller& caller) {
  const std::lock_guard lock(mutex_);
  caller.settled = true;
  caller.socket.reset();
  caller.over = true;
}

void Mesh::Greet(UniqueFd socket, Caller& caller) {
  if (caller.from != "this host") TuneTcp(socket.get());
  Patience patience = this->patience();
  patience.deadline = std::min(patience.deadline, Clock::now() + kStrangerTime);
  auto guest = ProveAsCalled(self_, std::move(socket), patience, [&] { return Admit(caller); });
  if (guest.ok()) return AddConnection(guest->rank, guest->lane, std::move(guest->connection));
  const std::lock_guard lock(mutex_);
  refused_ = fmt::format("a connection from {} was refused: {}", caller.from,
                         FaultOf(guest.status()).what);
}

void Mesh::AddConnection(int32_t rank, Lane lane, std::unique_ptr<TcpConnection> connection) {
  const auto found = std::find(lanes_.begin(), lanes_.end(), lane);
  if (found == lanes_.end()) return;
  if (lane == Lane::kData) {
    WidenTcp(connection->fd(), OnOneHost(self_.own(), self_.cards[size_t(rank)]));
  }
  const std::lock_guard lock(mutex_);
  connections_[size_t(found - lanes_.begin())][size_t(rank)] = std::move(connection);
  changed_.notify_all();
}

void Mesh::FailWith(const Status& failure) {
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) failure_ = failure;
  changed_.notify_all();
}

bool Mesh::Complete() const {
  for (const auto& lane : connections_) {
    for (size_t r = 0; r < lane.size(); ++r) {
      if (r != size_t(self_.rank) && lane[r] == nullptr) return false;
    }
  }
  return true;
}

Status Mesh::AwaitAll(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return !failure_.ok() || Complete(); };
  const bool in_time = changed_.wait_until(lock, deadline, over);
  if (in_time && failure_.ok()) return Status::OK();
  return in_time ? failure_ : Missing();
}

Status Mesh::Missing() const {
  std::string names;
  for (size_t r = 0; r < self_.cards.size(); ++r) {
    bool here = int32_t(r) == self_.rank;
    for (const auto& lane : connections_) here = here || lane[r] != nullptr;
    if (!here) names += (names.empty() ? "" : ", ") + DescribeRank(self_.cards[r]);
  }
  return Fail({.exit = Exit::kStalled,
               .what = fmt::format("{} did not connect to rank {} in time",
                                   names.empty() ? "some ranks" : names, self_.rank),
               .where = fmt::format("{} listens at {}", DescribeRank(self_.own()),
                                    fmt::join(self_.own().addresses, ", ")),
               .why = refused_});
}

}  // namespace protium
