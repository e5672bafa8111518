// SPDX-License-Identifier: Apache-2.0
#include "page/live_run.h"

#include "run/event_log.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kPiece = 512 << 10;          // Parsed, it takes ten times that.
constexpr int64_t kMostInARequest = 64 << 20;  // Less than a second's work.

int64_t SizeOf(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : int64_t(size);
}

}  // namespace

Result<Json> LiveRun::WithStory(const std::function<Json(const RunStory&, int64_t)>& read) {
  const std::lock_guard lock(mutex_);
  PT_TRY(Refresh());
  const int64_t unread = SizeOf(events()) - next_;
  // The rest of a line that is still being written is not unread work.
  return read(*story_, unread > kPiece ? unread : 0);
}

// A file that has become shorter is another one: a new run was put into the old folder.
Status LiveRun::Refresh() {
  if (!story_ || SizeOf(events()) < next_) {
    story_ = std::make_unique<RunStory>();
    next_ = 0;
  }
  for (const int64_t first = next_; next_ - first < kMostInARequest;) {
    PT_LET(const EventPiece piece, ReadEventsFrom(events(), next_, kPiece));
    for (const EventAt& each : piece.events) story_->On(each.event);
    next_ = piece.next;
    if (!piece.more) break;
  }
  return Status::OK();
}

std::string StateOfRun(const fs::path& run) {
  const Result<RunHeader> header = ReadRunHeader(run);
  if (!header.ok()) return fs::exists(run) ? "damaged" : "gone";
  RunEntry entry{.folder = run, .header = *header};
  entry.cut_off = header->state == RunState::kRunning && !IsLocked(run);
  return entry.state();
}

}  // namespace protium
