// SPDX-License-Identifier: Apache-2.0
// What the ranks of a gang print, on its way to stdout and stderr.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "events/events.h"

namespace protium {

// Prints each line with its rank before it, in a thread of its own: whoever tells of events must
// not wait for a reader that is slow. It waits for kPatience when kMostBytes have come together,
// and then drops lines, saying how many bytes.
class RankPrinter {
 public:
  static constexpr size_t kMostBytes = 8 << 20;
  static constexpr std::chrono::seconds kPatience{3};

  // Descriptors, which stay the caller's.
  RankPrinter(int out, int err);
  // Waits until all is printed.
  ~RankPrinter();
  // Any thread, one call at a time.
  void On(const Printed& event);

 private:
  struct Piece {
    int fd;
    std::string text;
  };
  void Print();

  const int out_;
  const int err_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;
  size_t bytes_ = 0;  // Of pieces_.
  int64_t dropped_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace protium
