// SPDX-License-Identifier: Apache-2.0
// A task's conversation with the driver of its lease (spark_worker/lease_words.h).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "spark_worker/event_file.h"
#include "spark_worker/line_tail.h"

namespace protium {

// Whom the driver made of this task.
struct LeasePlace {
  int64_t task = 0;
  int32_t member = 0;
  int32_t world = 1;  // Of the gang as it began.
  bool newcomer = false;
};

// Reads the driver's lines in a thread of its own.
class LeaseTalk {
 public:
  struct Options {
    std::filesystem::path folder;
    int64_t task = 0;
    std::stop_token stop;
  };
  // `events` outlives it.
  LeaseTalk(Options options, EventFile& events);
  ~LeaseTalk();

  // Any thread.
  void Say(const Json& what) { events_.Write(what); }
  // Tells the driver of this task and waits for what it is to be; nullopt: it is not needed. Ends
  // early with a stop. The driver sets the deadline, and one that is gone leads to a stop.
  Result<std::optional<LeasePlace>> AwaitPlace(Json about);
  // Hands all lines, those that came before too, to `hear`, on the thread of the conversation. A
  // driver that does not end a task within 20 s of a stop is taken for one that said "over". Once.
  void Follow(std::function<void(const Json&)> hear);

  // While it lives somebody waits for the driver, and the lines are read more often.
  class Waiting {
   public:
    explicit Waiting(LeaseTalk& talk) : talk_(talk) { talk_.Wait(1); }
    ~Waiting() { talk_.Wait(-1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    LeaseTalk& talk_;
  };

 private:
  void Wait(int change);
  void Listen(const std::stop_token& ended);
  void ReadLines();
  void Keep(Json line);
  void CheckDriver();

  const Options options_;
  EventFile& events_;
  LineTail tail_;
  std::optional<Clock::time_point> stopped_;
  bool deserted_ = false;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  int waiting_ = 0;
  std::vector<Json> lines_;  // Until somebody follows.
  std::function<void(const Json&)> hear_;

  std::jthread thread_;
};

}  // namespace protium
