// SPDX-License-Identifier: Apache-2.0
#include "transit/transit_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>

#include "base/fault.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/publish.h"
#include "os/write_all.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// A piece at the end of a file that grows is written again together with what was added, until it
// has this size: otherwise each line would be an object.
constexpr int64_t kSmallPiece = 64 << 10;
constexpr int64_t kLargestPiece = 64 << 20;
// How long an object outlives the last index that names it.
constexpr std::chrono::seconds kGrace{60};

Status NotWhole(const std::string& path) {
  return Fail({.exit = Exit::kRemote, .what = path + " could not be brought whole"});
}

}  // namespace

std::unique_ptr<TransitFolder> TransitFolder::Make(std::shared_ptr<const ObjectStore> store,
                                                   TransitTerms terms) {
  return std::unique_ptr<TransitFolder>(new TransitFolder(std::move(store), std::move(terms)));
}

TransitFolder::~TransitFolder() = default;

void TransitFolder::Start() {
  thread_ = std::jthread([this](const std::stop_token& ended) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, ended, terms_.tick, [&] { return ended.stop_requested(); })) {
      (void)Exchange();
    }
  });
}

Status TransitFolder::Exchange() {
  const std::lock_guard lock(mutex_);
  PT_TRY(Send());
  return Take();
}

Result<TransitFolder::Seen> TransitFolder::Look(const fs::path& file) {
  struct stat about {};
  if (::lstat(file.c_str(), &about) != 0) return SystemFault("look at " + file.string(), errno);
  if (!S_ISREG(about.st_mode)) return Status::Invalid(file.string(), " is no file");
  return Seen{about.st_size, about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec};
}

// What is to be sent and was not taken, in the order in which it was last written.
std::vector<TransitFolder::Found> TransitFolder::FilesNow() const {
  std::vector<Found> found;
  for (const std::string& each : terms_.sends) {
    const fs::path top = (terms_.folder / each).lexically_normal();
    std::error_code error;
    if (!fs::is_directory(top, error)) {
      AddFile(top, found);
      continue;
    }
    fs::recursive_directory_iterator at(top, error);
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
      std::error_code ignored;
      if (IsDraftName(at->path().filename().string()) || at->is_symlink(ignored)) {
        at.disable_recursion_pending();
      } else {
        AddFile(at->path(), found);
      }
    }
  }
  std::ranges::stable_sort(found, {}, [](const Found& each) { return each.seen.changed_ns; });
  return found;
}

void TransitFolder::AddFile(const fs::path& file, std::vector<Found>& found) const {
  const auto seen = Look(file);
  std::string path = file.lexically_relative(terms_.folder).string();
  if (seen.ok() && !IsTaken(path, *seen)) found.push_back({std::move(path), *seen});
}

bool TransitFolder::IsTaken(const std::string& path, const Seen& seen) const {
  return std::ranges::any_of(others_, [&](const auto& other) {
    const auto taken = other.second.files.find(path);
    return taken != other.second.files.end() && taken->second.seen == seen;
  });
}

// Files that grow are looked at before the others, but named after them: what a line in them speaks
// of was written earlier, and is found. Files that belong together, such as a checkpoint's, appear
// in one step; so they are listed until two lists agree.
std::vector<TransitFolder::Found> TransitFolder::FilesToSend() const {
  std::vector<Found> all = FilesNow();
  std::vector<Found> growing = all;
  std::erase_if(growing, [&](const Found& each) { return !Grows(each.path); });
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    std::vector<Found> again = FilesNow();
    const bool same = std::ranges::equal(all, again, {}, &Found::path, &Found::path);
    all = std::move(again);
    if (same) break;
  }
  std::erase_if(all, [&](const Found& each) { return Grows(each.path); });
  std::ranges::move(growing, std::back_inserter(all));
  return all;
}

// A file that is gone before it is read belongs to what is being removed, such as an old
// checkpoint: then all are listed again.
Status TransitFolder::Send() {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    const std::vector<Found> all = FilesToSend();
    TransitIndex index;
    bool whole = true;
    for (size_t k = 0; whole && k < all.size(); ++k) {
      PT_LET(whole, SendFile(all[k]));
      index.files.push_back(sent_[all[k].path].file);
    }
    if (whole) return SendIndex(index, all);
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "the files in " + terms_.folder.string() + " change too fast to be sent"});
}

