// SPDX-License-Identifier: Apache-2.0
#include "stream/folder_source.h"

#include <arrow/api.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/fault.h"
#include "column/batches.h"
#include "store/blocks.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

constexpr const char* kFiles = "files";
constexpr milliseconds kBetweenSettlings{100};  // Between two looks at files that settle.

// The pieces of a stretch, or of what is known of all that are done.
const Json& PiecesOf(const Json& stretch) {
  static const Json none = Json::array();
  const auto found = stretch.find(kFiles);
  return found == stretch.end() || !found->is_array() ? none : *found;
}

Json PieceOf(const FoundFile& file, const std::string& hash) {
  return {{"name", file.name},   {"bytes", file.bytes},     {"changed_ns", file.changed_ns},
          {"inode", file.inode}, {"born_ns", file.born_ns}, {"xxh3", hash}};
}

FoundFile FileOf(const Json& piece) {
  return {.changed_ns = WholeAt(piece, "changed_ns"),
          .name = TextAt(piece, "name"),
          .bytes = WholeAt(piece, "bytes"),
          .inode = WholeAt(piece, "inode"),
          .born_ns = WholeAt(piece, "born_ns")};
}

// Returns the hash of a file that has so many bytes; empty if it has more or fewer.
Result<std::string> HashOf(const fs::path& path, int64_t bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  if (fd.get() < 0 || ::fstat(fd.get(), &found) != 0) {
    return SystemFault("open " + path.string(), errno);
  }
  if (found.st_size != bytes) return std::string();
  return HashBytesOf(fd.get(), bytes);
}

DeadLetter RefusedFile(const fs::path& path) {
  return {.place = path.filename().string(),
          .reason =
              "the file was changed after its events had been read, and which of them are new "
              "cannot be known: give new events a file of their own",
          .bytes = path.string()};
}

Status Gone(const fs::path& path, const std::string& how) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("a batch that must be read again needs a file that {}", how),
               .where = path.string(),
               .fix = "put the file back as it was; its rows are not in the sink yet",
               .kept = "all batches before it"});
}

}  // namespace

Result<std::unique_ptr<FolderSource>> FolderSource::Open(FolderSourceOptions options) {
  PT_LET(auto watch, FolderWatch::Make(options.folder, options.pattern));
  return std::unique_ptr<FolderSource>(new FolderSource(std::move(options), std::move(watch)));
}

void FolderSource::Learn(const Json& piece) {
  const FoundFile file = FileOf(piece);
  known_[file.name] = {.file = file,
                       .hash = TextAt(piece, "xxh3"),
                       .ended = piece.value("end", true),
                       .to = WholeAt(piece, "to")};
  names_[{file.inode, file.born_ns}] = file.name;
}

// Also what an inode of a file that is gone would stand for.
void FolderSource::Forget() {
  if (known_.size() < forget_at_) return;
  std::erase_if(known_, [&](const auto& each) {
    std::error_code error;
    return !fs::exists(options_.folder / each.first, error) && !error;
  });
  std::erase_if(names_, [&](const auto& each) { return !known_.contains(each.second); });
  forget_at_ = std::max<size_t>(1000, 2 * known_.size());
}

Status FolderSource::Start(const StreamPast& past) {
  for (const Json& file : PiecesOf(past.state)) Learn(file);
  for (const Json& stretch : past.stretches) {
    for (const Json& file : PiecesOf(stretch)) Learn(file);
  }
  return Status::OK();
}

Json FolderSource::State() const {
  Json files = Json::array();
  for (const auto& [name, known] : known_) {
    Json piece = PieceOf(known.file, known.hash);
    piece["to"] = known.to;
    piece["end"] = known.ended;
    files.push_back(std::move(piece));
  }
  return {{kFiles, std::move(files)}};
}

const FolderSource::Known* FolderSource::FindKnown(const FoundFile& file) const {
  const auto name = names_.find({file.inode, file.born_ns});
  const auto known = known_.find(name == names_.end() ? file.name : name->second);
  if (known == known_.end()) return nullptr;
  if (name != names_.end()) return &known->second;
  // It has been read in part, and what is there now may be a copy of it.
  return known->second.ended ? nullptr : &known->second;
}

bool FolderSource::IsKnown(const FoundFile& file) const {
  if (current_ && current_->found.name == file.name) return true;
  if (waiting_names_.contains(file.name)) return true;
  const Known* const known = FindKnown(file);
  return known != nullptr && known->ended && known->file.bytes == file.bytes &&
         known->file.changed_ns == file.changed_ns;
}

Status FolderSource::OpenAt(const FoundFile& file, const std::string& hash, int64_t at) {
  PT_LET(auto events, OpenEventReader(options_.folder / file.name, options_.form));
  if (at > 0) PT_TRY(events->Read(at).status());
  for (const std::string& column : events->ignored()) {
    options_.note(fmt::format("{}: column \"{}\" is new and ignored", file.name, column));
  }
  current_ = Current{.found = file, .hash = hash, .events = std::move(events), .at = at};
  return Status::OK();
}

