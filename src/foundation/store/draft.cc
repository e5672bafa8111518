// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "os/publish.h"
#include "os/write_all.h"
#include "store/blocks.h"
#include "store/local_store.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Status Flush(int fd, const fs::path& path) {
  return ::fsync(fd) == 0 ? Status::OK() : SystemFault("flush " + path.string(), errno);
}

// Some file systems cannot reserve: there the writes show whether there is room.
int Reserve(int fd, int64_t bytes) {
  const int error = bytes > 0 ? ::posix_fallocate(fd, 0, bytes) : 0;
  return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

int64_t SecondsSince1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status CheckPartName(const std::string& name) {
  if (IsPartName(name)) return Status::OK();
  return Fail({.exit = Exit::kBug, .what = "a part of an object cannot be \"" + name + "\""});
}

}  // namespace

Draft::~Draft() {
  if (store_ != nullptr) store_->DropDraft(cause_);
}

Result<UniqueFd> Draft::AddPart(const std::string& name, int64_t bytes) {
  PT_TRY(CheckPartName(name));
  store_->Step("add");
  const fs::path path = store_->folder_.Draft(cause_) / name;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return SystemFault("make " + path.string(), errno);
  int error = Reserve(fd.get(), bytes);
  if (error == ENOSPC) {
    PT_TRY(store_->GiveWay(bytes));
    error = Reserve(fd.get(), bytes);
  }
  if (error != 0) return SystemFault("reserve room for " + path.string(), error);
  // What is written counts, not what was reserved.
  if (::ftruncate(fd.get(), bytes) != 0) return SystemFault("size " + path.string(), errno);
  return fd;
}

Status Draft::WritePart(const std::string& name, std::string_view bytes) {
  PT_LET(const UniqueFd fd, AddPart(name, int64_t(bytes.size())));
  return WriteAll(fd.get(), bytes, store_->folder_.Draft(cause_) / name);
}

Status Draft::TakePart(const std::string& name, const fs::path& file) {
  PT_TRY(CheckPartName(name));
  store_->Step("take");
  const fs::path path = store_->folder_.Draft(cause_) / name;
  if (::link(file.c_str(), path.c_str()) == 0) return Status::OK();
  return SystemFault("link " + file.string() + " to " + path.string(), errno);
}

Result<std::pair<StoredPart, UniqueFd>> Draft::ReadPart(const std::string& name) const {
  const fs::path path = store_->folder_.Draft(cause_) / name;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return SystemFault("open " + path.string(), errno);
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return SystemFault("inspect " + path.string(), errno);
  StoredPart part{.name = name, .bytes = about.st_size};
  PT_LET(part.blocks, HashBlocks(fd.get(), part.bytes));
  return std::pair(std::move(part), std::move(fd));
}

// The parts are what lies in the draft's folder, by name.
Result<Manifest> Draft::Describe(const DraftFacts& facts) const {
  Manifest manifest{.kind = request_.kind,
                    .cause = cause_,
                    .content = facts.content,
                    .seconds = facts.seconds,
                    .made = SecondsSince1970(),
                    .run = request_.run,
                    .boot = store_->options_.boot,
                    .synced = facts.synced,
                    .causes = request_.causes,
                    .facts = facts.facts,
                    .inputs = request_.inputs};
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(store_->folder_.Draft(cause_), error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    PT_LET(auto part, ReadPart(name));
    if (facts.synced) {
      store_->Step("flush part");
      PT_TRY(Flush(part.second.get(), name));
    }
    manifest.bytes += part.first.bytes;
    manifest.parts.push_back(std::move(part.first));
  }
  return manifest;
}

Result<StoredObject> Draft::Commit(const DraftFacts& facts) {
  store_->Step("hash");
  PT_LET(Manifest manifest, Describe(facts));
  // The parts are on the disk already, so only the limit may be passed.
  PT_TRY(store_->MakeRoomInLimit(manifest.bytes));
  store_->Step("manifest");
  const fs::path draft = store_->folder_.Draft(cause_);
  const fs::path path = draft / kManifestName;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return SystemFault("make " + path.string(), errno);
  const std::string text = WriteManifest(manifest);
  if (int64_t(text.size()) > kMaxManifestBytes) {
    return Fail({.exit = Exit::kNoRoom, .what = "an object has too many blocks for its manifest"});
  }
  PT_TRY(WriteAll(fd.get(), text, path));
  if (facts.synced) {
    store_->Step("flush manifest");
    PT_TRY(Flush(fd.get(), path));
    PT_TRY(SyncFolder(draft));
  }
  // The lease is taken before others can see the object.
  if (::flock(fd.get(), LOCK_SH) != 0) return SystemFault("lock " + path.string(), errno);
  PT_TRY(Publish(manifest));
  if (!facts.own) store_->Offer(manifest, fd);
  return StoredObject(std::move(manifest), store_->folder_.Object(cause_), std::move(fd));
}

// The index first: an object that it does not know would not count.
Status Draft::Publish(const Manifest& manifest) {
  store_->Step("index");
  (void)store_->index_->Put(store_->RowOf(manifest, store_->options_.boot));
  const fs::path object = store_->folder_.Object(cause_);
  if (::mkdir(object.parent_path().c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemFault("make " + object.parent_path().string(), errno);
  }
  store_->Step("rename");
  if (::rename(store_->folder_.Draft(cause_).c_str(), object.c_str()) != 0) {
    const int error = errno;
    (void)store_->index_->Drop(cause_);
    return SystemFault("publish " + object.string(), error);
  }
  store_->Step("renamed");
  if (manifest.synced) {
    store_->Step("flush name");
    PT_TRY(SyncFolder(object.parent_path()));
    PT_TRY(SyncFolder(object.parent_path().parent_path()));
  }
  return Status::OK();
}

}  // namespace protium
