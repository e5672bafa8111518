// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/publish.h"
#include "os/write_all.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kLong = 1 << 20;
constexpr int64_t kMostKept = int64_t{64} << 20;

Status Damaged(const fs::path& file, int64_t line, std::string what) {
  return Fail({.exit = Exit::kInput,
               .what = "the log of the stream is damaged: " + std::move(what),
               .where = fmt::format("{}:{}", file.string(), line),
               .fix = "restore the file from a copy, or begin a new stream in another folder"});
}

// Calls `take` with every whole line of the text; returns how many bytes they have.
Result<int64_t> EachLine(const fs::path& file, const std::string& text,
                         const std::function<Status(const Json&)>& take) {
  size_t at = 0;
  for (int64_t number = 1;; ++number) {
    const size_t end = text.find('\n', at);
    if (end == text.npos) return int64_t(at);
    const Json line = Json::parse(text.begin() + std::ptrdiff_t(at),
                                  text.begin() + std::ptrdiff_t(end), nullptr, false);
    if (!line.is_object()) return Damaged(file, number, "the line is not a JSON object");
    const Status taken = take(line);
    if (!taken.ok()) return Damaged(file, number, FaultOf(taken).what);
    at = end + 1;
  }
}

Intent IntentOf(const Json& line) {
  Intent intent{.number = WholeAt(line, "began"), .model = TextAt(line, "model")};
  for (const auto& [key, value] : line.items()) {
    if (key == "stretch") intent.stretch = value;
    if (key != "began" && key != "stretch" && key != "model") intent.facts[key] = value;
  }
  return intent;
}

Json LineOf(const Intent& intent) {
  Json line = {{"began", intent.number}, {"stretch", intent.stretch}, {"model", intent.model}};
  line.update(intent.facts);
  return line;
}

