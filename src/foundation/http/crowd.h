// SPDX-License-Identifier: Apache-2.0
// Tracks who is connected, and decides who is closed if there is no room for another: connections
// that hold a server up make room for those that do not, since an honest request takes
// milliseconds.
//
// 1. In the order of Stage: strangers are closed first, and a request being computed never is.
// 2. Within a stage: of the address that has the most connections, the one that has been in that
//    stage for longest.
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
    kStranger,  // No request has been admitted yet.
    kIdle,      // Has had responses, and is between requests.
    kSending,   // Its request's body is arriving.
    kReading,   // Its response is being sent.
    kComputing,
  };

  Id Enter(const std::string& address, Time now);
  // From here on, an id that has left is ignored.
  void Leave(Id id);
  void Move(Id id, Stage stage, Time now);
  // Sets how much memory its body and response take now.
  void Hold(Id id, size_t bytes);

  size_t size() const { return members_.size(); }
  size_t held_bytes() const { return held_bytes_; }

  // Whom to close first for another connection; nullopt if all are being computed.
  std::optional<Id> Last() const { return Choose(0); }
  // Whom to close first to free memory: one that holds some.
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

  Addresses addresses_;  // With the number of connections of each.
  std::map<Id, Member> members_;
  size_t held_bytes_ = 0;
  Id next_ = 0;
};

}  // namespace protium