Status TransitFolder::SendIndex(const TransitIndex& index, const std::vector<Found>& all) {
  std::string text = IndexText(index);
  if (text == index_ || (index_.empty() && index.files.empty())) return Status::OK();
  PT_TRY(store_->PutText(terms_.meeting + "/index/" + terms_.writer, text));
  index_ = std::move(text);
  Forget(all);
  DeleteReplaced();
  return Status::OK();
}

// Their objects may go, now that the index does not name them any more.
void TransitFolder::Forget(const std::vector<Found>& left) {
  std::erase_if(sent_, [&](const auto& each) {
    if (std::ranges::find(left, each.first, &Found::path) != left.end()) return false;
    for (const TransitPiece& piece : each.second.file.pieces) {
      replaced_.emplace_back(std::chrono::steady_clock::now(), piece.object);
    }
    return true;
  });
}

// Returns whether the file could be read as it was found.
Result<bool> TransitFolder::SendFile(const Found& found) {
  Sent& sent = sent_[found.path];
  if (sent.seen == found.seen) return true;
  const fs::path path = terms_.folder / found.path;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return false;
  Sent next{found.seen, {found.path, Grows(found.path), sent.file.pieces}};
  std::vector<TransitPiece>& pieces = next.file.pieces;
  const std::vector<TransitPiece> before = pieces;
  const bool grown = next.file.grows && found.seen.bytes >= sent.file.bytes();
  if (!grown) pieces.clear();
  if (!pieces.empty() && pieces.back().bytes < kSmallPiece) pieces.pop_back();
  const size_t kept = pieces.size();
  for (int64_t from = next.file.bytes(); from < found.seen.bytes;) {
    const int64_t bytes = std::min(kLargestPiece, found.seen.bytes - from);
    const Status added = AddPiece(next.file, file.get(), from, bytes);
    // Cut or replaced while it was read.
    if (!added.ok() && FaultOf(added).exit == Exit::kEnvironment) return false;
    PT_TRY(added);
    from += bytes;
  }
  for (size_t i = kept; i < before.size(); ++i) {
    replaced_.emplace_back(std::chrono::steady_clock::now(), before[i].object);
  }
  sent = std::move(next);
  return true;
}

Status TransitFolder::AddPiece(TransitFile& sent, int file, int64_t from, int64_t bytes) {
  TransitPiece piece{NewObject(), bytes};
  PT_TRY(store_->PutFile(piece.object, file, from, bytes, {}));
  sent.pieces.push_back(std::move(piece));
  return Status::OK();
}

std::string TransitFolder::NewObject() {
  return fmt::format("{}/data/{}/{:06}", terms_.meeting, terms_.writer, ++objects_);
}

void TransitFolder::DeleteReplaced() {
  const auto old = std::chrono::steady_clock::now() - kGrace;
  while (!replaced_.empty() && replaced_.front().first < old) {
    // What cannot be deleted now goes with the place.
    (void)store_->Delete(replaced_.front().second);
    replaced_.erase(replaced_.begin());
  }
}

// The leader's index is read before those of the others, which so name all that it knew of, and
// followed after them.
Status TransitFolder::Take() {
  if (!terms_.takes) return Status::OK();
  PT_LET(std::vector<std::string> writers, Writers());
  std::ranges::stable_partition(writers, [&](const auto& each) { return each == terms_.leader; });
  std::vector<std::string> indexes;
  for (const std::string& each : writers) {
    PT_LET(std::string index, ReadIndexOf(each));
    indexes.push_back(std::move(index));
  }
  for (size_t i = writers.size(); i-- > 0;) PT_TRY(TakeFrom(writers[i], indexes[i]));
  return Status::OK();
}

Result<std::vector<std::string>> TransitFolder::Writers() const {
  if (!terms_.from.empty()) return terms_.from;
  PT_LET(auto writers, store_->ListNames(terms_.meeting + "/index"));
  std::erase(writers, terms_.writer);
  return writers;
}