// The files with older lines, by the first batch after them.
std::vector<std::pair<int64_t, fs::path>> OlderLines(const fs::path& folder) {
  std::vector<std::pair<int64_t, fs::path>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    int64_t number = 0;
    if (std::sscanf(name.c_str(), "log.%ld.jsonl", &number) == 1) {
      found.emplace_back(number, entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void RemoveOldest(const fs::path& folder) {
  const auto older = OlderLines(folder);
  int64_t bytes = 0;
  for (auto each = older.rbegin(); each != older.rend(); ++each) {
    std::error_code error;
    bytes += int64_t(fs::file_size(each->second, error));
    if (bytes > kMostKept) fs::remove(each->second, error);
  }
}

}  // namespace

Result<std::unique_ptr<StreamLog>> StreamLog::Open(const fs::path& folder) {
  PT_TRY(MakeFolder(folder));
  std::unique_ptr<StreamLog> log(new StreamLog(folder));
  PT_LET(log->lock_, LockStream(folder));
  PT_TRY(log->Read());
  return log;
}

Status StreamLog::Read() {
  std::string text;
  if (IsRegularFile(file())) {
    PT_LET(text, ReadFile(file()));
  }
  if (text.starts_with("{\"state\"")) state_bytes_ = int64_t(text.find('\n')) + 1;
  PT_LET(bytes_, EachLine(file(), text, [this](const Json& line) { return Take(line); }));
  fd_ = UniqueFd(::open(file().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (fd_.get() < 0) return SystemFault("open " + file().string(), errno);
  // What follows the last whole line was never finished.
  if (::ftruncate(fd_.get(), bytes_) != 0 || ::lseek(fd_.get(), bytes_, SEEK_SET) < 0) {
    return SystemFault("shorten " + file().string(), errno);
  }
  return text.empty() ? SyncFolder(folder_) : Status::OK();
}

Status StreamLog::Take(const Json& line) {
  if (line.contains("training")) training_ = line["training"];
  if (line.contains("state")) {
    past_ = {.state = line["state"]};
    last_ = line.value("last", Json::object());
    open_.reset();
    return FieldsFromJson(line.value("totals", Json::object()), "totals", totals_);
  }
  if (line.contains("training")) return Status::OK();
  if (line.contains("began")) {
    Intent intent = IntentOf(line);
    // A batch may begin again: another model took the place of one that is gone.
    if (intent.number != totals_.batches) return Status::Invalid("batch number out of order");
    open_ = std::move(intent);
    return Status::OK();
  }
  if (!open_ || WholeAt(line, "ended", -1) != open_->number) {
    return Status::Invalid("a batch ends that has not begun");
  }
  totals_.batches += 1;
  totals_.rows += WholeAt(line, "rows");
  totals_.dead += WholeAt(line, "dead");
  last_ = line;
  past_.stretches.push_back(std::move(open_->stretch));
  open_.reset();
  return Status::OK();
}

// What was written of a line that failed is cut off, so that the next line is whole.
Status StreamLog::Append(const Json& line) {
  const std::string text = Dump(line) + "\n";
  const Status written = WriteAll(fd_.get(), text, file());
  if (written.ok()) {
    bytes_ += int64_t(text.size());
    return Status::OK();
  }
  if (::ftruncate(fd_.get(), bytes_) == 0) (void)::lseek(fd_.get(), bytes_, SEEK_SET);
  return written;
}

Status StreamLog::Begin(Intent intent) {
  PT_CHECK(intent.number == totals_.batches);
  PT_TRY(Append(LineOf(intent)));
  if (::fdatasync(fd_.get()) != 0) return SystemFault("flush " + file().string(), errno);
  open_ = std::move(intent);
  return Status::OK();
}

Status StreamLog::End(const StreamTotals& more, const Json& facts) {
  PT_CHECK(open_.has_value());
  Json line = {{"ended", open_->number}, {"rows", more.rows}, {"dead", more.dead}};
  line.update(facts);
  PT_TRY(Append(line));
  return Take(line);
}

Status StreamLog::Training(const Json& state) {
  const Json line = {{"training", state}};
  PT_TRY(Append(line));
  if (::fdatasync(fd_.get()) != 0) return SystemFault("flush " + file().string(), errno);
  return Take(line);
}

// A state may be long itself: one of many files.
bool StreamLog::long_enough() const { return bytes_ > std::max(kLong, 2 * state_bytes_) && !open_; }

Status StreamLog::Shorten(const Json& state) {
  PT_CHECK(!open_);
  const fs::path kept = folder_ / fmt::format("log.{}.jsonl", totals_.batches);
  std::error_code error;
  fs::remove(kept, error);
  // The lines get a second name before the first is given to their successor.
  if (::link(file().c_str(), kept.c_str()) != 0) return SystemFault("keep " + kept.string(), errno);
  Json line = {{"state", state}, {"totals", FieldsToJson(totals_)}, {"last", last_}};
  if (!training_.is_null()) line["training"] = training_;
  PT_TRY(WriteFile(file(), Dump(line) + "\n"));
  past_ = {.state = state};
  fd_ = UniqueFd(::open(file().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (fd_.get() < 0) return SystemFault("open " + file().string(), errno);
  state_bytes_ = bytes_ = int64_t(fs::file_size(file(), error));
  RemoveOldest(folder_);
  return Status::OK();
}

Result<UniqueFd> LockStream(const fs::path& folder) {
  const fs::path path = folder / "lock";
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.get() < 0) return SystemFault("open " + path.string(), errno);
  if (LockFile(lock.get()).ok()) return lock;
  return Fail({.exit = Exit::kUsage,
               .what = "the stream is running already",
               .where = folder.string(),
               .fix = "protium stream status shows it; end it with Ctrl-C or SIGTERM",
               .kept = "nothing was started"});
}

bool IsStreamHeld(const fs::path& folder) {
  const UniqueFd fd(::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC));
  return fd.get() >= 0 && IsLockedByOthers(fd.get());
}

Result<std::vector<Intent>> EndedBatches(const fs::path& folder, int64_t from, int64_t to) {
  std::vector<fs::path> files;
  for (auto& [number, path] : OlderLines(folder)) {
    if (number > from) files.push_back(std::move(path));
  }
  files.push_back(folder / "log.jsonl");
  std::vector<Intent> ended;
  std::optional<Intent> open;
  for (const fs::path& file : files) {
    PT_LET(const std::string text, ReadFile(file));
    PT_TRY(EachLine(file, text, [&](const Json& line) {
             if (line.contains("began")) open = IntentOf(line);
             if (!line.contains("ended") || !open) return Status::OK();
             if (open->number >= from && open->number < to) {
               open->facts["ended"] = line;
               ended.push_back(*std::move(open));
             }
             open.reset();
             return Status::OK();
           }).status());
  }
  const int64_t first = ended.empty() ? to : ended.front().number;
  if (first == from) return ended;
  return Fail({.exit = Exit::kInput,
               .what = ended.empty()
                           ? fmt::format("no batch from {} has ended", from)
                           : fmt::format("the log begins with batch {}, and not {}", first, from),
               .where = folder.string(),
               .fix = ended.empty() ? "" : fmt::format("--from {}", first)});
}

}  // namespace protium
