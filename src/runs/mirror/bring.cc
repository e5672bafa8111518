// SPDX-License-Identifier: Apache-2.0
#include "mirror/bring.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string_view>
#include <thread>

#include "base/digest.h"
#include "base/fault.h"
#include "mirror/cache.h"
#include "os/file.h"
#include "run/elsewhere.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

bool IsFact(const std::string& path) {
  if (path.starts_with("checkpoints/")) return false;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{".json", ".jsonl", ".html", ".log", ".txt"},
      [&](std::string_view end) { return path.ends_with(end); });
}

bool IsWanted(const std::string& path, Parts parts) {
  if (parts == Parts::kAll || IsFact(path)) return true;
  return parts == Parts::kModel && !path.starts_with("checkpoints/") &&
         (path.starts_with("model/") || path.find("/model/") != path.npos);
}

// False: an object is gone, since a newer manifest no longer names it.
Result<bool> BringPart(const ObjectStore& run, const MirroredPart& part, AtomicFile& file) {
  Sha256 sha;
  int64_t bytes = 0;
  PT_LET(const bool found, run.Get(part.object, [&](std::string_view piece) -> Status {
    bytes += int64_t(piece.size());
    if (bytes > part.bytes) return Status::OK();  // Told below.
    sha.Add(piece);
    return file.Write(piece);
  }));
  if (!found) return false;
  if (bytes == part.bytes && sha.Hex() == part.sha256) return true;
  return Fail({.exit = Exit::kRemote,
               .what = (run.place() / part.object).text() + " is not what the run wrote",
               .why = fmt::format("the manifest says {} bytes and another hash; it has {}",
                                  part.bytes, bytes)});
}

Result<bool> BringFile(const ObjectStore& run, const MirroredFile& file, const fs::path& to) {
  PT_TRY(MakeFolder(to.parent_path()));
  PT_LET(AtomicFile draft, AtomicFile::Make(to));
  for (const MirroredPart& part : file.parts) {
    PT_LET(const bool found, BringPart(run, part, draft));
    if (!found) return false;
  }
  PT_TRY(draft.Commit());
  return true;
}

// Of the copy, all that the manifest does not name.
void RemoveOthers(const RunManifest& manifest, const fs::path& folder) {
  std::set<std::string> named = {"lock"};
  for (const MirroredFile& file : manifest.files) named.insert(file.path);
  std::error_code error;
  std::vector<fs::path> files, folders;
  for (const auto& each : fs::recursive_directory_iterator(folder, error)) {
    std::error_code ignored;
    if (each.is_directory(ignored) && !each.is_symlink(ignored)) {
      folders.push_back(each.path());
    } else if (!named.contains(each.path().lexically_relative(folder).string())) {
      files.push_back(each.path());
    }
  }
  for (const fs::path& file : files) fs::remove(file, error);
  // The inner ones come later in the list; one that holds files stays.
  for (size_t i = folders.size(); i-- > 0;) fs::remove(folders[i], error);
}

// False if an object that the manifest names is gone.
Result<bool> BringManifest(const ObjectStore& run, const RunManifest& manifest,
                           const fs::path& folder, Parts parts, CacheState& state) {
  for (const MirroredFile& file : manifest.files) {
    const fs::path to = folder / file.path;
    Result<CachedFile> now = LookAt(to);
    if (now.ok()) now->content = file.ContentId();
    const auto known = state.files.find(file.path);
    if (now.ok() && known != state.files.end() && *now == known->second) continue;
    if (!IsWanted(file.path, parts)) continue;
    PT_LET(const bool found, BringFile(run, file, to));
    if (!found) return false;
    PT_LET(CachedFile brought, LookAt(to));
    brought.content = file.ContentId();
    state.files[file.path] = brought;
  }
  return true;
}

// What is not wanted now and is another version than the manifest's must not stay as if it were.
void RemoveStale(const RunManifest& manifest, const fs::path& folder, const CacheState& state) {
  for (const MirroredFile& file : manifest.files) {
    const auto known = state.files.find(file.path);
    std::error_code ignored;
    if (known == state.files.end() || known->second.content != file.ContentId()) {
      fs::remove(folder / file.path, ignored);
    }
  }
}

