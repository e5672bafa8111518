// SPDX-License-Identifier: Apache-2.0
// Prints the output of a gang's ranks on stdout and stderr.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "events/events.h"

namespace protium {

// Prints each line after its rank, on its own thread, because senders of events must not wait for a
// slow reader. When kMostBytes have accumulated, it waits for kPatience and then drops lines,
// printing how many bytes it dropped.
class RankPrinter {
 public:
  static constexpr size_t kMostBytes = 8 << 20;
  static constexpr std::chrono::seconds kPatience{3};

  // File descriptors, which the caller still owns.
  RankPrinter(int out, int err);
  // Waits until everything is printed.
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
  size_t bytes_ = 0;  // In pieces_.
  int64_t dropped_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace protium
