// SPDX-License-Identifier: Apache-2.0
#include "page/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "run/event_log.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Shows whether the reader is still connected.
constexpr auto kSignOfLife = std::chrono::seconds(5);
constexpr int64_t kMostAtOnce = 512 << 10;  // Bytes of events in a message.

class EventStream : public HttpStream {
 public:
  EventStream(std::shared_ptr<LiveRun> run, int64_t from) : run_(std::move(run)), next_(from) {
    const int64_t end = EndOfEvents(*run_);
    next_ = from < 0 ? end : std::min(from, end);
  }

  More Next(std::string& text) override {
    // Checked first, so that what was written before a run ended is still read.
    const std::string state = StateOfRun(run_->folder());
    AddEvents(text);
    if (state != state_ && !behind_) {
      text += fmt::format("event: state\ndata: {}\n\n", Dump({{"state", state}}));
      state_ = state;
    }
    const auto now = std::chrono::steady_clock::now();
    if (text.empty() && now - told_ > kSignOfLife) text = ": alive\n\n";
    if (!text.empty()) told_ = now;
    if (state == "gone") return More::kNone;
    return behind_ ? More::kAtOnce : More::kLater;
  }

 private:
  void AddEvents(std::string& text) {
    const Result<EventPiece> piece = ReadEventsFrom(run_->events(), next_, kMostAtOnce);
    if (!piece.ok()) return;
    next_ = piece->next;
    behind_ = piece->more;
    if (piece->events.empty()) return;
    Json events = Json::array();
    for (const EventAt& each : piece->events) events.push_back(each.event);
    text += fmt::format("id: {}\nevent: events\ndata: {}\n\n", next_, Dump(events));
  }

  const std::shared_ptr<LiveRun> run_;
  int64_t next_;
  bool behind_ = false;
  std::string state_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<HttpStream> StreamEvents(std::shared_ptr<LiveRun> run, int64_t from) {
  return std::make_unique<EventStream>(std::move(run), from);
}

int64_t EndOfEvents(const LiveRun& run) {
  std::error_code error;
  const auto size = fs::file_size(run.events(), error);
  return error ? 0 : int64_t(size);
}

}  // namespace protium
