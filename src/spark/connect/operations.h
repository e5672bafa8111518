// SPDX-License-Identifier: Apache-2.0
// The operations of a session that run on the server, and what of their answers it may forget.
//
// 1. A server keeps each response until it is told that it was read; it is told in the background,
//    so that reading never waits for it. Telling that fails costs the server memory, nothing else.
// 2. An operation that began and did not end is interrupted before its session goes.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "spark/connect/wire.h"

namespace protium::connect {

// How long one goes on talking to a server about what is of no use any more.
inline constexpr auto kPartingLimit = Milliseconds(5000);

// Any thread.
class Operations {
 public:
  explicit Operations(std::shared_ptr<Wire> wire);
  // Tells what is left to tell, for at most kPartingLimit.
  ~Operations();

  Wire& wire() { return *wire_; }
  const std::string& tag() const { return tag_; }  // On each of the session's operations.

  void Begin(const std::string& id);
  void WasRead(const std::string& id, const std::string& response_id);
  void End(const std::string& id);  // Its answers will not be asked for again.
  bool any() const;
  // Nothing more needs telling: the session itself is released.
  void Forget();

  // Ends the operation's run on the server.
  void Interrupt(const std::string& id);
  // Likewise of all that carry the tag; gives the ids of what was ended.
  Result<std::vector<std::string>> InterruptTag(const std::string& tag, const Call& call);
  Result<std::vector<std::string>> InterruptAll(const Call& call);
  Result<std::vector<std::string>> InterruptOperation(const std::string& id, const Call& call);

 private:
  void Tell(const std::stop_token& ended);
  void Release(const std::string& id, const std::string& response_id);
  Result<std::vector<std::string>> AskInterrupt(proto::InterruptRequest request, const Call& call);

  const std::shared_ptr<Wire> wire_;
  const std::string tag_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> running_;
  std::map<std::string, std::string> told_next_;  // Empty response: all of the operation.
  Deadline last_ = kNever;
  std::jthread teller_;
};

}  // namespace protium::connect