// Opens the file that waits longest, if it is to be read.
Status FolderSource::OpenNext() {
  const FoundFile file = waiting_.front();
  waiting_.pop_front();
  waiting_names_.erase(file.name);
  const Result<std::string> hash = HashOf(options_.folder / file.name, file.bytes);
  // Gone again, or written again: the next listing tells.
  if (!hash.ok() || hash->empty()) return Status::OK();
  const Known* const known = FindKnown(file);
  if (known == nullptr) return OpenAt(file, *hash, 0);
  if (known->hash != *hash) {
    current_ = Current{.found = file, .hash = *hash};
    return Status::OK();
  }
  if (!known->ended) return OpenAt(file, *hash, known->to);
  Json piece = PieceOf(file, *hash);
  piece["end"] = true;
  Learn(piece);
  return Status::OK();
}

// Takes up to `most` events from the current file.
Status FolderSource::Take(int64_t most, Gathered& gathered) {
  Current& current = *current_;
  Json piece = PieceOf(current.found, current.hash);
  EventChunk chunk;
  if (current.events == nullptr) {
    piece["refused"] = true;
    chunk.events.dead.push_back(RefusedFile(options_.folder / current.found.name));
    chunk.records = 1;
  } else {
    PT_LET(chunk, current.events->Read(most));
  }
  const bool end = chunk.records < most || current.events == nullptr;
  piece["from"] = current.at;
  piece["to"] = current.at += chunk.records;
  piece["end"] = end;
  Learn(piece);
  gathered.files.push_back(std::move(piece));
  gathered.records += chunk.records;
  gathered.Add(std::move(chunk.events), current.found.changed_ns);
  if (end) current_.reset();
  return Status::OK();
}

void FolderSource::Gathered::Add(StreamRows more, int64_t changed_ns) {
  if (more.rows != nullptr) parts.push_back(std::move(more.rows));
  std::ranges::move(more.dead, std::back_inserter(rows.dead));
  rows.newest_ms = changed_ns / 1'000'000;
}

Result<StreamRows> FolderSource::Finish(Gathered gathered) const {
  PT_LET(gathered.rows.rows, Together(options_.form.columns, gathered.parts));
  return std::move(gathered.rows);
}

Result<Json> FolderSource::Next(const BatchLimits& limits, milliseconds patience,
                                const std::stop_token& stop) {
  const auto known = [this](const FoundFile& file) { return IsKnown(file); };
  Gathered gathered;
  auto end = std::chrono::steady_clock::now() + patience;
  while (gathered.records < limits.rows && !stop.stop_requested()) {
    if (!current_ && waiting_.empty()) {
      const auto now = std::chrono::steady_clock::now();
      const auto left = std::chrono::ceil<milliseconds>(std::max(end, now) - now);
      PT_LET(auto found, watch_->Wait(known, left, stop));
      if (found.empty() && gathered.files.empty() && options_.settle && watch_->settling()) {
        end = now + kBetweenSettlings;
        continue;
      }
      if (found.empty()) break;
      for (const FoundFile& file : found) waiting_names_.insert(file.name);
      std::ranges::move(found, std::back_inserter(waiting_));
    }
    if (!current_) PT_TRY(OpenNext());
    if (!current_) continue;
    if (gathered.files.empty()) end = std::chrono::steady_clock::now() + limits.gather;
    PT_TRY(Take(limits.rows - gathered.records, gathered));
  }
  if (gathered.files.empty()) return Json();
  gathered_ = {{kFiles, gathered.files}};
  PT_LET(rows_, Finish(std::move(gathered)));
  return gathered_;
}

// One piece of a stretch that was read before.
Status FolderSource::ReadPiece(const Json& piece, Gathered& gathered) const {
  const FoundFile file = FileOf(piece);
  const fs::path path = options_.folder / file.name;
  if (piece.value("refused", false)) {
    gathered.rows.dead.push_back(RefusedFile(path));
    return Status::OK();
  }
  const Result<std::string> hash = HashOf(path, file.bytes);
  if (!hash.ok()) return Gone(path, "is gone");
  if (*hash != TextAt(piece, "xxh3")) return Gone(path, "has changed since");
  PT_LET(const auto events, OpenEventReader(path, options_.form));
  const int64_t from = WholeAt(piece, "from"), to = WholeAt(piece, "to");
  if (from > 0) PT_TRY(events->Read(from).status());
  PT_LET(EventChunk chunk, events->Read(to - from));
  gathered.Add(std::move(chunk.events), file.changed_ns);
  return Status::OK();
}

Result<StreamRows> FolderSource::Read(const Json& stretch) {
  if (rows_ && gathered_ == stretch) {
    StreamRows rows = *std::move(rows_);
    rows_.reset();
    return rows;
  }
  Gathered gathered;
  for (const Json& piece : PiecesOf(stretch)) {
    PT_TRY(ReadPiece(piece, gathered));
  }
  return Finish(std::move(gathered));
}

Status FolderSource::Done(const Json& stretch) {
  for (const Json& piece : PiecesOf(stretch)) {
    Learn(piece);
    if (options_.after != ReadFiles::kDelete || !piece.value("end", true)) continue;
    std::error_code error;
    fs::remove(options_.folder / TextAt(piece, "name"), error);
  }
  Forget();
  return Status::OK();
}

Result<StreamLag> FolderSource::Lag() {
  return StreamLag{.waiting = int64_t(waiting_.size()) + (current_ ? 1 : 0), .unit = "files"};
}

}  // namespace protium
