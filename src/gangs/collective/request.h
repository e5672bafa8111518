// SPDX-License-Identifier: Apache-2.0
// What ranks ask each other for, and whether they ask for the same. Every operation of every
// backend begins with an exchange of requests: ranks whose programs have come apart find out there,
// by name, instead of reading each other's bytes as something else.
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
  kInner,  // A further meeting of an operation that is already agreed.
  kAllReduce,
  kBroadcast,
  kAllGather,
  kBarrier,
  kWindow,
  kTree,
  kTreeReduce,
};

// What a rank asks for. Plain bytes without pointers, as it lies in shared memory or travels as it
// is; ranks run one build, so its layout is the same on both sides.
struct Request {
  Operation operation = Operation::kInner;
  Element type = Element::kFloat32;
  Op reduce = Op::kSum;
  int32_t root = 0;
  int64_t length = 0;  // Elements or bytes; of a message or window, which may differ by rank.
  std::array<char, 104> name{};

  void SetName(std::string_view text);  // Long ones are cut.
};

// Whether two ranks that ask for these can proceed together.
bool Agree(const Request& a, const Request& b);
// "all-reduce (sum) of 5 float32 elements".
std::string Describe(const Request& request);
// The size of one element.
int64_t ElementBytes(Element type);

// What ranks ask for when they make a tree. The name begins with the spec's text and ends with its
// hash, which stands for what is cut off: ranks with different specs never agree.
Request TreeRequest(const TreeSpec& spec);

// Mistakes of callers, told alike by all backends. They are our own bugs: exit code kBug.
Status NoSuchRoot(int32_t root, int32_t world);
// Refuses sizes of windows below 0; by rank.
Status CheckWindowSizes(std::span<const int64_t> sizes);
// Refuses to read what lies outside of the windows of `world` ranks.
Status CheckWindowRead(const Window& window, int32_t world, int32_t rank, int64_t offset,
                       int64_t bytes);

// Fails when not all ranks asked for the same, saying which rank asked for what. By rank.
Status CompareRequests(std::span<const Request> asked);
// "ranks 2, 5 did not come to barrier "epoch" within 0.15 s": the fault, with the exit code of a
// stalled run, for ranks that did not come to what `request` asks for.
Status LateFault(std::span<const int32_t> late, const Request& request,
                 std::chrono::milliseconds deadline);

}  // namespace protium
