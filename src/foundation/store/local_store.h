// SPDX-License-Identifier: Apache-2.0
// A folder of objects that outlive the processes that made them. An object is a folder of files
// (its parts) that appears whole and never changes; its name is the cause, the hash of everything
// that decides its contents. There is no server: folders are the truth, locks show who is alive.
//
// 1. An object appears by one rename of its draft, and goes by one rename into the trash.
// 2. A draft belongs to whoever holds its lock (draft_lock.h); an unlocked draft is swept by the
//    next who opens the store.
// 3. Readers hold a shared lock on the manifest (a lease), whoever takes the object away an
//    exclusive one. The kernel releases both.
// 4. What was written in another boot of the machine is read whole and compared with its checksums
//    before its first use; what does not agree is dropped, and said.
// 5. The index (index.h) only remembers. Whatever it says is checked against the folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/call.h"
#include "os/fd.h"
#include "store/draft_lock.h"
#include "store/index.h"
#include "store/input_hashes.h"
#include "store/manifest.h"
#include "store/refs.h"
#include "store/shared_tier.h"
#include "store/store_folder.h"

namespace protium {

struct StoreOptions {
  std::filesystem::path folder;
  int64_t most_bytes = 0;    // For all objects; 0: a fifth of the disk.
  double free_share = 0.05;  // Of the disk, which the store leaves free.
  std::string boot = ThisBoot();
  // What is not in this folder is looked for in that one, and what is worth it is put there
  // (shared_tier.h). Without a folder: nowhere.
  SharedTier::Options shared = {};
  // Called with what a user should know: an object that was damaged and dropped. May be empty.
  std::function<void(const std::string&)> note;
  // For tests: called before each step that changes the folder. May be empty.
  std::function<void(std::string_view)> step;
};

// An object with a lease: as long as it lives, the object does not give way.
class StoredObject {
 public:
  StoredObject(Manifest manifest, std::filesystem::path folder, UniqueFd lease)
      : manifest_(std::move(manifest)), folder_(std::move(folder)), lease_(std::move(lease)) {}

  const Manifest& manifest() const { return manifest_; }
  std::filesystem::path Path(const std::string& part) const { return folder_ / part; }

 private:
  Manifest manifest_;
  std::filesystem::path folder_;
  UniqueFd lease_;
};

// What an object will be.
struct DraftRequest {
  std::string kind;
  Json causes = Json::object();
  std::string run;    // Who makes it.
  int64_t bytes = 0;  // That it will have, as far as known: room is made for them first.
  std::vector<StoredInput> inputs;
};

// What is known when it is made.
struct DraftFacts {
  std::string content;
  double seconds = 0;
  Json facts = Json::object();
  bool synced = false;  // Flush it before it appears, so that a loss of power spares it.
  bool own = false;     // Of no use on other machines.
};

class LocalStore;

// An object that is being made. Without Commit() it is removed. Must not outlive its store.
class Draft {
 public:
  Draft(LocalStore& store, std::string cause, DraftRequest request, DraftLock lock)
      : store_(&store),
        cause_(std::move(cause)),
        request_(std::move(request)),
        lock_(std::move(lock)) {}
  Draft(Draft&& other) noexcept
      : store_(std::exchange(other.store_, nullptr)),
        cause_(std::move(other.cause_)),
        request_(std::move(other.request_)),
        lock_(std::move(other.lock_)) {}
  Draft& operator=(Draft&&) = delete;
  ~Draft();

  // Makes an empty file for a part and reserves its bytes on the disk (kNoRoom), so that writing
  // them does not fail later. Each writer has a part of its own.
  Result<UniqueFd> AddPart(const std::string& name, int64_t bytes);
  // The same with its bytes.
  Status WritePart(const std::string& name, std::string_view bytes);
  // Takes a finished file of the same disk as a part: it gets a second name (link(2)), and must not
  // change any more.
  Status TakePart(const std::string& name, const std::filesystem::path& file);
  // Seals what the parts hold now; the object appears, with a lease.
  Result<StoredObject> Commit(const DraftFacts& facts);

 private:
  Result<Manifest> Describe(const DraftFacts& facts) const;
  Status Publish(const Manifest& manifest);
  Result<std::pair<StoredPart, UniqueFd>> ReadPart(const std::string& name) const;

  LocalStore* store_;  // Null after a move.
  std::string cause_;
  DraftRequest request_;
  DraftLock lock_;
};

// An object that is there already, or a draft for it.
using FoundOrDraft = std::variant<StoredObject, Draft>;

// Thread-safe. Several processes may use the same folder.
class LocalStore {
 public:
  // Opens or makes the store, and sweeps what dead processes left.
  static Result<std::unique_ptr<LocalStore>> Open(StoreOptions options);
  ~LocalStore();