bool IsAhead(const CacheState& state, const PublishedRun& published) {
  return state.ahead && state.token == published.attempts.back().token;
}

// Those that the store lists, and those that have copies here: of these some may be gone.
Result<std::vector<std::string>> RunsToBring(const ObjectStore& runs, const fs::path& folder) {
  PT_LET(std::vector<std::string> names, runs.ListNames(kNamesOfRuns));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && std::ranges::count(names, name) == 0) names.push_back(name);
  }
  return names;
}

}  // namespace

Status NoSuchObjectRun(const ObjectPlace& run) {
  return Fail({.exit = Exit::kInput,
               .what = "there is no run " + run.text(),
               .fix = "protium runs --runs-dir " + run.parent().text()});
}

Status Bring(const ObjectStore& run, const PublishedRun& published, const fs::path& folder,
             Parts parts) {
  if (published.attempts.empty()) return NoSuchObjectRun(run.place());
  if (!published.manifest) {
    return Fail({.exit = Exit::kInput,
                 .what = run.place().text() + " has not begun: nothing of it was published",
                 .fix = "run the job again"});
  }
  CacheState state = ReadCacheState(folder);
  state.place = run.place().text();
  state.ahead = false;
  RunManifest manifest = *published.manifest;
  // A manifest whose objects are gone has been replaced.
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    state.token = manifest.token;
    PT_LET(const bool whole, BringManifest(run, manifest, folder, parts, state));
    if (whole) {
      RemoveOthers(manifest, folder);
      RemoveStale(manifest, folder, state);
      PT_TRY(WriteCacheState(folder, state));
      return manifest.ended ? ForgetElsewhere(folder) : NoteElsewhere(folder, manifest.time);
    }
    PT_LET(const PublishedRun again, ReadPublished(run));
    if (again.manifest) manifest = *again.manifest;
  }
  return Fail({.exit = Exit::kRemote,
               .what = run.place().text() + " names objects that are not there",
               .why = "somebody removed them, or it changes faster than it can be read"});
}

Result<fs::path> BringRun(const ObjectPlace& run, Parts parts) {
  if (run.name().empty()) return NoSuchObjectRun(run);
  PT_LET(const fs::path runs, CacheOf(run.parent()));
  const fs::path folder = runs / run.name();
  if (IsLocked(folder)) return folder;
  PT_LET(const auto store, ObjectStore::Open(run));
  PT_LET(const PublishedRun published, ReadPublished(*store));
  if (published.attempts.empty()) {
    PT_TRY(RemoveCopy(folder));
    return NoSuchObjectRun(run);
  }
  const Result<CacheLock> lock = CacheLock::Take(folder);
  if (!lock.ok() && IsLocked(folder)) return folder;
  PT_TRY(lock.status());
  if (!IsAhead(ReadCacheState(folder), published)) {
    PT_TRY(Bring(*store, published, folder, parts));
  }
  return folder;
}

Result<fs::path> BringRuns(const ObjectPlace& runs, std::vector<std::string>& warnings) {
  PT_LET(const fs::path folder, CacheOf(runs));
  PT_LET(const auto store, ObjectStore::Open(runs));
  PT_LET(const std::vector<std::string> names, RunsToBring(*store, folder));
  std::vector<Status> brought(names.size());
  {
    // Most of the time is waiting for answers.
    std::atomic<size_t> next = 0;
    std::vector<std::jthread> threads(std::min<size_t>(names.size(), 16));
    for (std::jthread& each : threads) {
      each = std::jthread([&] {
        for (size_t i = next++; i < names.size(); i = next++) {
          brought[i] = BringRun(runs / names[i], Parts::kFacts).status();
        }
      });
    }
  }
  for (const Status& status : brought) {
    // A name may outlive its run, or be that of one that has not begun.
    if (status.ok() || FaultOf(status).exit == Exit::kInput) continue;
    warnings.push_back(FaultOf(status).what);
  }
  if (!warnings.empty() && warnings.size() == names.size()) {
    return *std::ranges::find_if(brought, [](const Status& each) { return !each.ok(); });
  }
  return folder;
}

}  // namespace protium
