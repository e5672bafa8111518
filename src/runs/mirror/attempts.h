// SPDX-License-Identifier: Apache-2.0
// Who may write a run on an object store. Stores can neither rename nor lock, so each command that
// writes a run is an attempt with a number of its own, and writes under names with that number:
//   attempt-000002.json      who it is
//   000002-k3x9/...          its objects, and manifest.json, which it alone replaces
// The newest attempt that has published a manifest is the run. An older one that still works
// changes nothing of it, and ends when it sees that there is a newer one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mirror/manifest.h"
#include "objects/store.h"

namespace protium {

// Not every store lists folders, so the names of runs are those of small objects beside them, in
// this folder.
inline constexpr const char* kNamesOfRuns = ".runs";
// That of one, relative to the folder of runs.
std::string NameOfRun(const ObjectPlace& run);

struct Attempt {
  int64_t number = 0;
  std::string token;
  std::string host;
  int32_t pid = 0;
  std::string started;
  bool given_up = false;  // It published nothing and will not.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("number", number);
    visit("token", token);
    visit("host", host);
    visit("pid", pid);
    visit("started", started);
    visit("given_up", given_up);
  }
  std::string folder() const;  // "000002-k3x9"
  // "host h, process 12, since 2026-...".
  std::string Who() const;
};

// A run as it is on the store. Without a manifest nothing has been published.
struct PublishedRun {
  std::vector<Attempt> attempts;  // Number 1 first.
  std::optional<RunManifest> manifest;
};

// Found by asking for one name after the other, not by listing. `run` is the store of the run's
// place. No attempt: there is no such run.
Result<PublishedRun> ReadPublished(const ObjectStore& run);
// The manifest of an attempt; nullopt if it has published none.
Result<std::optional<RunManifest>> ReadManifestOf(const ObjectStore& run, const Attempt& attempt);

// Becomes attempt `number`. If another takes the same number at the same time, one of them fails
// with Exit::kEnvironment. `contested`: others may know of the run, which costs a second.
Result<Attempt> ClaimAttempt(const ObjectStore& run, int64_t number, bool contested);
// Fails with Exit::kEnvironment if a newer attempt has begun, or another has this number.
Status CheckIsNewest(const ObjectStore& run, const Attempt& attempt);
// Removes what says that there was the attempt; its objects stay.
Status DeleteClaim(const ObjectStore& run, const Attempt& attempt);
// Lets others go on without waiting for a sign of life.
Status GiveUpAttempt(const ObjectStore& run, Attempt attempt);

// Refuses (Exit::kEnvironment) a run whose newest attempt still works: waits up to `kLifeSign` for
// its next manifest. `waits` is called once before, with whom it waits for.
Status CheckIsIdle(const ObjectStore& run, const PublishedRun& published,
                   const std::function<void(const Attempt&)>& waits);

}  // namespace protium
