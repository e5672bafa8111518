// SPDX-License-Identifier: Apache-2.0
// What keeps the memory of a join bounded: a stream of which so many rows wait already is not read
// until the other has caught up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/json.h"
#include "flow/flow.h"
#include "stream/event_join.h"

namespace protium {

struct JoinBoundsOptions {
  std::string events, other;  // The names of both in the SQL.
  int64_t most = 0;           // Rows of either that may wait.
  // How long a stream that the other waits for may be silent before that is noted.
  std::chrono::milliseconds patience{10'000};
  std::function<void(const std::string&)> note;
};

// One thread.
class JoinBounds {
 public:
  using Time = std::chrono::steady_clock::time_point;

  JoinBounds(JoinBoundsOptions options, Time now)
      : options_(std::move(options)), events_came_(now), other_came_(now) {}

  // Lowers `limits` to what may come with the next batch. Fails (kUsage) if the bound of the join
  // itself holds more rows than may wait, so that no batch can go on.
  Status Limit(const EventJoin& join, BatchLimits& limits) const;
  void Came(const StreamRows& rows, Time now);
  // Notes it, once, if one stream is not read because the other is silent.
  void NothingCame(const EventJoin& join, Time now);
  // For the status: "events", "other": names; "waiting", "kept": rows; and "held", the one that is
  // not read, with "silent_seconds" of the other.
  Json Facts(const EventJoin& join, Time now) const;

 private:
  // What is not read, and what it waits for; empty if both are read.
  struct Held {
    std::string stream, silent;
    double silent_seconds = 0;
  };
  Held HeldOf(const EventJoin& join, Time now) const;

  JoinBoundsOptions options_;
  Time events_came_, other_came_;
  bool noted_ = false;
};

// The lines of Facts() in a status for people.
std::string JoinText(const Json& facts);

}  // namespace protium
