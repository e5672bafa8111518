// SPDX-License-Identifier: Apache-2.0
// A rank's signs of life for its driver (gang/waits.h), from its first moment to its last word.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "gang/doing.h"
#include "spark_worker/event_file.h"

namespace protium {

// From its making to its end a thread writes a line "beat" every `beat`, with what the task is at
// (spark_worker/event_tail.h). Where the driver asks for it, the task's stack goes to stderr
// (os/stack.h).
class RankBeats {
 public:
  struct Options {
    // The driver asks by this file (kWhereFile), whose content it changes with every question.
    std::filesystem::path where;
    std::chrono::milliseconds beat{1'000};
    // Called once, from the thread, when no more events can be written: nobody would hear the rank.
    std::function<void()> on_mute;
  };
  // `events` and `doing` outlive it. The calling thread is the task's.
  RankBeats(Options options, EventFile& events, const Doing& doing);

 private:
  void Run(const std::stop_token& ended);
  void Beat();
  void AnswerWhere();

  const Options options_;
  EventFile& events_;
  const Doing& doing_;
  const pid_t task_;
  std::string asked_;  // Of the thread.
  std::jthread thread_;
};

}  // namespace protium