// Empty: there is none yet.
Result<std::string> TransitFolder::ReadIndexOf(const std::string& writer) const {
  PT_LET(auto text, store_->GetText(terms_.meeting + "/index/" + writer, kMostIndexBytes));
  return text ? std::move(*text) : std::string();
}

Status TransitFolder::TakeFrom(const std::string& writer, const std::string& text) {
  Other& other = others_[writer];
  if (text == other.index) return Status::OK();
  PT_LET(const TransitIndex index, ReadIndex(text));
  std::set<std::string> named;
  for (const TransitFile& each : index.files) {
    named.insert(each.path);
    if (!terms_.takes(each.path)) continue;
    const auto known = other.files.find(each.path);
    if (known != other.files.end() && known->second.pieces == each.pieces) continue;
    Taken taken = known != other.files.end() ? known->second : Taken();
    PT_TRY(TakeFile(each, taken));
    other.files[each.path] = std::move(taken);
  }
  std::erase_if(other.files, [&](const auto& each) {
    if (named.contains(each.first)) return false;
    Drop(each.first, each.second);
    return true;
  });
  other.index = text;
  return Status::OK();
}

Status TransitFolder::TakeFile(const TransitFile& file, Taken& taken) {
  const fs::path path = terms_.folder / file.path;
  PT_TRY(MakeFolder(path.parent_path()));
  PT_TRY(file.grows ? Append(file, taken) : Replace(file));
  PT_LET(taken.seen, Look(path));
  taken.pieces = file.pieces;
  taken.bytes = file.bytes();
  return Status::OK();
}

// A part that could not be brought is cut off again: the whole rest comes the next time.
Status TransitFolder::Append(const TransitFile& file, const Taken& taken) const {
  const fs::path path = terms_.folder / file.path;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const UniqueFd into(::open(path.c_str(), kFlags, 0644));
  struct stat before {};
  if (!into || ::fstat(into.get(), &before) != 0) {
    return SystemFault("write " + path.string(), errno);
  }
  const Status fetched = Fetch(file, taken.bytes, into.get());
  if (!fetched.ok() && ::ftruncate(into.get(), before.st_size) != 0) {
    return SystemFault("write " + path.string(), errno);
  }
  return fetched;
}

Status TransitFolder::Replace(const TransitFile& file) const {
  const fs::path path = terms_.folder / file.path;
  PT_LET(AtomicFile into, AtomicFile::Make(path));
  PT_TRY(Fetch(file, 0, into.fd()));
  return into.Commit();
}

// Writes the bytes from `from` on to the end of `into`. What another has replaced meanwhile comes
// with its next index.
Status TransitFolder::Fetch(const TransitFile& file, int64_t from, int into) const {
  int64_t start = 0;
  for (const TransitPiece& piece : file.pieces) {
    const int64_t skip = std::clamp<int64_t>(from - start, 0, piece.bytes);
    start += piece.bytes;
    if (skip == piece.bytes) continue;
    std::string bytes;
    PT_LET(const bool found, store_->Get(piece.object, [&](std::string_view part) -> Status {
      bytes += part;
      return int64_t(bytes.size()) > piece.bytes ? NotWhole(file.path) : Status::OK();
    }));
    if (!found || int64_t(bytes.size()) != piece.bytes) return NotWhole(file.path);
    PT_TRY(WriteAll(into, std::string_view(bytes).substr(size_t(skip)), file.path));
  }
  return Status::OK();
}

// Removes a file that its writer has removed, and the folders that it leaves empty.
void TransitFolder::Drop(const std::string& path, const Taken& taken) const {
  const fs::path file = terms_.folder / path;
  const auto now = Look(file);
  if (!now.ok() || *now != taken.seen) return;
  std::error_code error;
  fs::remove(file, error);
  for (fs::path folder = file.parent_path(); !error && folder != terms_.folder;
       folder = folder.parent_path()) {
    if (!fs::is_empty(folder, error) || error) return;
    fs::remove(folder, error);
  }
}

}  // namespace protium
