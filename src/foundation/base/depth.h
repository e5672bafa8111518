// SPDX-License-Identifier: Apache-2.0
// How deep a recursive reader is, for those that read what a user wrote.
#pragma once

namespace protium {

// Counts how deep a function is in itself, so that a reader refuses what would outgrow its stack:
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
