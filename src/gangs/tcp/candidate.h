// SPDX-License-Identifier: Apache-2.0
// Ranks on any hosts. Each becomes a candidate, passes its card to the others over a channel that
// they share already (a Spark barrier, a file), and joins with the cards of all:
//
//   PT_LET(auto candidate, TcpCandidate::Make({.key = key}, rank, world));
//   PT_LET(auto cards, gather(candidate.card()));
//   PT_LET(auto communicator, std::move(candidate).Join(cards, deadline));
//
// 1. Ranks prove to each other that they know the gang's key; bytes from anybody else are not
//    trusted.
// 2. Between hosts they use TLS unless `plaintext`; the cards hold the certificates' hashes.
// 3. Ranks that are all on one host use shared memory if that works.
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
  bool always_encrypt = false;                 // TLS within a host too, if any rank chooses it.
  bool shared_memory = true;                   // All ranks must choose it.
  std::vector<std::string> addresses;          // Numeric, to listen at; empty: all of the host's.
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

  // Printable text without secrets, below 2 KiB plus 50 bytes per address.
  const std::string& card() const;

  // Collective. cards[r] is rank r's. Fails by `deadline` with the names of those that could not be
  // reached, and where, or soon after a stop, for when it is known that some rank will not come.
  // The candidate stops listening.
  Result<std::unique_ptr<Communicator>> Join(const std::vector<std::string>& cards,
                                             Deadline deadline,
                                             const std::stop_token& stop = {}) &&;

 private:
  struct State;
  explicit TcpCandidate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace protium
