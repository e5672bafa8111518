// SPDX-License-Identifier: Apache-2.0
#include "mirror/change.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "mirror/bring.h"
#include "mirror/cache.h"
#include "run/event_log.h"

namespace protium {

namespace {

// A run that nobody works on, under an attempt that all others see.
struct HeldRun {
  std::shared_ptr<const ObjectStore> store;
  PublishedRun published;  // As it was when the attempt had begun.
  Attempt attempt;
};

Result<HeldRun> Hold(const ObjectPlace& run, const std::function<void(const Attempt&)>& waits) {
  HeldRun held;
  PT_LET(held.store, ObjectStore::Open(run));
  PT_LET(held.published, ReadPublished(*held.store));
  if (held.published.attempts.empty()) return NoSuchObjectRun(run);
  PT_TRY(CheckIsIdle(*held.store, held.published, waits));
  const auto next = int64_t(held.published.attempts.size()) + 1;
  PT_LET(held.attempt, ClaimAttempt(*held.store, next, true));
  PT_LET(held.published, ReadPublished(*held.store));
  return held;
}

MirroredFile& FileIn(RunManifest& manifest, const std::string& path) {
  for (MirroredFile& file : manifest.files) {
    if (file.path == path) return file;
  }
  return manifest.files.emplace_back(MirroredFile{.path = path});
}

// The other files stay where earlier attempts have put them.
Status Publish(const HeldRun& held, const std::string& path, std::string_view text) {
  if (!held.published.manifest) return NoSuchObjectRun(held.store->place());
  RunManifest manifest = *held.published.manifest;
  const std::string object = held.attempt.folder() + "/" + path;
  PT_TRY(held.store->PutText(object, text));
  FileIn(manifest, path).parts = {
      {.object = object, .bytes = int64_t(text.size()), .sha256 = Sha256Hex(text)}};
  manifest.attempt = held.attempt.number;
  manifest.token = held.attempt.token;
  manifest.sequence = 1;
  manifest.time = TimeText();
  manifest.ended = true;
  PT_TRY(held.store->PutText(held.attempt.folder() + "/manifest.json", ManifestText(manifest)));
  return CheckIsNewest(*held.store, held.attempt);
}

// Files by their names first: a store may not list what is new.
Status RemoveObjects(const HeldRun& held) {
  if (held.published.manifest) {
    for (const MirroredFile& file : held.published.manifest->files) {
      for (const MirroredPart& part : file.parts) PT_TRY(held.store->Delete(part.object));
    }
  }
  for (const Attempt& each : held.published.attempts) {
    PT_TRY(held.store->Delete(each.folder() + "/manifest.json"));
    PT_TRY(held.store->DeleteFolder(each.folder()));
  }
  PT_TRY(held.store->DeleteFolder("transit"));
  // An older attempt that still works ends when it misses its own.
  for (const Attempt& each : held.published.attempts) PT_TRY(DeleteClaim(*held.store, each));
  return Status::OK();
}

}  // namespace

Status ReplaceFile(const ObjectPlace& run, const std::string& path, std::string_view text,
                   const std::function<void(const Attempt&)>& waits) {
  PT_LET(const HeldRun held, Hold(run, waits));
  const Status published = Publish(held, path, text);
  if (!published.ok()) (void)GiveUpAttempt(*held.store, held.attempt);
  return published;
}

Result<int64_t> RemoveFromStore(const ObjectPlace& run,
                                const std::function<void(const Attempt&)>& waits) {
  PT_LET(const HeldRun held, Hold(run, waits));
  int64_t bytes = 0;
  if (held.published.manifest) {
    for (const MirroredFile& file : held.published.manifest->files) bytes += file.bytes();
  }
  PT_LET(const auto names, ObjectStore::Open(run.parent()));
  PT_TRY(names->Delete(NameOfRun(run)));
  PT_TRY(RemoveObjects(held));
  PT_LET(const std::filesystem::path runs, CacheOf(run.parent()));
  PT_TRY(RemoveCopy(runs / run.name()));
  return bytes;
}

}  // namespace protium
