// SPDX-License-Identifier: Apache-2.0
// The operations of a session that run on the server, and the results that the server may drop.
//
// 1. A server retains each response until it is notified that the response was read. A background
//    thread does that, so that reading never waits for it. If it fails, that costs the server
//    memory for a while, nothing else.
// 2. Only the newest response that was read is reported: releasing it releases those before it.
// 3. An operation that began and did not end is interrupted before its session goes.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "connect/wire.h"

namespace protium::connect {

// How long to wait for a server that only needs to be notified that something is over.
inline constexpr auto kPartingLimit = Milliseconds(5000);

// Thread-safe.
class Operations {
 public:
  explicit Operations(std::shared_ptr<Wire> wire);
  // Sends the pending notifications, for at most kPartingLimit, then ends its thread.
  ~Operations();

  Wire& wire() { return *wire_; }
  // Set on every operation of this object, and on no others: a shared session may run others.
  const std::string& tag() const { return tag_; }

  // An operation is between Begin() and End() while the server may run it. `id` is its UUID.
  void Begin(const std::string& id);
  // Notes that all responses up to this one were returned.
  void WasRead(const std::string& id, const std::string& response_id);
  // Notes that its responses will not be requested again.
  void End(const std::string& id);
  // Whether any operation has begun and not ended.
  bool any() const;
  // Ends all that runs and sends the pending notifications, for at most kPartingLimit. To be called
  // before the session is released: of operations that it finds then a server writes the plans into
  // its log, and those of databases have passwords.
  void EndAll();

  // Makes the server end the operation. Errors are dropped: the server itself ends an operation
  // without a client after some minutes.
  void Interrupt(const std::string& id);
  // Interrupts all operations with the tag; returns their ids.
  Result<std::vector<std::string>> InterruptTag(const std::string& tag, const Call& call);
  Result<std::vector<std::string>> InterruptAll(const Call& call);
  Result<std::vector<std::string>> InterruptOperation(const std::string& id, const Call& call);

 private:
  void Report(const std::stop_token& ended);
  void Release(const std::string& id, const std::string& response_id);
  Result<std::vector<std::string>> AskInterrupt(proto::InterruptRequest request, const Call& call);

  const std::shared_ptr<Wire> wire_;
  const std::string tag_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable_any told_;  // A notification was sent.
  bool telling_ = false;
  std::set<std::string> running_;
  // By operation, the response up to which to release; empty: release the whole operation.
  std::map<std::string, std::string> told_next_;
  Deadline last_ = kNever;  // When the teller gives up. mutex_ guards this and all above.
  std::jthread teller_;
};

}  // namespace protium::connect
