// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/lease_talk.h"

#include <utility>

#include "gang/gang_member.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

// How often lines are read: while somebody waits for one, and otherwise.
constexpr std::chrono::milliseconds kWaitingTick{5};
constexpr std::chrono::milliseconds kIdleTick{50};
// The driver gives ranks 30 s to end after a stop; 15 s without its sign count as a stop.
constexpr std::chrono::seconds kMostStopping{20};

}  // namespace

LeaseTalk::LeaseTalk(Options options, EventFile& events)
    : options_(std::move(options)),
      events_(events),
      tail_(options_.folder / kLeaseFile),
      thread_([this](const std::stop_token& ended) { Listen(ended); }) {}

LeaseTalk::~LeaseTalk() {
  thread_.request_stop();
  thread_.join();
}

void LeaseTalk::Wait(int change) {
  std::lock_guard lock(mutex_);
  waiting_ += change;
  changed_.notify_all();
}

void LeaseTalk::Listen(const std::stop_token& ended) {
  while (!ended.stop_requested()) {
    ReadLines();
    CheckDriver();
    std::unique_lock lock(mutex_);
    const int waiting = waiting_;
    (void)changed_.wait_for(lock, ended, waiting > 0 ? kWaitingTick : kIdleTick,
                            [&] { return waiting_ > waiting; });
  }
}

// A line that cannot be read now may be readable the next time.
void LeaseTalk::ReadLines() {
  auto lines = tail_.Read();
  if (!lines.ok()) return;
  for (Json& each : *lines) Keep(std::move(each));
}

void LeaseTalk::Keep(Json line) {
  std::function<void(const Json&)> hear;
  {
    std::lock_guard lock(mutex_);
    hear = hear_;
    if (!hear) lines_.push_back(line);
    changed_.notify_all();
  }
  if (hear) hear(line);
}

void LeaseTalk::CheckDriver() {
  if (deserted_ || !options_.stop.stop_requested()) return;
  const auto now = Clock::now();
  if (!stopped_) stopped_ = now;
  deserted_ = now - *stopped_ >= kMostStopping;
  if (deserted_) Keep({{"type", "over"}});
}

Result<std::optional<LeasePlace>> LeaseTalk::AwaitPlace(Json about) {
  about["type"] = "here";
  Say(std::move(about));
  std::optional<Json> answer;
  size_t next = 0;
  const auto answered = [&] {
    for (; !answer && next < lines_.size(); ++next) {
      const Json& line = lines_[next];
      const std::string type = line.value("type", "");
      const bool mine = line.value("task", int64_t{-1}) == options_.task;
      if (type == "over" || (mine && (type == "place" || type == "leave"))) answer = line;
    }
    return answer.has_value();
  };
  std::unique_lock lock(mutex_);
  (void)changed_.wait(lock, options_.stop, answered);
  if (!answer) return AskedToStop();
  if ((*answer)["type"] != "place") return std::optional<LeasePlace>();
  return std::optional(LeasePlace{.task = options_.task,
                                  .member = answer->value("member", 0),
                                  .world = answer->value("world", 1),
                                  .newcomer = answer->value("newcomer", false)});
}

// Lines that arrive meanwhile wait: the thread takes the same mutex to store each.
void LeaseTalk::Follow(std::function<void(const Json&)> hear) {
  std::lock_guard lock(mutex_);
  for (const Json& each : std::exchange(lines_, {})) hear(each);
  hear_ = std::move(hear);
}

}  // namespace protium
