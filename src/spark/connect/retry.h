// SPDX-License-Identifier: Apache-2.0
// How often and after which waits a call that failed for a passing reason is made again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "base/call.h"

namespace protium::connect {

using Milliseconds = std::chrono::milliseconds;

// Spark's own table.
struct RetryPolicy {
  int32_t tries = 15;  // After the first.
  Milliseconds first{50};
  double factor = 4;
  Milliseconds longest{60'000};
  Milliseconds jitter{500};        // At most this much more, at random,
  Milliseconds jitter_from{2000};  // for waits that are at least so long.
};

// How long a server may ask to be left alone.
inline constexpr Milliseconds kLongestServerWait{600'000};

// Shorter waits are not worth a line.
inline constexpr Milliseconds kTellFrom{1000};

class Retries {
 public:
  explicit Retries(const RetryPolicy& policy);
  // The wait before the next try, at least what the server asked for; nullopt when no try is left.
  std::optional<Milliseconds> Next(std::optional<Milliseconds> server_asks = std::nullopt);
  // Something was achieved: begins anew.
  void Reset();
  int32_t used() const { return used_; }

 private:
  RetryPolicy policy_;
  int32_t used_ = 0;
  double wait_ = 0;
  std::minstd_rand random_;
};

// Sleeps; false when the call was stopped or its deadline came first.
bool Sleep(Milliseconds wait, const Call& call);

}  // namespace protium::connect
