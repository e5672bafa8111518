// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rank_beats.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "os/file.h"
#include "os/stack.h"
#include "protium/fields.h"
#include "spark_worker/event_tail.h"

namespace protium {

RankBeats::RankBeats(Options options, EventFile& events, const Doing& doing)
    : options_(std::move(options)),
      events_(events),
      doing_(doing),
      task_(::gettid()),
      thread_([this](const std::stop_token& ended) { Run(ended); }) {}

void RankBeats::Run(const std::stop_token& ended) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  bool heard = true;
  do {
    Beat();
    AnswerWhere();
    if (std::exchange(heard, events_.status().ok()) && !heard) options_.on_mute();
  } while (!wake.wait_for(lock, ended, options_.beat, [&] { return ended.stop_requested(); }));
}

void RankBeats::Beat() {
  events_.Write({{"type", "beat"}, {"doing", FieldsToJson(doing_.Look())}});
}

void RankBeats::AnswerWhere() {
  std::error_code missing;
  if (!std::filesystem::exists(options_.where, missing)) return;
  auto asked = ReadFile(options_.where, 64);
  if (!asked.ok() || *asked == asked_) return;
  asked_ = *std::move(asked);
  WriteStack(task_);
}

}  // namespace protium
