// SPDX-License-Identifier: Apache-2.0
#include "store/local_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include "base/units.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "store/blocks.h"
#include "store/worth.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr double kShareOfDisk = 0.2;

Status Damaged(const std::string& why) {
  return Fail({.exit = Exit::kInput, .what = "a kept object is damaged", .why = why});
}

// Whether the locked file is still the one that has the name.
bool SameFile(int fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

// Whether both say the same of what never changes.
bool IsOfSame(const IndexRow& a, const IndexRow& b) {
  return a.kind == b.kind && a.content == b.content && a.bytes == b.bytes && a.seconds == b.seconds;
}

bool IsLater(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

}  // namespace

Result<std::unique_ptr<LocalStore>> LocalStore::Open(StoreOptions options) {
  PT_LET(StoreFolder folder, StoreFolder::Open(options.folder));
  bool fresh = false;
  PT_LET(auto index, StoreIndex::Open(folder.root() / "index.sqlite", fresh));
  std::unique_ptr<LocalStore> store(
      new LocalStore(std::move(options), std::move(folder), std::move(index)));
  const SharedTier::Options& shared = store->options_.shared;
  if (!shared.folder.empty()) store->shared_ = std::make_unique<SharedTier>(shared);
  store->Sweep();
  if (fresh) PT_TRY(store->Reindex());
  return store;
}

LocalStore::~LocalStore() = default;

// Drafts whose makers have died, and what was being removed.
void LocalStore::Sweep() {
  for (const std::string& cause : folder_.Drafts()) {
    const auto lock = DraftLock::Try(folder_.DraftLockOf(cause), "the sweep of a store");
    if (lock.ok() && *lock) DropDraft(cause);
  }
  folder_.EmptyTrash();
}

void LocalStore::DropDraft(const std::string& cause) {
  std::error_code ignored;
  fs::remove_all(folder_.Draft(cause), ignored);
}

// Nothing if there is no such object, or if somebody takes it away.
Result<LocalStore::Leased> LocalStore::Lease(const std::string& cause) const {
  PT_LET(UniqueFd folder, folder_.OpenObject(cause));
  if (!folder) return Leased();
  PT_LET(UniqueFd fd, StoreFolder::OpenFileIn(folder, std::string(kManifestName)));
  if (!fd) return Leased();
  const fs::path path = folder_.Object(cause) / kManifestName;
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 || !SameFile(fd.get(), path)) return Leased();
  return Leased{std::move(folder), std::move(fd)};
}

Result<Manifest> LocalStore::ReadManifest(int fd, const std::string& cause) const {
  PT_LET(const std::string text, ReadManifestText(fd));
  return ParseManifest(text, cause);
}

