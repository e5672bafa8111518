// SPDX-License-Identifier: Apache-2.0
// What ranks request from each other, and whether their requests match. Every operation of every
// backend begins with an exchange of requests: ranks whose programs diverged learn it there, by
// name, instead of misreading each other's bytes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"

namespace protium {

enum class Operation : uint32_t {
  kInner,  // A further meeting of an operation that is agreed already.
  kAllReduce,
  kBroadcast,
  kAllGather,
  kBarrier,
  kWindow,
  kTree,
  kTreeReduce,
};

// A rank's request. Plain bytes without pointers: put into shared memory, or sent, as it is. All
// ranks run one build, so its layout is the same on both sides.
struct Request {
  Operation operation = Operation::kInner;
  Element type = Element::kFloat32;
  Op reduce = Op::kSum;
  int32_t root = 0;
  int64_t length = 0;  // Elements or bytes; of a message or window, which may differ by rank.
  std::array<char, 104> name{};

  void SetName(std::string_view text);  // Cuts a long text.
};

// Whether two ranks with these requests can proceed together.
bool Agree(const Request& a, const Request& b);
// "all-reduce (sum) of 5 float32 elements".
std::string Describe(const Request& request);
// Returns the size of one element.
int64_t ElementBytes(Element type);

// The request of a rank that makes a tree. The name begins with the spec's text and ends with its
// hash, which covers what is cut off: ranks with different specs never agree.
Request TreeRequest(const TreeSpec& spec);

// Mistakes of callers, reported alike by all backends. They are our own bugs: exit code kBug.
Status NoSuchRoot(int32_t root, int32_t world);
// Refuses negative window sizes; `sizes` is by rank.
Status CheckWindowSizes(std::span<const int64_t> sizes);
// Refuses a read outside the windows of `world` ranks.
Status CheckWindowRead(const Window& window, int32_t world, int32_t rank, int64_t offset,
                       int64_t bytes);

// Fails if the ranks' requests differ, and says which rank requested what. `asked` is by rank.
Status CompareRequests(std::span<const Request> asked);
// Returns "ranks 2, 5 did not come to barrier "epoch" within 0.15 s", with the exit code of a
// stalled run, for ranks that did not come to the operation of `request`.
Status LateFault(std::span<const int32_t> late, const Request& request,
                 std::chrono::milliseconds deadline);

}  // namespace protium
