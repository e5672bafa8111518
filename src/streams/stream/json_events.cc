// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/text_lines.h"
#include "records/record_rows.h"
#include "stream/event_letters.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

void NoteIgnored(const std::string& column, std::vector<std::string>& ignored) {
  if (std::find(ignored.begin(), ignored.end(), column) == ignored.end()) {
    ignored.push_back(column);
  }
}

// Lines of JSON.
class JsonEvents : public EventReader {
 public:
  JsonEvents(fs::path path, TextLines lines, RecordRows events, NewColumns new_columns)
      : path_(std::move(path)),
        lines_(std::move(lines)),
        events_(std::move(events)),
        new_columns_(new_columns) {}

  Result<EventChunk> Read(int64_t most) override {
    EventChunk chunk;
    while (chunk.records < most && !ended_) PT_TRY(ReadOne(chunk));
    PT_LET(chunk.events.rows, events_.Finish());
    return chunk;
  }
  std::vector<std::string> ignored() const override { return ignored_; }

 private:
  Status ReadOne(EventChunk& chunk) {
    std::string_view line;
    const Result<bool> more = lines_.Next(line);
    ended_ = !more.ok() || !*more;
    if (more.ok() && ended_) return Status::OK();
    ++chunk.records;
    if (!more.ok()) return Refuse(more.status(), "", chunk);
    const Result<std::string> unknown = events_.AddObject(line, new_columns_ == NewColumns::kDead);
    if (!unknown.ok()) return Refuse(unknown.status(), line, chunk);
    if (unknown->empty()) return Status::OK();
    if (new_columns_ == NewColumns::kStop) return StopAtNewColumn(path_.string(), *unknown);
    NoteIgnored(*unknown, ignored_);
    return Status::OK();
  }

  Status Refuse(const Status& why, std::string_view line, EventChunk& chunk) const {
    if (FaultOf(why).exit != Exit::kInput) return why;
    const std::string place = fmt::format("{}, line {}", NameOf(path_), lines_.line());
    chunk.events.dead.push_back(
        Letter(place + (ended_ ? " to the end" : ""), FaultOf(why).what, line));
    return Status::OK();
  }

  fs::path path_;
  TextLines lines_;
  RecordRows events_;
  NewColumns new_columns_;
  bool ended_ = false;
  std::vector<std::string> ignored_;
};

}  // namespace

Result<std::unique_ptr<EventReader>> OpenJsonEvents(const fs::path& path, const EventForm& form) {
  Result<TextLines> lines = TextLines::Open(path.string());
  if (!lines.ok()) {
    return DeadFile(path, ReasonOf(lines.status()));
  }
  PT_LET(RecordRows events, RecordRows::Make(form.columns));
  return std::make_unique<JsonEvents>(path, *std::move(lines), std::move(events), form.new_columns);
}

}  // namespace protium
