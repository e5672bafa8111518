// SPDX-License-Identifier: Apache-2.0
#include "store/refs.h"

#include <fmt/format.h>

#include "base/json.h"
#include "os/file.h"
#include "store/draft_lock.h"
#include "store/manifest.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxRefBytes = 64 << 10;
constexpr size_t kMaxRefName = 1000;
// A change takes moments: whoever holds the lock longer does not work.
constexpr auto kChangeTime = std::chrono::seconds(10);

Result<Ref> ReadRef(const fs::path& file) {
  PT_LET(const std::string text, ReadFile(file, kMaxRefBytes));
  PT_LET(const Json json, ParseJson(text));
  Ref ref{TextAt(json, "name"), TextAt(json, "object"), WholeAt(json, "version")};
  if (!ref.name.empty() && IsHexName(ref.object, 64) && ref.version > 0) return ref;
  return Fail(
      {.exit = Exit::kInput, .what = "a ref of the store is damaged", .where = file.string()});
}

}  // namespace

Result<std::optional<Ref>> Refs::Get(const std::string& name) const {
  const fs::path file = folder_.Ref(name);
  if (!IsRegularFile(file)) return std::optional<Ref>();
  PT_LET(Ref ref, ReadRef(file));
  return std::optional<Ref>(std::move(ref));
}

Result<bool> Refs::CompareAndSet(const std::string& name, int64_t expected,
                                 const std::string& object) {
  if (name.empty() || name.size() > kMaxRefName || !IsHexName(object, 64)) {
    return Fail({.exit = Exit::kUsage, .what = fmt::format("\"{}\" cannot be a ref", name)});
  }
  Call soon;
  soon.deadline = Clock::now() + kChangeTime;
  const fs::path file = folder_.Ref(name);
  PT_LET(const DraftLock lock, DraftLock::Await(file.string() + ".lock", "a ref", soon, {}));
  PT_LET(std::optional<Ref> now, Get(name));
  if (now.value_or(Ref{}).version != expected) return false;
  const Json next = {{"name", name}, {"object", object}, {"version", expected + 1}};
  PT_TRY(WriteFile(file, Dump(next) + "\n"));
  return true;
}

std::set<std::string> Refs::Objects() const {
  std::set<std::string> objects;
  std::error_code error;
  for (fs::directory_iterator it(folder_.root() / "refs", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    const auto ref = ReadRef(it->path());
    if (ref.ok()) objects.insert(ref->object);
  }
  return objects;
}

}  // namespace protium
