// SPDX-License-Identifier: Apache-2.0
// Sums of vectors of all ranks over connections. (Reductions of any kind; "sum" for short.)
//
// Small, up to 64 KiB received per rank: every rank sends its vectors to every other, and each
// combines all by itself: one round trip. Large: each rank combines one slice of all vectors, chunk
// by chunk, and sends the results to the others. That is a reduce-scatter overlapped with an
// all-gather. Each rank sends its vectors' bytes about twice, which is the lower bound for any
// all-reduce of one vector per rank (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations", 2009), but the order of additions is our own:
//
// 1. Between two ranks chunks go in one fixed order: inputs run kAhead chunks before results.
// 2. A rank holds the inputs of at most kHeld chunks; it stops receiving from ranks further ahead.
// 3. Every element is combined once, by one rank, so all ranks get the same bits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tcp/traffic.h"

namespace protium {

struct SumPlan {
  int64_t count = 0;                  // Elements of each vector.
  int64_t width = 4;                  // Bytes of an element.
  std::vector<int32_t> inputs;        // By rank: how many vectors it contributes.
  std::vector<const std::byte*> own;  // This rank's.
  std::byte* result = nullptr;        // May be the only own vector.
  // Combines elements of all vectors from element `at` on, in rank order; `out` may be the own
  // source.
  std::function<void(std::span<const std::byte* const> sources, int64_t at, int64_t count,
                     std::byte* out)>
      combine;
};

// Collective. Every rank passes the same counts and inputs. `scratch` is passed again only to reuse
// its memory. On an error the result is undefined.
Status SumOverRanks(const Request& request, const SumPlan& plan, Traffic& traffic,
                    std::vector<std::byte>& scratch);

}  // namespace protium