// Its size; with `whole`, or if it was written after the manifest, also all bytes.
Status LocalStore::CheckPart(const UniqueFd& folder, const StoredPart& part, bool whole,
                             const timespec& sealed) {
  struct stat about {};
  const bool seen = ::fstatat(folder.get(), part.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
  const bool sound = seen && StoreFolder::IsOwnFile(about) && about.st_size == part.bytes;
  if (sound && !whole && !IsLater(about.st_mtim, sealed)) return Status::OK();
  PT_LET(const UniqueFd fd, StoreFolder::OpenFileIn(folder, part.name));
  if (!fd) return Damaged("its part " + part.name + " is gone");
  if (about.st_size != part.bytes) return Damaged("its part " + part.name + " has another size");
  PT_LET(const std::vector<std::string> blocks, HashBlocks(fd.get(), part.bytes));
  if (blocks != part.blocks) return Damaged("its part " + part.name + " has other bytes");
  return Status::OK();
}

// The manifest is written last, so a part that was written after it is read in any case.
Status LocalStore::CheckParts(const UniqueFd& folder, const Manifest& manifest, bool whole) {
  struct stat sealed {};
  const std::string name(kManifestName);
  if (::fstatat(folder.get(), name.c_str(), &sealed, AT_SYMLINK_NOFOLLOW) != 0) {
    return Damaged("its manifest is gone");
  }
  for (const StoredPart& part : manifest.parts) {
    PT_TRY(CheckPart(folder, part, whole, sealed.st_mtim));
  }
  return Status::OK();
}

// Whole, unless this boot has written or seen it.
Status LocalStore::CheckFirstUse(const UniqueFd& folder, const Manifest& manifest,
                                 const Result<IndexLook>& look) {
  const std::string checked = look.ok() && look->row ? look->row->checked : manifest.boot;
  if (!options_.boot.empty() && checked == options_.boot) {
    return CheckParts(folder, manifest, false);
  }
  PT_TRY(CheckParts(folder, manifest, true));
  (void)index_->SetChecked(manifest.cause, options_.boot);
  return Status::OK();
}

void LocalStore::CountUse(const Manifest& manifest, const Result<IndexLook>& look) {
  if (!look.ok()) return;
  if (!look->row) return (void)index_->Put(RowOf(manifest, options_.boot));
  (void)index_->CountUse(manifest.cause,
                         WorthAt(look->age, manifest.seconds, look->row->uses + 1, manifest.bytes));
}

IndexRow LocalStore::RowOf(const Manifest& manifest, const std::string& checked) const {
  const double age = index_->Age().ValueOr(0);
  return {.cause = manifest.cause,
          .kind = manifest.kind,
          .content = manifest.content,
          .bytes = manifest.bytes,
          .seconds = manifest.seconds,
          .worth = WorthAt(age, manifest.seconds, 1, manifest.bytes),
          .checked = checked};
}

Result<std::optional<StoredObject>> LocalStore::Find(const std::string& cause) {
  PT_LET(auto found, FindHere(cause));
  if (found || !Bring(cause)) return found;
  return FindHere(cause);
}

bool LocalStore::Bring(const std::string& cause) {
  if (shared_ == nullptr) return false;
  const auto there = shared_->Peek(cause);
  const bool taken = there && TakeIn(*there).ok();
  SayShared();
  return taken;
}

// Nobody is waited for: another process may bring or make the same.
Status LocalStore::TakeIn(const Manifest& there) {
  Call call;
  call.deadline = Clock::now();
  PT_LET(FoundOrDraft begun, FindOrBegin({.kind = there.kind,
                                          .causes = there.causes,
                                          .run = there.run,
                                          .bytes = there.bytes,
                                          .inputs = there.inputs},
                                         call));
  auto* const draft = std::get_if<Draft>(&begun);
  if (draft == nullptr) return Status::OK();
  PT_LET(const TemporaryFolder open, TemporaryFolder::MakeIn(folder_.root() / "open"));
  if (!shared_->Copy(there, open.path())) return Status::KeyError("it cannot be had");
  for (const StoredPart& part : there.parts) {
    PT_TRY(draft->TakePart(part.name, open.path() / part.name));
  }
  return draft
      ->Commit(
          {.content = there.content, .seconds = there.seconds, .facts = there.facts, .own = true})
      .status();
}

std::optional<Manifest> LocalStore::PeekShared(const std::string& cause) {
  if (shared_ == nullptr) return std::nullopt;
  auto there = shared_->Peek(cause);
  SayShared();
  return there;
}

// A lock belongs to all descriptors that were made of one.
void LocalStore::Offer(const Manifest& manifest, const UniqueFd& lease) {
  if (shared_ == nullptr) return;
  auto held = std::make_shared<const UniqueFd>(::fcntl(lease.get(), F_DUPFD_CLOEXEC, 0));
  shared_->Offer(manifest, folder_.Object(manifest.cause), std::move(held));
  SayShared();
}

void LocalStore::SayShared() {
  for (const std::string& text : shared_->TakeNotes()) Note(text);
}

Result<std::optional<StoredObject>> LocalStore::FindHere(const std::string& cause) {
  auto leased = Lease(cause);
  if (leased.ok() && !leased->lease) return std::optional<StoredObject>();
  auto manifest = leased.ok() ? ReadManifest(leased->lease.get(), cause) : leased.status();
  Status fit = manifest.status();
  const auto look = index_->Look(cause);
  if (fit.ok()) fit = CheckFirstUse(leased->folder, *manifest, look);
  if (fit.ok()) {
    CountUse(*manifest, look);
    return StoredObject(std::move(*manifest), folder_.Object(cause), std::move(leased->lease));
  }
  const Fault fault = FaultOf(fit);
  if (fault.exit != Exit::kInput) return fit;
  Note("what was kept as " + cause.substr(0, 12) +
       " was damaged and is dropped: " + (fault.why.empty() ? fault.what : fault.why));
  if (leased.ok()) leased->lease.reset();
  PT_TRY(Remove(cause));
  return std::optional<StoredObject>();
}

std::optional<Manifest> LocalStore::Peek(const std::string& cause) const {
  const auto folder = folder_.OpenObject(cause);
  if (!folder.ok() || !*folder) return std::nullopt;
  const auto fd = StoreFolder::OpenFileIn(*folder, std::string(kManifestName));
  if (!fd.ok() || !*fd) return std::nullopt;
  auto manifest = ReadManifest(fd->get(), cause);
  if (!manifest.ok() || !CheckParts(*folder, *manifest, false).ok()) return std::nullopt;
  return std::move(*manifest);
}

Result<std::optional<StoredObject>> LocalStore::FindContent(const std::string& kind,
                                                            const std::string& content) {
  PT_LET(const auto causes, index_->WithContent(kind, content));
  for (const std::string& cause : causes) {
    PT_LET(auto found, FindHere(cause));
    if (found && found->manifest().kind == kind && found->manifest().content == content)
      return found;
  }
  return std::optional<StoredObject>();
}

Result<FoundOrDraft> LocalStore::FindOrBegin(DraftRequest request, const Call& call,
                                             const std::function<void(const DraftHolder&)>& waits) {
  const std::string cause = CauseName(request.kind, request.causes);
  PT_LET(auto found, FindHere(cause));
  if (found) return FoundOrDraft(std::move(*found));
  PT_LET(DraftLock lock, DraftLock::Await(folder_.DraftLockOf(cause), request.run, call, waits));
  PT_LET(auto made, FindHere(cause));
  if (made) return FoundOrDraft(std::move(*made));
  DropDraft(cause);  // Of a maker that died.
  PT_TRY(MakeRoom(request.bytes));
  Step("begin");
  const fs::path folder = folder_.Draft(cause);
  if (::mkdir(folder.c_str(), 0700) != 0) return SystemFault("make " + folder.string(), errno);
  return FoundOrDraft(Draft(*this, cause, std::move(request), std::move(lock)));
}

std::vector<Manifest> LocalStore::List() const {
  std::vector<Manifest> all;
  for (const std::string& cause : folder_.Objects()) {
    const auto fd = folder_.OpenFile(cause, std::string(kManifestName));
    if (!fd.ok() || !*fd) continue;
    auto manifest = ReadManifest(fd->get(), cause);
    if (manifest.ok()) all.push_back(std::move(*manifest));
  }
  return all;
}

Result<bool> LocalStore::Verify(const std::string& cause) {
  auto leased = Lease(cause);
  if (leased.ok() && !leased->lease) return false;
  const auto manifest = leased.ok() ? ReadManifest(leased->lease.get(), cause) : leased.status();
  Status fit = manifest.status();
  if (fit.ok()) fit = CheckParts(leased->folder, *manifest, true);
  if (fit.ok()) {
    (void)index_->SetChecked(cause, options_.boot);
    return true;
  }
  if (FaultOf(fit).exit != Exit::kInput) return fit;
  if (leased.ok()) leased->lease.reset();
  PT_TRY(Remove(cause));
  return false;
}

bool LocalStore::Has(const std::string& cause) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(folder_.Object(cause), ignored));
}

