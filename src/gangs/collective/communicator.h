// SPDX-License-Identifier: Apache-2.0
// How ranks talk to each other. A backend implements all of it, even for a world of one.
//
// 1. Every rank makes the same calls in the same order; ranks that disagree on operation, type or
//    length all get an error that says which rank requested what.
// 2. Every wait has a deadline and fails with the names of the ranks that did not come.
// 3. After an error or Abort() every further call fails with the first cause.
// 4. Calls come from one thread; Abort() may come from any.
// 5. Sums are element-wise in a fixed order, so splitting a buffer never changes bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "base/status.h"
#include "protium/elements.h"

namespace protium {

// Typed memory that the caller owns.
struct Buffer {
  void* data = nullptr;
  int64_t count = 0;
  Element type = Element::kFloat32;
};
inline Buffer AsBuffer(std::span<float> s) {
  return {s.data(), int64_t(s.size()), Element::kFloat32};
}
inline Buffer AsBuffer(std::span<double> s) {
  return {s.data(), int64_t(s.size()), Element::kFloat64};
}
inline Buffer AsBuffer(std::span<int64_t> s) {
  return {s.data(), int64_t(s.size()), Element::kInt64};
}
inline Buffer AsBuffer(std::span<int32_t> s) {
  return {s.data(), int64_t(s.size()), Element::kInt32};
}
inline Buffer AsBuffer(std::span<uint8_t> s) {
  return {s.data(), int64_t(s.size()), Element::kUint8};
}
inline Buffer AsBuffer(std::span<uint64_t> s) {
  return {s.data(), int64_t(s.size()), Element::kUint64};
}

// Memory that its rank fills and every rank may read, block by block: how packed rows reach the
// owners of their shards. All ranks make a window together; each frees it on its own.
class Window {
 public:
  virtual ~Window() = default;
  // This rank's memory, zeroed at first. The owner must not write what others may be reading.
  virtual std::span<std::byte> own() = 0;
  virtual int64_t size(int32_t rank) const = 0;
  // Copies bytes of another rank's window. Valid after a Barrier() that follows the filling.
  // Reading beyond the window is our own bug. Waits at most the communicator's deadline.
  virtual Status Read(int32_t rank, int64_t offset, std::span<std::byte> into) = 0;
  // The other rank's bytes in place, or nullptr if they are not on this host.
  virtual const std::byte* Direct(int32_t rank) const = 0;
  // Returns the whole pages within this range of the own window to the system; they read as zero
  // from then on. Call it when no rank will read them again.
  virtual void Release(int64_t offset, int64_t bytes) = 0;
};

// A sum of `leaves` float32 vectors of `count` elements in the recursive halving of 0..leaves-1:
// Sum(a, b) = Sum(a, m) + Sum(m, b) with m = a + (b - a) / 2, so its bits depend on nothing else.
// Leaves first[r] .. first[r+1]-1 belong to rank r; every rank passes the same `first`.
//
// The first `rounded` elements, a multiple of 16, are rounded to bfloat16 in every sum, leaves
// included (RoundToBfloat16()), so the bits still depend on nothing else; they travel in 16 bits.
struct TreeSpec {
  int32_t leaves = 1;
  int64_t count = 0;
  std::vector<int32_t> first;  // World + 1 entries, from 0 to `leaves`.
  int64_t rounded = 0;
};

// A maximal complete subtree that one rank owns: leaves [begin, end).
struct Subtree {
  int32_t begin = 0;
  int32_t end = 0;
  // The rank writes the subtree's sum here before Reduce(), rounded as the spec says.
  std::span<float> sum;
};

class SumTree {
 public:
  virtual ~SumTree() = default;
  // This rank's subtrees, left to right. Their memory stays the same from step to step.
  virtual std::span<const Subtree> own() const = 0;
  // Collective. Sums all subtrees of all ranks. The result is valid until this rank writes its
  // subtrees again or calls Reduce(). A rank without leaves takes part.
  virtual Result<std::span<const float>> Reduce() = 0;
};

// One rank's end of the connection. Collective calls return as soon as this rank has its result,
// which may be before others have theirs.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int32_t rank() const = 0;
  virtual int32_t world() const = 0;

  // Combines the buffers of all ranks element by element, in rank order, and leaves the result in
  // each. On an error the buffer's content is undefined.
  virtual Status AllReduce(Buffer inout, Op op) = 0;
  // Copies rank `root`'s bytes to all. All ranks pass the same length.
  virtual Status Broadcast(std::span<std::byte> inout, int32_t root) = 0;
  // Returns every rank's message, by rank; lengths may differ, up to 1 GiB each.
  virtual Result<std::vector<std::string>> AllGather(std::string_view message) = 0;
  // Waits for all ranks. `name` appears in the error of a wait that fails.
  virtual Status Barrier(std::string_view name) = 0;

  // Collective: every rank makes its own window, of its own size.
  virtual Result<std::unique_ptr<Window>> MakeWindow(int64_t bytes) = 0;
  virtual Result<std::unique_ptr<SumTree>> MakeTree(const TreeSpec& spec) = 0;

  // Makes every rank's pending and further calls fail soon with `cause`, or with an earlier one.
  // Does not wait. Any thread.
  virtual void Abort(const Status& cause) = 0;
};

// Passes on `status`, the result of what this rank did by itself between two calls: if it is an
// error, the others fail with it instead of waiting for this rank.
inline Status FailTogether(const Status& status, Communicator& communicator) {
  if (!status.ok()) communicator.Abort(status);
  return status;
}

// Returns the maximal complete subtrees of the halving of [0, leaves) within [begin, end), left to
// right. Leaves `sum` empty.
std::vector<Subtree> Subtrees(int32_t leaves, int32_t begin, int32_t end);

}  // namespace protium
