// SPDX-License-Identifier: Apache-2.0
#include "mirror/mirror.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/digest.h"
#include "base/fault.h"
#include "mirror/bring.h"
#include "mirror/intervals.h"
#include "run/event_log.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace {

constexpr int64_t kBlock = 1 << 20;  // Of files that grow: whole blocks are copied once.

Result<std::string> HashOf(int file, int64_t from, int64_t bytes) {
  Sha256 sha;
  std::string piece;
  for (int64_t done = 0; done < bytes;) {
    piece.resize(size_t(std::min<int64_t>(kBlock, bytes - done)));
    const ssize_t n = pread(file, piece.data(), piece.size(), from + done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return SystemFault("read a file to copy it", n < 0 ? errno : EIO);
    sha.Add(std::string_view(piece.data(), size_t(n)));
    done += n;
  }
  return sha.Hex();
}

bool IsRemote(const Status& status) { return FaultOf(status).exit == Exit::kRemote; }

}  // namespace

Result<std::unique_ptr<Mirror>> Mirror::Begin(const ObjectPlace& run, const fs::path& folder) {
  PT_LET(auto store, ObjectStore::Open(run));
  PT_LET(CacheLock lock, CacheLock::Take(folder));
  std::unique_ptr<Mirror> mirror(new Mirror(std::move(store), folder, std::move(lock)));
  PT_LET(mirror->attempt_, ClaimAttempt(*mirror->store_, 1, false));
  PT_LET(mirror->names_, ObjectStore::Open(run.parent()));
  PT_TRY(mirror->names_->PutText(NameOfRun(run), run.text() + "\n"));
  PT_TRY(mirror->WriteState(true));
  return mirror;
}

Result<std::unique_ptr<Mirror>> Mirror::TakeOver(const ObjectPlace& run,
                                                 const std::function<void(const Attempt&)>& waits) {
  PT_LET(auto store, ObjectStore::Open(run));
  PT_LET(const fs::path runs, CacheOf(run.parent()));
  const fs::path folder = runs / run.name();
  PT_LET(CacheLock lock, CacheLock::Take(folder));
  PT_LET(PublishedRun published, ReadPublished(*store));
  if (published.attempts.empty()) return NoSuchObjectRun(run);
  // With the lock, nobody works in this copy: then its attempt is over, whatever it last said.
  const CacheState state = ReadCacheState(folder);
  const bool ours = state.ahead && state.token == published.attempts.back().token;
  if (!ours) PT_TRY(CheckIsIdle(*store, published, waits));
  std::unique_ptr<Mirror> mirror(new Mirror(store, folder, std::move(lock)));
  mirror->earlier_ = published.attempts;
  PT_LET(mirror->attempt_, ClaimAttempt(*store, int64_t(published.attempts.size()) + 1, true));
  // Read again: until it saw our claim, an earlier attempt may have published more.
  PT_LET(published, ReadPublished(*store));
  if (!ours) PT_TRY(Bring(*store, published, folder, Parts::kAll));
  PT_TRY(mirror->WriteState(true));
  return mirror;
}

Mirror::~Mirror() {
  thread_ = {};
  const bool given_up = attempt_.number > 0 && manifest_.sequence == 0;
  if (given_up) (void)GiveUpAttempt(*store_, attempt_);
  if (given_up && names_) (void)names_->Delete(NameOfRun(place()));
  std::error_code ignored;
  fs::remove_all(Scratch(), ignored);
}

fs::path Mirror::Scratch() const {
  return folder_.parent_path() / ".state" / (folder_.filename().string() + ".links");
}

Status Mirror::WriteState(bool ahead) const {
  CacheState state{.place = place().text(), .token = attempt_.token, .ahead = ahead};
  for (const auto& [path, known] : known_) state.files[path] = known.file;
  return WriteCacheState(folder_, state);
}

void Mirror::Start(MirrorWatch watch) {
  watch_ = std::move(watch);
  thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
}

void Mirror::Wake() {
  const std::lock_guard lock(waking_);
  wanted_ = true;
  woken_.notify_all();
}

void Mirror::Work(const std::stop_token& stop) {
  bool away = false;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(waking_);
      woken_.wait_for(lock, stop, kMirrorPause, [] { return false; });
      woken_.wait_for(lock, stop, kMirrorEvery - kMirrorPause, [&] { return wanted_; });
      wanted_ = false;
    }
    if (stop.stop_requested()) return;
    const std::lock_guard lock(copying_);
    const Status status = Copy(false);
    if (status.ok() && away && watch_.back) watch_.back();
    if (!status.ok() && IsRemote(status) && !away && watch_.away) watch_.away(status);
    away = !status.ok() && IsRemote(status);
    if (!status.ok() && !away && !CheckIsNewest(*store_, attempt_).ok()) {
      if (watch_.lost) watch_.lost();
      return;
    }
  }
}

Status Mirror::Publish() {
  const std::lock_guard lock(copying_);
  return Copy(false);
}

Status Mirror::End() {
  thread_ = {};
  const std::lock_guard lock(copying_);
  const auto until = steady_clock::now() + kEndPatience;
  Status status = Copy(true);
  while (!status.ok() && IsRemote(status) && steady_clock::now() < until) {
    std::this_thread::sleep_for(kMirrorEvery);
    status = Copy(true);
  }
  PT_TRY(status);
  RemoveEarlier();
  return WriteState(false);
}