Result<bool> LocalStore::Remove(const std::string& cause) {
  const fs::path folder = folder_.Object(cause);
  std::error_code ignored;
  if (!Has(cause)) {
    (void)index_->Drop(cause);
    return false;
  }
  // An object without a manifest that can be locked is damaged: nobody can read it.
  const auto fd = folder_.OpenFile(cause, std::string(kManifestName));
  const bool locked = fd.ok() && *fd && ::flock(fd->get(), LOCK_EX | LOCK_NB) == 0;
  if (fd.ok() && *fd && (!locked || !SameFile(fd->get(), folder / kManifestName))) return false;
  Step("remove");
  const fs::path trash = folder_.NewTrash(cause);
  if (::rename(folder.c_str(), trash.c_str()) != 0) {
    if (errno == ENOENT) return false;
    return SystemFault("remove " + folder.string(), errno);
  }
  Step("removed");
  (void)index_->Drop(cause);
  fs::remove_all(trash, ignored);
  return true;
}

Result<int64_t> LocalStore::GiveWay(int64_t bytes) {
  PT_TRY(Reindex());
  return GiveUp(bytes);
}

// What the index says must have been compared with the folders.
Result<int64_t> LocalStore::GiveUp(int64_t bytes) {
  PT_LET(const std::vector<IndexRow> rows, index_->All());
  PT_LET(double age, index_->Age());
  const std::set<std::string> named = refs_.Objects();
  std::vector<Worth> objects;
  for (const IndexRow& row : rows) {
    if (named.contains(row.cause)) continue;
    objects.push_back({row.cause, row.bytes, row.seconds, row.uses, row.worth});
  }
  int64_t freed = 0;
  // One that is read stays; then the next goes, until none is left.
  while (freed < bytes && !objects.empty()) {
    const GivenUp given = ChooseGivenUp(objects, bytes - freed, age);
    age = given.age;
    for (const std::string& name : given.names) {
      PT_LET(const bool removed, Remove(name));
      const auto at = std::ranges::find(objects, name, &Worth::name);
      freed += removed ? at->bytes : 0;
      objects.erase(at);
    }
  }
  (void)index_->SetAge(age);
  return freed;
}

