// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/bundle.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <unordered_set>

#include "base/fault.h"
#include "base/json.h"
#include "os/file.h"
#include "os/library.h"
#include "spark/ship/bundle_file.h"
#include "spark/ship/closure.h"
#include "spark_worker/bundle_format.h"

// The cache holds bundles, named by their hash, and records: JSON files that list the files a
// bundle was made from, named by a hash of the program's path and LD_LIBRARY_PATH. If a record's
// files are all unchanged, it leads to its bundle without reading or running anything. Several
// drivers may use the cache at once, since bundles appear whole.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxKept = 8;
constexpr int64_t kMaxKeptBytes = int64_t{4} << 30;
// Age of a temporary file: one that is still being written is younger.
constexpr std::chrono::hours kAbandoned{1};
// Age of a record that has not been written since.
constexpr std::chrono::hours kForgotten{24 * 30};

// Makes the folder accessible to its owner alone, and refuses one of another user: its content is
// sent to executors and run there.
Status OpenCache(const fs::path& cache) {
  PT_TRY(MakeFolder(cache));
  struct stat about {};
  if (::stat(cache.c_str(), &about) != 0) return SystemFault("use " + cache.string(), errno);
  if (about.st_uid == ::geteuid() && ::chmod(cache.c_str(), 0700) == 0) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = cache.string() + " belongs to another user",
               .fix = "set XDG_CACHE_HOME to a folder of your own"});
}

// Names a bundle's record by what determines its content before anything is read: the program, more
// libraries, and where the loader looks for the others.
fs::path RecordPath(const fs::path& object, const fs::path& cache,
                    const std::vector<fs::path>& more = {}) {
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  std::string key = object.string() + '\n' + (libraries == nullptr ? "" : libraries);
  for (const fs::path& each : more) key += '\n' + each.string();
  return cache / (ContentHash(key) + ".json");
}

Json MemberToJson(const BundleMember& member) {
  return {{"name", member.name},
          {"file", member.file.string()},
          {"bytes", member.bytes},
          {"changed_ns", member.changed_ns}};
}

// Length and modification time represent the content; hashing some 400 MB would take seconds at
// every start.
bool IsUnchanged(const Json& member) {
  const auto now = MemberAt(member.value("name", ""), member.value("file", ""));
  return now.ok() && MemberToJson(*now) == member;
}

std::optional<Bundle> BundleOfRecord(const Json& record, const fs::path& cache) {
  if (!record.is_object() || !record.contains("members") || record["members"].empty()) return {};
  for (const Json& member : record["members"]) {
    if (!member.is_object() || !IsUnchanged(member)) return {};
  }
  Bundle bundle{.hash = record.value("hash", ""),
                .bytes = record.value("bytes", int64_t{0}),
                .unpacked_bytes = record.value("unpacked_bytes", int64_t{0})};
  bundle.file = cache / (kBundlePrefix + bundle.hash);
  std::error_code error;
  const auto bytes = fs::file_size(bundle.file, error);
  if (error || static_cast<int64_t>(bytes) != bundle.bytes) return {};
  // The cleanup leaves the most recently used bundles.
  fs::last_write_time(bundle.file, fs::file_time_type::clock::now(), error);
  return bundle;
}

