// SPDX-License-Identifier: Apache-2.0
// Copies the folder of a run to an object store while the run works.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "mirror/attempts.h"
#include "mirror/cache.h"
#include "mirror/snapshot.h"
#include "objects/store.h"

namespace protium {

// What a run is told of its mirror, on the mirror's thread. May be empty.
struct MirrorWatch {
  // The store does not answer (once until it does again), or answers again.
  std::function<void(const Status& why)> away;
  std::function<void()> back;
  // A newer attempt works: this one must end.
  std::function<void()> lost;
};

// One attempt of a run. Calls come from one thread.
class Mirror {
 public:
  // Begins the first attempt of a new run; `folder` is the run's, in CacheOf(place.parent()). Fails
  // if the store cannot be written to.
  static Result<std::unique_ptr<Mirror>> Begin(const ObjectPlace& run,
                                               const std::filesystem::path& folder);

  // Begins another attempt of a run that nobody works on (CheckIsIdle), and brings its files into
  // folder(). What this machine has and could not copy earlier counts, if that attempt is the
  // newest.
  static Result<std::unique_ptr<Mirror>> TakeOver(const ObjectPlace& run,
                                                  const std::function<void(const Attempt&)>& waits);

  // Ends the thread, and copies nothing more. An attempt that has published nothing is given up.
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  const ObjectPlace& place() const { return store_->place(); }
  const std::filesystem::path& folder() const { return folder_; }

  // Copies all that the folder holds: when it returns OK, that is durable, and the run can be
  // continued anywhere.
  Status Publish();
  // From now on copies every few seconds, on a thread of its own, until End().
  void Start(MirrorWatch watch);
  // There is something worth copying soon. Any thread.
  void Wake();
  // Copies the rest, and says that the attempt is over. Tries for kEndPatience if the store does
  // not answer. Then removes what earlier attempts left.
  Status End();
  // Nothing was done: leaves the run as it was before this attempt.
  void Discard();

  // The last one that was written.
  RunManifest manifest() const;

 private:
  struct Known {
    CachedFile file;
    MirroredFile copy;
  };
  Mirror(std::shared_ptr<const ObjectStore> store, std::filesystem::path folder, CacheLock lock)
      : store_(std::move(store)), folder_(std::move(folder)), lock_(std::move(lock)) {}

  void Work(const std::stop_token& stop);
  Status Copy(bool ended);
  Result<MirroredFile> CopyFile(const SnapshotFile& file);
  Result<MirroredFile> CopyParts(const SnapshotFile& file, int descriptor, const CachedFile& now);
  Result<MirroredPart> CopyPart(const std::string& path, int descriptor, int64_t from,
                                int64_t bytes);
  std::string NameFor(const std::string& path, const std::string& sha256);
  Status PutManifest(RunManifest manifest);
  void ShowLife();
  void RemoveUnnamed();
  void RemoveEarlier();
  Status WriteState(bool ahead) const;
  std::filesystem::path Scratch() const;

  std::shared_ptr<const ObjectStore> store_;
  std::shared_ptr<const ObjectStore> names_;  // Of a new run: where its name is noted.
  std::filesystem::path folder_;
  CacheLock lock_;
  Attempt attempt_;
  std::vector<Attempt> earlier_;

  mutable std::mutex copying_;                  // Guards what follows.
  std::map<std::string, Known> known_;          // By path.
  std::map<std::string, std::string> written_;  // Objects that are there, with their SHA-256.
  std::set<std::string> unnamed_;  // Those that no manifest names since the last but one.
  RunManifest manifest_;           // The last one.
  std::chrono::steady_clock::time_point shown_{};

  MirrorWatch watch_;
  std::mutex waking_;
  std::condition_variable_any woken_;
  bool wanted_ = false;
  std::jthread thread_;
};

}  // namespace protium
