// SPDX-License-Identifier: Apache-2.0
// The bytes of one operation between this rank and all others.
//
// 1. An operation begins with every rank's request to every other; what follows it on a connection
//    is trusted only if the two requests agree.
// 2. Bytes are sent in the order in which they were queued and received in the order in which they
//    are expected; sending and receiving never wait for each other.
// 3. All requests must come within the deadline; after that, no silence may be longer than it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "collective/request.h"
#include "tcp/connection.h"
#include "tcp/service.h"

namespace protium {

class Traffic;

// What an operation does as bytes arrive. Queued or expected memory must stay valid until the
// operation ends.
class Steps {
 public:
  virtual ~Steps() = default;
  // Queues what follows the own request, before anything is received.
  virtual void Begin(Traffic& traffic) {}
  // `from` made the same request; its bytes may be expected now.
  virtual Status Agreed(int32_t from, Traffic& traffic) { return Status::OK(); }
  // All bytes last expected from `from` have arrived.
  virtual Status Arrived(int32_t from, Traffic& traffic) { return Status::OK(); }
};

class Traffic {
 public:
  // connections[r] leads to rank r; the own one is empty.
  Traffic(int32_t rank, std::vector<std::unique_ptr<TcpConnection>> connections,
          std::shared_ptr<TcpService> service, std::chrono::milliseconds deadline);

  int32_t rank() const { return rank_; }
  int32_t world() const { return int32_t(peers_.size()); }
  const std::shared_ptr<TcpService>& shared_service() const { return service_; }

  // Runs one operation to its end; all requests must come by `by`, or within the deadline if it is
  // not set. From then on an error on one rank is an error on all.
  Status Run(const Request& request, Steps& steps, std::optional<Deadline> by = {});
  // Rank `rank`'s request at the last Run().
  const Request& Asked(int32_t rank) const { return asked_[size_t(rank)]; }

  // Queues bytes for rank `to`. Only within a step.
  void Send(int32_t to, const void* data, int64_t bytes);
  // Receives `bytes` bytes, at least one, from `from` into memory that stays valid. One at a time
  // for each rank; Arrived() follows.
  void Expect(int32_t from, void* into, int64_t bytes);
  Status Abort(const Status& cause) { return service_->Abort(cause); }

 private:
  struct Peer {
    std::unique_ptr<TcpConnection> connection;
    std::deque<iovec> out;
    std::span<std::byte> in;  // The rest of the expected bytes.
    bool greeted = false;     // Its request has come.
  };

  void Start(const Request& request, std::optional<Deadline> by);
  Status Transfer(Steps& steps);
  Result<bool> Move(int32_t rank, Steps& steps);
  Result<bool> SendSome(int32_t rank);
  Result<bool> ReceiveSome(int32_t rank, Steps& steps);
  Status Filled(int32_t rank, Steps& steps);
  Status Greeted(int32_t rank, Steps& steps);
  bool IsOver() const;
  Status Wait();
  Status BlameLate() const;

  int32_t rank_;
  std::vector<Peer> peers_;
  std::shared_ptr<TcpService> service_;
  std::chrono::milliseconds deadline_;
  bool may_spin_ = false;
  std::vector<Request> asked_;
  Deadline started_;
  Deadline limit_;       // For all requests to come.
  int32_t missing_ = 0;  // Requests that have not come.
  bool disagree_ = false;
};

}  // namespace protium