// A record that is unreadable or of another form counts as missing.
std::optional<Bundle> FindKnown(const fs::path& record, const fs::path& cache) {
  const auto text = ReadFile(record, 1 << 20);
  if (!text.ok()) return {};
  const auto json = ParseJson(*text);
  if (!json.ok()) return {};
  try {
    return BundleOfRecord(*json, cache);
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

Status Remember(const fs::path& record, const Bundle& bundle,
                std::span<const BundleMember> members) {
  Json list = Json::array();
  for (const BundleMember& member : members) list.push_back(MemberToJson(member));
  return WriteFile(record, Dump({{"hash", bundle.hash},
                                 {"bytes", bundle.bytes},
                                 {"unpacked_bytes", bundle.unpacked_bytes},
                                 {"members", list}}));
}

struct Kept {
  fs::path file;
  fs::file_time_type used;
  int64_t bytes;
};

// Also removes old records, and what writers that died left behind.
std::vector<Kept> ListBundles(const fs::path& cache) {
  std::vector<Kept> bundles;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    const std::string name = entry.path().filename().string();
    const auto used = entry.last_write_time(error);
    const auto bytes = entry.file_size(error);
    if (error) continue;
    if (name.starts_with(kBundlePrefix) && entry.path().extension().empty()) {
      bundles.push_back({entry.path(), used, static_cast<int64_t>(bytes)});
      continue;
    }
    const auto age = fs::file_time_type::clock::now() - used;
    const bool is_record = entry.path().extension() == ".json";
    if (age > (is_record ? kForgotten : kAbandoned)) fs::remove(entry.path(), error);
  }
  return bundles;
}

void SweepCache(const fs::path& cache) {
  std::vector<Kept> bundles = ListBundles(cache);
  std::ranges::sort(bundles, std::greater(), &Kept::used);
  int64_t bytes = 0;
  std::error_code error;
  for (size_t i = 0; i < bundles.size(); ++i) {
    bytes += bundles[i].bytes;
    if (i >= kMaxKept || bytes > kMaxKeptBytes) fs::remove(bundles[i].file, error);
  }
}

Result<Bundle> Make(const fs::path& record, const fs::path& cache,
                    std::span<const BundleMember> members) {
  PT_LET(Bundle bundle, WriteBundle(members, cache));
  PT_TRY(Remember(record, bundle, members));
  SweepCache(cache);
  return bundle;
}

Result<fs::path> Canonical(const fs::path& file) {
  std::error_code error;
  fs::path real = fs::canonical(file, error);
  if (error) return SystemFault("read " + file.string(), error.value());
  return real;
}

// Returns what libprotium.so, which is among `members`, needs itself.
Result<std::unordered_set<std::string>> NamesInPrograms(std::span<const BundleMember> members) {
  std::unordered_set<std::string> names;
  const auto ours = std::ranges::find(members, "lib/libprotium.so", &BundleMember::name);
  if (ours == members.end()) return names;
  PT_LET(const auto closure, LibraryClosure(ours->file));
  for (const BundleMember& member : closure) names.insert(member.name);
  return names;
}

}  // namespace

Result<Bundle> MakeProgramBundle(const fs::path& program, const fs::path& cache,
                                 const std::vector<fs::path>& more) {
  PT_TRY(OpenCache(cache));
  PT_LET(const fs::path real, Canonical(program));
  const fs::path record = RecordPath(real, cache, more);
  if (auto known = FindKnown(record, cache)) return *std::move(known);
  PT_LET(auto members, ProgramClosure(real));
  for (const fs::path& each : more) {
    PT_LET(const auto closure, LibraryClosure(each));
    for (const BundleMember& member : closure) {
      const bool there =
          std::ranges::find(members, member.name, &BundleMember::name) != members.end();
      if (!there) members.push_back(member);
    }
  }
  return Make(record, cache, members);
}

Result<Bundle> MakeTorchBundle(const fs::path& library, const fs::path& cache) {
  PT_TRY(OpenCache(cache));
  PT_LET(const fs::path real, Canonical(library));
  const fs::path record = RecordPath(real, cache);
  if (auto known = FindKnown(record, cache)) return *std::move(known);
  PT_LET(auto members, LibraryClosure(real));
  PT_LET(const auto elsewhere, NamesInPrograms(members));
  std::erase_if(members,
                [&](const BundleMember& member) { return elsewhere.contains(member.name); });
  return Make(record, cache, members);
}

Result<fs::path> BundleCache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "protium" / "bundles";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "protium" / "bundles";
  return Fail({.exit = Exit::kEnvironment,
               .what = "there is no folder for the programs that are sent to the executors",
               .why = "neither XDG_CACHE_HOME nor HOME is set",
               .fix = "export XDG_CACHE_HOME=/some/folder/of/yours"});
}

Result<Launcher> FindLauncher() {
  const fs::path file = OwnLibraryFolder().parent_path() / "bin" / "protium-launcher";
  std::error_code error;
  if (!fs::exists(file, error)) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = file.string() + " is missing",
                 .why = "Spark's executors start it in place of Python",
                 .fix = "./dev build"});
  }
  PT_LET(std::string hash, FileHash(file));
  return Launcher{file, std::move(hash)};
}

std::string LauncherName(const Launcher& launcher, const Bundle& program, const Bundle* torch) {
  std::string name = kLauncherPrefix + launcher.hash + "." + program.hash;
  if (torch != nullptr) name += "." + torch->hash;
  return name;
}

}  // namespace protium
