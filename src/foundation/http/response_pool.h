// SPDX-License-Identifier: Apache-2.0
// Threads that compute responses. The memory that a request takes while it is computed grows with
// its body, so the bodies of all requests being computed share a limit; smaller ones behind a large
// one do not wait for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace protium {

class ResponsePool {
 public:
  struct Limits {
    size_t threads = 1;
    size_t waiting = 0;
    size_t bytes = 0;  // A larger body is computed while no other is.
  };
  explicit ResponsePool(Limits limits);
  // Returns when work that has begun is done; waiting work is dropped.
  ~ResponsePool() = default;

  // False if too many wait. `work` must not throw; it runs once, on a thread of the pool.
  bool Add(size_t bytes, std::function<void()> work);

 private:
  struct Waiting {
    size_t bytes;
    std::function<void()> work;
  };
  void Run(const std::stop_token& stop);
  std::deque<Waiting>::iterator Next();

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::deque<Waiting> waiting_;
  size_t bytes_ = 0;                   // Of the requests being computed.
  std::vector<std::jthread> threads_;  // Last: the threads use the members above.
};

}  // namespace protium
