// SPDX-License-Identifier: Apache-2.0
// Ranks on any hosts. Each becomes a candidate, passes its card to the others by whatever channel
// they share already (a Spark barrier, a file), and joins with the cards of all:
//
//   PT_LET(auto candidate, TcpCandidate::Make({.key = key}, rank, world));
//   PT_LET(auto cards, gather(candidate.card()));
//   PT_LET(auto communicator, std::move(candidate).Join(cards, deadline));
//
// 1. Ranks prove to each other that they know the gang's key; nobody else's bytes are believed.
// 2. Between hosts they talk TLS unless `plaintext`; the certificates stand in the cards.
// 3. Ranks that are all on one host share memory where that works.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/call.h"
#include "collective/communicator.h"

namespace protium {

struct TcpOptions {
  std::string key;                             // 32 secret bytes or more, the same on all ranks.
  bool plaintext = false;                      // No TLS between hosts. All ranks must choose it.
  bool always_encrypt = false;                 // TLS on one host too, when any rank chooses it.
  bool shared_memory = true;                   // All ranks must choose it.
  std::vector<std::string> addresses;          // Numbers to listen at; all of the host's if empty.
  std::chrono::milliseconds deadline{60'000};  // How long a rank may keep the others waiting.
  std::chrono::milliseconds heartbeat{1'000};
  std::chrono::milliseconds unreachable_after{10'000};  // Without a heartbeat.
};

class TcpCandidate {
 public:
  // Listens at a free port and makes a key pair for TLS. Any thread. A key that is too short is our
  // own bug.
  static Result<TcpCandidate> Make(const TcpOptions& options, int32_t rank, int32_t world);
  TcpCandidate(TcpCandidate&&) noexcept;
  TcpCandidate& operator=(TcpCandidate&&) noexcept;
  ~TcpCandidate();

  // Printable text without secrets, below 2 KiB plus 50 bytes an address.
  const std::string& card() const;

  // Collective. cards[r] is rank r's. Fails by `deadline`, naming who could not be reached where,
  // or soon after a stop, when it is known that some rank will not come. The candidate listens no
  // longer afterwards.
  Result<std::unique_ptr<Communicator>> Join(const std::vector<std::string>& cards,
                                             Deadline deadline,
                                             const std::stop_token& stop = {}) &&;

 private:
  struct State;
  explicit TcpCandidate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace protium
