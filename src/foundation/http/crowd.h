// SPDX-License-Identifier: Apache-2.0
// Who is connected, and who goes where there is no room for another: those who hold a server up
// make room for those who do not, since an honest request comes and goes in milliseconds.
//
// 1. In the order of Stage: strangers go first, and a request that is being computed never goes.
// 2. Among those of a stage, of the address that has the most connections, the one that has been
//    in that stage for longest.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace protium {

class Crowd {
 public:
  using Id = uint64_t;
  using Time = std::chrono::steady_clock::time_point;

  enum class Stage {
    kStranger,  // No request has been found to be allowed yet.
    kIdle,      // Has had answers, and is between requests.
    kSending,   // Its request's body is on the way.
    kReading,   // Its response is on the way.
    kComputing,
  };

  Id Enter(const std::string& address, Time now);
  // From here on, whoever has left is passed over.
  void Leave(Id id);
  void Move(Id id, Stage stage, Time now);
  // What its body and answer take at this moment.
  void Hold(Id id, size_t bytes);

  size_t size() const { return members_.size(); }
  size_t held_bytes() const { return held_bytes_; }

  // Who goes first for another connection's sake; nobody where all are being computed.
  std::optional<Id> Last() const { return Choose(0); }
  // Who goes first for the sake of memory: one that holds some.
  std::optional<Id> LastOfHolders() const { return Choose(1); }

 private:
  using Addresses = std::map<std::string, size_t>;
  struct Member {
    Addresses::iterator address;
    Stage stage = Stage::kStranger;
    Time since;
    size_t bytes = 0;
  };
  static bool GoesBefore(const Member& a, const Member& b);
  std::optional<Id> Choose(size_t least_bytes) const;

  Addresses addresses_;  // With the number of their connections.
  std::map<Id, Member> members_;
  size_t held_bytes_ = 0;
  Id next_ = 0;
};

}  // namespace protium
