// SPDX-License-Identifier: Apache-2.0
// A rank's signs of life for its driver (gang/waits.h), from its start to its end.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "gang/doing.h"
#include "spark_worker/event_file.h"

namespace protium {

// While it exists a thread writes a line "beat" every `beat`, with what the task is doing
// (spark_worker/event_tail.h). When the driver requests it, writes the task's stack to stderr
// (os/stack.h).
class RankBeats {
 public:
  struct Options {
    // WhereFile(), whose content the driver changes with every request.
    std::filesystem::path where;
    std::chrono::milliseconds beat{1'000};
    // Called once, from the thread, when no more events can be written: the driver cannot hear the
    // rank.
    std::function<void()> on_mute;
  };
  // `events` and `doing` must outlive it. The calling thread is the task's.
  RankBeats(Options options, EventFile& events, const Doing& doing);

 private:
  void Run(const std::stop_token& ended);
  void Beat();
  void AnswerWhere();

  const Options options_;
  EventFile& events_;
  const Doing& doing_;
  const pid_t task_;
  std::string asked_;  // Used by the thread.
  std::jthread thread_;
};

}  // namespace protium
