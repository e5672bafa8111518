// SPDX-License-Identifier: Apache-2.0
#include "tcp/share_memory.h"

#include <openssl/rand.h>

#include <algorithm>
#include <cstring>

#include "base/fault.h"
#include "collective/shared/communicator.h"
#include "os/memfd.h"
#include "os/socket.h"
#include "tcp/listen.h"
#include "tcp/mesh.h"

namespace protium {
namespace {

constexpr std::chrono::seconds kProbeTime{5};
constexpr size_t kTokenBytes = 32;

Result<std::vector<Channel>> ConnectChannels(const Membership& self, const SharedDoor& door,
                                             Deadline deadline) {
  PT_LET(Connections connections, Mesh(self, door.sockets(), {Lane::kShared}).Connect(deadline));
  std::vector<Channel> channels;
  for (const auto& connection : connections[0]) {
    channels.emplace_back(connection == nullptr ? UniqueFd() : connection->TakeSocket());
  }
  return channels;
}

Result<std::string> Receive(Channel& channel, std::vector<UniqueFd>& fds, Deadline deadline) {
  PT_LET(auto message, channel.Receive(deadline));
  if (!message) return Status::IOError("a rank closed its Unix socket");
  fds = std::move(message->fds);
  return std::move(message->bytes);
}

// Maps the received memory and reads the token in it.
Result<std::string> TokenIn(std::vector<UniqueFd> fds) {
  if (fds.size() != 1) return Status::IOError("no shared memory arrived over a Unix socket");
  PT_LET(const Memfd memory, Memfd::Adopt(std::move(fds[0]), PageBytes()));
  PT_LET(const Mapping mapping, memory.Map());
  if (mapping.size() < int64_t(kTokenBytes))
    return Status::IOError("the shared memory that arrived is too small");
  return std::string(reinterpret_cast<const char*>(mapping.data()), kTokenBytes);
}

// Every rank passes memory with a random token to every other and gets the token back, which shows
// that both map the same pages.
Status Probe(int32_t rank, std::vector<Channel>& channels, Deadline deadline) {
  std::string token(kTokenBytes, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(token.data()), int(token.size()));
  PT_LET(const Memfd memory, Memfd::Make("protium-probe", PageBytes()));
  PT_LET(const Mapping mapping, memory.Map());
  std::memcpy(mapping.data(), token.data(), token.size());
  const int fd = memory.fd();
  const auto others = [&](const std::function<Status(Channel&)>& step) -> Status {
    for (size_t r = 0; r < channels.size(); ++r) {
      if (int32_t(r) != rank) PT_TRY(step(channels[r]));
    }
    return Status::OK();
  };
  PT_TRY(others([&](Channel& channel) { return channel.Send("memory", {&fd, 1}, deadline); }));
  PT_TRY(others([&](Channel& channel) -> Status {
    std::vector<UniqueFd> fds;
    PT_TRY(Receive(channel, fds, deadline));
    PT_LET(const std::string seen, TokenIn(std::move(fds)));
    return channel.Send(seen, {}, deadline);
  }));
  return others([&](Channel& channel) -> Status {
    std::vector<UniqueFd> fds;
    PT_LET(const std::string echo, Receive(channel, fds, deadline));
    return echo == token
               ? Status::OK()
               : Status::IOError("the shared memory that arrived is not the one that was sent");
  });
}

}  // namespace

void SharedDoor::Open() {
  auto folder = TemporaryFolder::Make();
  if (!folder.ok()) return;
  const std::string path = (folder->path() / "s").string();
  auto socket = ListenUnix(path);
  if (!socket.ok()) return;
  folder_.emplace(std::move(*folder));
  path_ = path;
  socket_ = std::move(*socket);
}

bool MayShare(const std::vector<Card>& cards) {
  return std::all_of(cards.begin(), cards.end(), [&](const Card& card) {
    return card.shared_memory && !card.unix_path.empty() && OnOneHost(card, cards.front());
  });
}

Result<std::unique_ptr<Communicator>> ShareMemoryIfPossible(const Membership& self,
                                                            const SharedDoor& door,
                                                            Communicator& ranks,
                                                            std::chrono::milliseconds deadline) {
  // Half the deadline at most: ranks that wait in the AllGather below must not be called late
  // because one probed for long.
  const Deadline until = Clock::now() + std::min<Clock::duration>(kProbeTime, deadline / 2);
  auto channels = ConnectChannels(self, door, until);
  const Status probed = channels.ok() ? Probe(self.rank, *channels, until) : channels.status();
  PT_LET(const auto works, ranks.AllGather(probed.ok() ? "shared" : "apart"));
  if (std::count(works.begin(), works.end(), "shared") != std::ssize(works)) {
    return std::unique_ptr<Communicator>();
  }
  std::vector<UniqueFd> sockets;
  for (Channel& channel : *channels) sockets.push_back(channel.Take());
  return MakeSharedCommunicator(self.rank, std::move(sockets), {.deadline = deadline});
}

}  // namespace protium
