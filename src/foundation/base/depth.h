// SPDX-License-Identifier: Apache-2.0
// Counts the depth of a recursive reader of what a user wrote.
#pragma once

namespace protium {

// Counts how deeply a function is nested in itself, so that a reader refuses input that would
// overflow the stack:
//   const Deeper deeper(depth_);
//   if (depth_ > kDeepest) return ...;
class Deeper {
 public:
  // `depth` outlives it.
  explicit Deeper(int& depth) : depth_(++depth) {}
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace protium