  // None if there is none, or if it was damaged. One that is only in the shared folder is copied
  // here first.
  Result<std::optional<StoredObject>> Find(const std::string& cause);
  // What Find() would find, as far as its manifest says: it is no use of the object.
  std::optional<Manifest> Peek(const std::string& cause) const;
  // What would be copied from the shared folder.
  std::optional<Manifest> PeekShared(const std::string& cause);
  // Finds any object of that kind with these contents.
  Result<std::optional<StoredObject>> FindContent(const std::string& kind,
                                                  const std::string& content);
  // Finds the object, here alone, or begins it. If somebody else makes it at this moment, waits for
  // them as DraftLock::Await() does.
  Result<FoundOrDraft> FindOrBegin(DraftRequest request, const Call& call,
                                   const std::function<void(const DraftHolder&)>& waits = {});

  // Whether an object has that name, sound or damaged.
  bool Has(const std::string& cause) const;
  // All objects, by name; damaged ones are left out.
  std::vector<Manifest> List() const;
  Result<std::optional<IndexRow>> Facts(const std::string& cause) { return index_->Get(cause); }
  // Reads an object and compares it with its checksums. A damaged one is dropped: false.
  Result<bool> Verify(const std::string& cause);
  // Removes an object; false if there is none, or if somebody reads it.
  Result<bool> Remove(const std::string& cause);
  // Gives up the least worthy objects that nobody reads, until they had `bytes`; returns how many
  // bytes they had.
  Result<int64_t> GiveWay(int64_t bytes);
  // Gives up what is needed so that `bytes` more fit; kNoRoom if they do not.
  Status MakeRoom(int64_t bytes);
  // The most that all objects may have.
  Result<int64_t> MostBytes() const;
  // Makes the index agree with the folders.
  Status Reindex();

  // What an earlier process found out under that name, which must stand for all that decides it;
  // none if nobody did, or if it is damaged. Answers are forgotten at any time.
  std::optional<std::string> Answer(const std::string& name) {
    return index_->Answer(name).ValueOr(std::nullopt);
  }
  void Remember(const std::string& name, const std::string& answer) {
    (void)index_->PutAnswer(name, answer);
  }
  void ForgetAnswers() { (void)index_->DropAnswers(); }

  InputHashes& inputs() { return inputs_; }
  Refs& refs() { return refs_; }
  const std::filesystem::path& folder() const { return folder_.root(); }

 private:
  friend class Draft;
  LocalStore(StoreOptions options, StoreFolder folder, std::unique_ptr<StoreIndex> index)
      : options_(std::move(options)),
        folder_(std::move(folder)),
        index_(std::move(index)),
        inputs_(*index_),
        refs_(folder_) {}

  void Step(std::string_view name) const {
    if (options_.step) options_.step(name);
  }
  void Note(const std::string& text) const {
    if (options_.note) options_.note(text);
  }
  void Sweep();
  Result<std::optional<StoredObject>> FindHere(const std::string& cause);
  // Copies an object here from the shared folder; false if it is not there, or cannot be had.
  bool Bring(const std::string& cause);
  Status TakeIn(const Manifest& there);
  void Offer(const Manifest& manifest, const UniqueFd& lease);
  void SayShared();
  Status MakeRoomInLimit(int64_t bytes);
  Result<int64_t> GiveUp(int64_t bytes);
  Status NoRoom(int64_t bytes) const;
  void DropDraft(const std::string& cause);
  // The folder of an object, and its lease: its manifest, locked.
  struct Leased {
    UniqueFd folder;
    UniqueFd lease;
  };
  Result<Leased> Lease(const std::string& cause) const;
  Result<Manifest> ReadManifest(int fd, const std::string& cause) const;
  static Status CheckPart(const UniqueFd& folder, const StoredPart& part, bool whole,
                          const timespec& sealed);
  static Status CheckParts(const UniqueFd& folder, const Manifest& manifest, bool whole);
  Status CheckFirstUse(const UniqueFd& folder, const Manifest& manifest,
                       const Result<IndexLook>& look);
  void CountUse(const Manifest& manifest, const Result<IndexLook>& look);
  IndexRow RowOf(const Manifest& manifest, const std::string& checked) const;

  const StoreOptions options_;
  const StoreFolder folder_;
  const std::unique_ptr<StoreIndex> index_;
  InputHashes inputs_;
  Refs refs_;
  std::unique_ptr<SharedTier> shared_;  // Null without such a folder.
};

}  // namespace protium
