// SPDX-License-Identifier: Apache-2.0
// Connects every pair of ranks.
//
// 1. In each pair the lower rank calls and the higher one listens.
// 2. Each call, and each caller, has its own thread until it is proven, so a stranger that stays
//    silent delays nobody. All threads end before Connect() returns.
// 3. The number of callers at a time is limited. When more come, the one that has been silent
//    longest is refused; a rank refused in this way calls again until the deadline.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tcp/proof.h"

namespace protium {

// connections[l][r] is the connection with rank r on lane l; the own entries are empty.
using Connections = std::vector<std::vector<std::unique_ptr<TcpConnection>>>;

// `self` and `listeners` must outlive it.
class Mesh {
 public:
  Mesh(const Membership& self, std::span<const UniqueFd> listeners, std::vector<Lane> lanes);

  // Call it once. Fails by `deadline` with the names of the ranks that did not come, or as soon as
  // a rank to be called cannot be reached, or after a stop.
  Result<Connections> Connect(Deadline deadline, const std::stop_token& stop = {});

 private:
  struct Caller {
    std::string from;
    std::atomic<bool> over = false;
    // Guarded by Mesh::mutex_.
    bool settled = false;  // Admitted or refused.
    UniqueFd socket;  // A second descriptor of the connection: shutting it down ends the visit.
  };
  struct Visit {
    std::shared_ptr<Caller> caller;
    std::jthread thread;
  };

  void CallRank(int32_t to);
  void Receive();
  bool Accept(int listener);
  bool Welcome(UniqueFd socket, std::string from);
  void TurnOutOldest();
  bool Admit(Caller& caller);
  void SeeOff(Caller& caller);
  void Greet(UniqueFd socket, Caller& caller);
  void AddConnection(int32_t rank, Lane lane, std::unique_ptr<TcpConnection> connection);
  void FailWith(const Status& failure);
  Status AwaitAll(Deadline deadline);
  Status Missing() const;
  bool Complete() const;
  Patience patience() const { return {deadline_, stop_.get()}; }

  const Membership& self_;
  std::span<const UniqueFd> listeners_;
  std::vector<Lane> lanes_;
  Deadline deadline_ = kNever;
  UniqueFd stop_;  // Readable when all threads are to end.
  std::vector<Visit> visits_;

  std::mutex mutex_;  // Guards what follows.
  std::condition_variable changed_;
  Connections connections_;
  Status failure_;
  std::string refused_;  // The last caller that was refused, and why.
};

}  // namespace protium
