// SPDX-License-Identifier: Apache-2.0
// How often, and after which waits, a call that failed for a transient reason is repeated.
// connect::MayPass (connect/error.h) decides which reasons are transient.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "base/call.h"

namespace protium::connect {

using Milliseconds = std::chrono::milliseconds;

// The defaults are those of Spark's own clients (DefaultPolicy in
// pyspark.sql.connect.client.retries): 50 ms, 200 ms, 800 ms, 3.2 s, 12.8 s, 51.2 s, then 60 s
// each, about ten minutes in all.
struct RetryPolicy {
  int32_t tries = 15;  // In addition to the first call.
  Milliseconds first{50};
  double factor = 4;
  Milliseconds longest{60'000};
  Milliseconds jitter{500};        // At most this much is added, at random,
  Milliseconds jitter_from{2000};  // to waits of at least this length.
};

// The longest wait that a server may ask for with google.rpc.RetryInfo.
inline constexpr Milliseconds kLongestServerWait{600'000};

// Shorter waits are not reported to the user.
inline constexpr Milliseconds kTellFrom{1000};

// The retries of one call or one operation. One thread.
class Retries {
 public:
  explicit Retries(const RetryPolicy& policy);
  // Returns the wait before the next try, at least what the server asked for; nullopt if no try is
  // left.
  std::optional<Milliseconds> Next(std::optional<Milliseconds> server_asks = std::nullopt);
  // Starts over, after progress was made.
  void Reset();
  // The number of tries used since the last Reset().
  int32_t used() const { return used_; }

 private:
  RetryPolicy policy_;
  int32_t used_ = 0;
  double wait_ = 0;
  std::minstd_rand random_;
};

// Returns false if the call was stopped or its deadline came before the wait was over.
bool Sleep(Milliseconds wait, const Call& call);

}  // namespace protium::connect
