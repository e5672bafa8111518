// SPDX-License-Identifier: Apache-2.0
#include "tcp/candidate.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "collective/self.h"
#include "os/machine.h"
#include "tcp/communicator.h"
#include "tcp/listen.h"
#include "tcp/mesh.h"
#include "tcp/share_memory.h"

namespace protium {
namespace {

// The output size of HMAC's SHA-256: RFC 2104, section 3, advises against shorter keys.
constexpr size_t kLeastKeyBytes = 32;

std::vector<std::string> DescribeRanks(const std::vector<Card>& cards) {
  std::vector<std::string> names;
  for (const Card& card : cards) names.push_back(DescribeRank(card));
  return names;
}

Status CheckOptions(const TcpOptions& options, int32_t rank, int32_t world) {
  if (rank < 0 || rank >= world) {
    return Fail({.exit = Exit::kBug, .what = fmt::format("rank {} in a world of {}", rank, world)});
  }
  if (options.key.size() >= kLeastKeyBytes) return Status::OK();
  return Fail({.exit = Exit::kBug,
               .what = fmt::format("the gang's key has {} bytes; it needs at least {}",
                                   options.key.size(), kLeastKeyBytes)});
}

}  // namespace

struct TcpCandidate::State {
  TcpOptions options;
  Card card;
  std::string card_text;
  std::shared_ptr<const TlsIdentity> identity;
  Listening listening;
  SharedDoor door;

  Result<std::unique_ptr<Communicator>> Connect(const Membership& self, Deadline deadline,
                                                const std::stop_token& stop) {
    Mesh mesh(self, listening.sockets, {Lane::kData, Lane::kService});
    PT_LET(Connections connections, mesh.Connect(deadline, stop));
    const ServiceOptions service{.deadline = options.deadline,
                                 .heartbeat = options.heartbeat,
                                 .unreachable_after = options.unreachable_after};
    return MakeTcpCommunicator(card.rank, std::move(connections[0]), std::move(connections[1]),
                               DescribeRanks(self.cards), service, deadline);
  }
};

TcpCandidate::TcpCandidate(std::unique_ptr<State> state) : state_(std::move(state)) {}
TcpCandidate::TcpCandidate(TcpCandidate&&) noexcept = default;
TcpCandidate& TcpCandidate::operator=(TcpCandidate&&) noexcept = default;
TcpCandidate::~TcpCandidate() = default;

const std::string& TcpCandidate::card() const { return state_->card_text; }

Result<TcpCandidate> TcpCandidate::Make(const TcpOptions& options, int32_t rank, int32_t world) {
  PT_TRY(CheckOptions(options, rank, world));
  auto state = std::make_unique<State>();
  state->options = options;
  PT_LET(state->listening, ListenTcp(options.addresses));
  PT_LET(state->identity, TlsIdentity::Make());
  if (options.shared_memory) state->door.Open();
  state->card = {.rank = rank,
                 .world = world,
                 .host = HostName(),
                 .machine = MachineIdentity(),
                 .addresses = state->listening.addresses,
                 .unix_path = state->door.path(),
                 .certificate = state->identity->fingerprint(),
                 .plaintext = options.plaintext,
                 .always_encrypt = options.always_encrypt,
                 .shared_memory = options.shared_memory};
  state->card_text = WriteCard(state->card, options.key);
  return TcpCandidate(std::move(state));
}

Result<std::unique_ptr<Communicator>> TcpCandidate::Join(const std::vector<std::string>& cards,
                                                         Deadline deadline,
                                                         const std::stop_token& stop) && {
  const std::unique_ptr<State> state = std::move(state_);
  Membership self{.rank = state->card.rank, .key = state->options.key, .identity = state->identity};
  PT_LET(self.cards, ReadCards(cards, self.key));
  // The own card must come back unchanged: cards of an earlier attempt lead to ports that nobody
  // listens at.
  if (self.rank >= int32_t(cards.size()) || cards[size_t(self.rank)] != state->card_text) {
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("none of the {} cards received is that of rank {}",
                                     cards.size(), self.rank),
                 .why = "they belong to another gang, or to an earlier attempt"});
  }
  // Connects by TCP first even if memory can be shared: over it ranks agree whether sharing worked
  // for all of them.
  if (cards.size() == 1) return MakeSelfCommunicator();
  PT_LET(auto communicator, state->Connect(self, deadline, stop));
  if (!MayShare(self.cards)) return communicator;
  PT_LET(auto shared,
         ShareMemoryIfPossible(self, state->door, *communicator, state->options.deadline));
  return shared == nullptr ? std::move(communicator) : std::move(shared);
}

}  // namespace protium