// A store that does not answer keeps what is there of the attempt.
void Mirror::Discard() {
  thread_ = {};
  const std::lock_guard lock(copying_);
  if (manifest_.sequence > 0 && store_->DeleteFolder(attempt_.folder()).ok()) manifest_ = {};
}

// The order makes it safe: objects, then the manifest that names them, then a look whether it
// counts, then what nothing names any more.
Status Mirror::Copy(bool ended) {
  PT_LET(const std::vector<SnapshotFile> files, TakeSnapshot(folder_, Scratch()));
  RunManifest manifest{.ended = ended};
  std::map<std::string, Known> known;
  for (const SnapshotFile& file : files) {
    Result<MirroredFile> copy = CopyFile(file);
    std::error_code ignored;
    // It was replaced or removed meanwhile; the next copy shows how.
    if (!copy.ok() && !fs::exists(file.at, ignored) && !ended) continue;
    PT_TRY(copy.status());
    known[file.path] = known_[file.path];
    manifest.files.push_back(copy.MoveValueUnsafe());
  }
  known_ = std::move(known);
  PT_TRY(PutManifest(std::move(manifest)));
  PT_TRY(CheckIsNewest(*store_, attempt_));
  RemoveUnnamed();
  return Status::OK();
}

Status Mirror::PutManifest(RunManifest manifest) {
  manifest.attempt = attempt_.number;
  manifest.token = attempt_.token;
  manifest.sequence = manifest_.sequence + 1;
  manifest.time = TimeText();
  PT_TRY(store_->PutText(attempt_.folder() + "/manifest.json", ManifestText(manifest)));
  manifest_ = std::move(manifest);
  shown_ = steady_clock::now();
  return Status::OK();
}

// A large upload must not look like a death.
void Mirror::ShowLife() {
  if (manifest_.sequence == 0 || steady_clock::now() - shown_ < kMirrorEvery) return;
  (void)PutManifest(manifest_);
}

Result<MirroredFile> Mirror::CopyFile(const SnapshotFile& file) {
  PT_LET(CachedFile now, LookAt(file.at));
  Known& known = known_[file.path];
  now.content = known.file.content;
  if (now == known.file && !known.copy.path.empty()) return known.copy;
  const UniqueFd descriptor(open(file.at.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!descriptor) return SystemFault("open " + file.at.string(), errno);
  // Of the opened file, which another may have replaced by now.
  PT_LET(now, LookAt(descriptor.get()));
  PT_LET(MirroredFile copy, CopyParts(file, descriptor.get(), now));
  now.content = copy.ContentId();
  known = {now, copy};
  return copy;
}

Result<MirroredFile> Mirror::CopyParts(const SnapshotFile& file, int descriptor,
                                       const CachedFile& now) {
  MirroredFile copy{.path = file.path};
  const bool grows = OnlyGrows(file.path);
  const int64_t most = grows ? kBlock : std::max<int64_t>(now.bytes, 1);
  const std::vector<MirroredPart> before = known_[file.path].copy.parts;
  const bool same = grows && known_[file.path].file.inode == now.inode;
  for (int64_t from = 0; from < now.bytes; from += most) {
    const auto i = size_t(from / most);
    if (same && i < before.size() && before[i].bytes == kBlock) {
      copy.parts.push_back(before[i]);
      continue;
    }
    PT_LET(MirroredPart part,
           CopyPart(file.path, descriptor, from, std::min(most, now.bytes - from)));
    copy.parts.push_back(std::move(part));
  }
  return copy;
}

Result<MirroredPart> Mirror::CopyPart(const std::string& path, int descriptor, int64_t from,
                                      int64_t bytes) {
  MirroredPart part{.bytes = bytes};
  PT_LET(part.sha256, HashOf(descriptor, from, bytes));
  part.object = NameFor(path, part.sha256);
  const auto found = written_.find(part.object);
  if (found != written_.end() && found->second == part.sha256) return part;
  PT_TRY(store_->PutFile(part.object, descriptor, from, bytes, [this] { ShowLife(); }));
  written_[part.object] = part.sha256;
  return part;
}

// The name in the run folder for the first contents of a file, so that people find models and
// outputs; later contents get names of their own, since readers still have those before.
std::string Mirror::NameFor(const std::string& path, const std::string& sha256) {
  const std::string plain = attempt_.folder() + "/" + path;
  const auto found = written_.find(plain);
  if (!OnlyGrows(path) && (found == written_.end() || found->second == sha256)) return plain;
  const fs::path named(plain);
  return (named.parent_path() / fmt::format("{}.{}{}", named.stem().string(), sha256.substr(0, 16),
                                            named.extension().string()))
      .string();
}

// What a manifest stops naming is removed after the next one: readers may be reading it. A name
// stays in written_ without its contents, so that no other contents get it.
void Mirror::RemoveUnnamed() {
  std::set<std::string> named;
  for (const MirroredFile& file : manifest_.files) {
    for (const MirroredPart& part : file.parts) named.insert(part.object);
  }
  std::set<std::string> unnamed;
  for (auto& [object, sha256] : written_) {
    if (sha256.empty() || named.contains(object)) continue;
    if (!unnamed_.contains(object)) {
      unnamed.insert(object);
    } else if (store_->Delete(object).ok()) {
      sha256.clear();
    }
  }
  unnamed_ = std::move(unnamed);
}

// Failures leave objects that nothing names.
void Mirror::RemoveEarlier() {
  for (const Attempt& each : earlier_) (void)store_->DeleteFolder(each.folder());
}

RunManifest Mirror::manifest() const {
  const std::lock_guard lock(copying_);
  return manifest_;
}

}  // namespace protium