Result<int64_t> LocalStore::MostBytes() const {
  if (options_.most_bytes > 0) return options_.most_bytes;
  PT_LET(const StoreFolder::Disk disk, folder_.Measure());
  return int64_t(double(disk.bytes) * kShareOfDisk);
}

Status LocalStore::MakeRoomInLimit(int64_t bytes) {
  PT_LET(const int64_t most, MostBytes());
  // What can never fit costs no other object its place.
  if (bytes > most) return NoRoom(bytes);
  PT_LET(int64_t used, index_->TotalBytes());
  if (used + bytes <= most) return Status::OK();
  // Before anything goes: the index may be wrong.
  PT_TRY(Reindex());
  PT_LET(used, index_->TotalBytes());
  if (used + bytes <= most) return Status::OK();
  PT_LET(const int64_t freed, GiveUp(used + bytes - most));
  return used + bytes - freed <= most ? Status::OK() : NoRoom(bytes);
}

Status LocalStore::MakeRoom(int64_t bytes) {
  PT_TRY(MakeRoomInLimit(bytes));
  PT_LET(const StoreFolder::Disk disk, folder_.Measure());
  const auto spare = int64_t(double(disk.bytes) * options_.free_share);
  const int64_t lacks = bytes + spare - disk.free;
  if (lacks <= 0) return Status::OK();
  PT_LET(const int64_t freed, GiveWay(lacks));
  return freed >= lacks ? Status::OK() : NoRoom(bytes);
}

Status LocalStore::NoRoom(int64_t bytes) const {
  PT_LET(const int64_t most, MostBytes());
  return Fail({.exit = Exit::kNoRoom,
               .what = "the store has no room for " + BytesText(double(bytes)),
               .where = folder_.root().string(),
               .why = "it may have " + BytesText(double(most)) +
                      ", leaves a part of the disk free, and gives up nothing that is read",
               .fix = "protium cache rm, or name a folder on a larger disk: PROTIUM_STORE=..."});
}

Status LocalStore::Reindex() {
  PT_LET(const std::vector<IndexRow> rows, index_->All());
  std::map<std::string, IndexRow> known;
  for (const IndexRow& row : rows) known[row.cause] = row;
  for (const std::string& cause : folder_.Objects()) {
    const auto row = known.extract(cause);
    const auto fd = folder_.OpenFile(cause, std::string(kManifestName));
    if (!fd.ok() || !*fd) continue;
    const auto manifest = ReadManifest(fd->get(), cause);
    if (!manifest.ok()) continue;
    // Not verified in this boot: the index that knew it was lost, or is damaged.
    const IndexRow right = RowOf(*manifest, "");
    if (row.empty() || !IsOfSame(row.mapped(), right)) PT_TRY(index_->Put(right));
  }
  for (const auto& [gone, row] : known) PT_TRY(index_->Drop(gone));
  return Status::OK();
}

}  // namespace protium
