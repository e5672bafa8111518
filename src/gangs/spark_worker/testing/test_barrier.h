// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "os/file.h"
#include "spark_worker/barrier.h"

namespace protium {

// The barrier server of an executor, for all tasks of a stage: it replies when every one of `tasks`
// has called. Connections come in any order, as those of several executors do.
class TestBarrier {
 public:
  enum class Kind { kTcp, kUnix };
  TestBarrier(Kind kind, int32_t tasks);
  ~TestBarrier();
  const BarrierAddress& address() const { return address_; }
  // From now on replies with `bytes` instead of the texts.
  void AnswerWith(std::string bytes) { canned_ = std::move(bytes); }
  // The texts of the calls, in the order of arrival; read it after the last call.
  const std::vector<std::string>& said() const { return said_; }

 private:
  struct Caller {
    UniqueFd fd;
    std::string text;
    int32_t what = 0;  // The kind of call, by its number (barrier.h).
  };
  void Serve();
  bool Accept(std::vector<Caller>& callers);
  void Answer(std::vector<Caller>& callers);

  const int32_t tasks_;
  TemporaryFolder folder_;
  UniqueFd listener_;
  UniqueFd ending_;  // An eventfd, readable when the thread is to end.
  BarrierAddress address_;
  std::string canned_;
  std::vector<std::string> said_;
  std::jthread thread_;
};

}  // namespace protium
