// SPDX-License-Identifier: Apache-2.0
// A task's messages to and from the driver of its lease (spark_worker/lease_words.h).
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

// The member that the driver made this task.
struct LeasePlace {
  int64_t task = 0;
  int32_t member = 0;
  int32_t world = 1;  // Of the gang at its start.
  bool newcomer = false;
};

// Reads the driver's lines on its own thread.
class LeaseTalk {
 public:
  struct Options {
    std::filesystem::path folder;
    int64_t task = 0;
    std::stop_token stop;
  };
  // `events` must outlive it.
  LeaseTalk(Options options, EventFile& events);
  ~LeaseTalk();

  // Any thread.
  void Say(const Json& what) { events_.Write(what); }
  // Reports this task to the driver and waits for its place; nullopt: it is not needed. A stop ends
  // the wait. The driver sets the deadline; if it is gone, that leads to a stop.
  Result<std::optional<LeasePlace>> AwaitPlace(Json about);
  // Passes all lines, including earlier ones, to `hear`, on this object's thread. If the driver
  // does not end the task within 20 s of a stop, acts as if it had sent "over". Call once.
  void Follow(std::function<void(const Json&)> hear);

  // While it exists somebody waits for the driver, and the lines are read more often.
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
  std::vector<Json> lines_;  // Until Follow() is called.
  std::function<void(const Json&)> hear_;

  std::jthread thread_;
};

}  // namespace protium
