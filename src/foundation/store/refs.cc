// SPDX-License-Identifier: Apache-2.0
#include "store/refs.h"

#include <fmt/format.h>

#include <algorithm>

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

// A name that was dropped keeps its file, with no object, so that its next version is a new one.
Result<Ref> ReadRef(const fs::path& file) {
  PT_LET(const std::string text, ReadFile(file, kMaxRefBytes));
  PT_LET(const Json json, ParseJson(text));
  Ref ref{TextAt(json, "name"), TextAt(json, "object"), WholeAt(json, "version")};
  const bool object = ref.object.empty() || IsHexName(ref.object, 64);
  if (!ref.name.empty() && object && ref.version > 0) return ref;
  return Fail(
      {.exit = Exit::kInput, .what = "a ref of the store is damaged", .where = file.string()});
}

// Without an object if the name stands for none.
Result<Ref> ReadRefOrNone(const fs::path& file, const std::string& name) {
  if (!IsRegularFile(file)) return Ref{.name = name};
  return ReadRef(file);
}

}  // namespace

Result<std::optional<Ref>> Refs::Get(const std::string& name) const {
  PT_LET(Ref ref, ReadRefOrNone(folder_.Ref(name), name));
  return ref.object.empty() ? std::optional<Ref>() : std::optional<Ref>(std::move(ref));
}

Status Refs::Change(const std::string& name, const std::function<Status(const Ref& now)>& change) {
  Call soon;
  soon.deadline = Clock::now() + kChangeTime;
  const fs::path file = folder_.Ref(name);
  PT_LET(const DraftLock lock, DraftLock::Await(file.string() + ".lock", "a ref", soon, {}));
  RemoveLeftBeside(file);
  PT_LET(const Ref now, ReadRefOrNone(file, name));
  return change(now);
}

Status Refs::Write(const Ref& ref) const {
  const Json json = {{"name", ref.name}, {"object", ref.object}, {"version", ref.version}};
  return WriteFile(folder_.Ref(ref.name), Dump(json) + "\n");
}

Result<bool> Refs::CompareAndSet(const std::string& name, int64_t expected,
                                 const std::string& object) {
  if (name.empty() || name.size() > kMaxRefName || !IsHexName(object, 64)) {
    return Fail({.exit = Exit::kUsage, .what = fmt::format("\"{}\" cannot be a ref", name)});
  }
  bool set = false;
  PT_TRY(Change(name, [&](const Ref& now) -> Status {
    set = expected == (now.object.empty() ? 0 : now.version);
    return set ? Write({name, object, now.version + 1}) : Status::OK();
  }));
  return set;
}

Result<bool> Refs::Drop(const std::string& name, const std::string& object) {
  bool dropped = false;
  PT_TRY(Change(name, [&](const Ref& now) -> Status {
    dropped = !object.empty() && now.object == object;
    return dropped ? Write({name, "", now.version}) : Status::OK();
  }));
  return dropped;
}

std::vector<Ref> Refs::List() const {
  std::vector<Ref> refs;
  std::error_code error;
  for (fs::directory_iterator it(folder_.root() / "refs", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    auto ref = ReadRef(it->path());
    if (ref.ok() && !ref->object.empty()) refs.push_back(*std::move(ref));
  }
  std::ranges::sort(refs, {}, &Ref::name);
  return refs;
}

std::set<std::string> Refs::Objects() const {
  std::set<std::string> objects;
  for (Ref& ref : List()) objects.insert(std::move(ref.object));
  return objects;
}

}  // namespace protium
