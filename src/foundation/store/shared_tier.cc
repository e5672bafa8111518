// SPDX-License-Identifier: Apache-2.0
#include "store/shared_tier.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "os/fd.h"
#include "os/file.h"
#include "os/write_all.h"
#include "store/blocks.h"
#include "store/store_folder.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSmallBytes = 1 << 20;
constexpr double kBytesPerSecond = 50e6;  // Of a slow share.
constexpr auto kShortest = std::chrono::seconds(10);
constexpr auto kOldDraft = std::chrono::hours(24);

using Step = std::function<void(std::string_view)>;

void Take(const Step& step, std::string_view name) {
  if (step) step(name);
}

// A name that no other process of any machine has.
std::string OwnName(const std::string& cause) {
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  static std::atomic<int64_t> last = 0;
  return fmt::format("{}.{}.{}.{}", cause, host, ::getpid(), ++last);
}

Result<UniqueFd> OpenRead(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return SystemFault("open " + file.string(), errno);
  return fd;
}

// Nothing, without a fault, if the object is not there.
Result<std::optional<Manifest>> ReadManifestIn(const fs::path& object, const std::string& cause) {
  const UniqueFd fd(::open((object / kManifestName).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return std::optional<Manifest>();
  if (!fd) return SystemFault("open " + (object / kManifestName).string(), errno);
  PT_LET(const std::string text, ReadManifestText(fd.get()));
  PT_LET(Manifest manifest, ParseManifest(text, cause));
  return std::optional(std::move(manifest));
}

Status Damaged(const fs::path& file) {
  return Fail({.exit = Exit::kInput, .what = file.string() + " is damaged"});
}

// Reads until the block is full.
Status ReadBlock(int fd, std::string& block, const fs::path& file) {
  for (size_t at = 0; at < block.size();) {
    const ssize_t got = ::read(fd, block.data() + at, block.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFault("read " + file.string(), errno);
    if (got == 0) return Damaged(file);
    at += size_t(got);
  }
  return Status::OK();
}

// Block for block, each compared with its checksum.
Status CopyPart(const StoredPart& part, const fs::path& from, const fs::path& to,
                const Lane::Pulse& pulse) {
  PT_LET(const UniqueFd in, OpenRead(from));
  const UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!out) return SystemFault("make " + to.string(), errno);
  std::string block;
  for (size_t i = 0; i < part.blocks.size(); ++i) {
    block.resize(size_t(std::min(kBlockBytes, part.bytes - int64_t(i) * kBlockBytes)));
    PT_TRY(ReadBlock(in.get(), block, from));
    if (HashText(block) != part.blocks[i]) return Damaged(from);
    PT_TRY(WriteAll(out.get(), block, to));
    if (!pulse()) return Status::Cancelled("given up");
  }
  return Status::OK();
}

Status CopyParts(const Manifest& manifest, const fs::path& from, const fs::path& to,
                 const Lane::Pulse& pulse) {
  for (const StoredPart& part : manifest.parts) {
    PT_TRY(CopyPart(part, from / part.name, to / part.name, pulse));
  }
  return Status::OK();
}

void RemoveOldDrafts(const fs::path& drafts) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(drafts, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const auto written = fs::last_write_time(it->path(), ignored);
    if (!ignored && now - written > kOldDraft) fs::remove_all(it->path(), ignored);
  }
}

// The folder is the first machine's that has something for it.
Status MakeFolders(const fs::path& folder, const std::string& cause) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Fail({.exit = Exit::kEnvironment, .what = folder.string() + " is no folder"});
  }
  PT_TRY(MakeFolder(folder / "drafts"));
  return MakeFolder(StoreFolder::ObjectBelow(folder, cause).parent_path());
}

Status RemoveObject(const fs::path& folder, const std::string& cause) {
  const fs::path gone = folder / "drafts" / OwnName(cause);
  const fs::path object = StoreFolder::ObjectBelow(folder, cause);
  if (::rename(object.c_str(), gone.c_str()) != 0) {
    return errno == ENOENT ? Status::OK() : SystemFault("remove " + object.string(), errno);
  }
  std::error_code ignored;
  fs::remove_all(gone, ignored);
  return Status::OK();
}

Status Publish(const fs::path& folder, const Manifest& manifest, const fs::path& object,
               const Lane::Pulse& pulse, const Step& step) {
  const std::string& cause = manifest.cause;
  Take(step, "offer");
  PT_TRY(MakeFolders(folder, cause));
  const fs::path target = StoreFolder::ObjectBelow(folder, cause);
  const auto there = ReadManifestIn(target, cause);
  const bool same = there.ok() && *there && (*there)->content == manifest.content;
  if (same) return Status::OK();
  if (!there.ok() || *there) PT_TRY(RemoveObject(folder, cause));
  RemoveOldDrafts(folder / "drafts");
  const fs::path draft = folder / "drafts" / OwnName(cause);
  const auto write = [&]() -> Status {
    if (::mkdir(draft.c_str(), 0755) != 0) return SystemFault("make " + draft.string(), errno);
    Take(step, "copy there");
    PT_TRY(CopyParts(manifest, object, draft, pulse));
    PT_TRY(WriteFile(draft / kManifestName, WriteManifest(manifest)));
    Take(step, "rename there");
    if (!pulse()) return Status::Cancelled("given up");
    if (::rename(draft.c_str(), target.c_str()) == 0 || errno == ENOTEMPTY || errno == EEXIST) {
      return Status::OK();
    }
    return SystemFault("publish " + target.string(), errno);
  };
  const Status written = write();
  std::error_code ignored;
  fs::remove_all(draft, ignored);
  return written;
}

std::string WhyOf(const Status& status) {
  const Fault fault = FaultOf(status);
  return fault.what + (fault.why.empty() ? "" : ": " + fault.why);
}

}  // namespace

bool IsWorthSharing(int64_t bytes, double seconds) {
  return bytes <= kSmallBytes || double(bytes) / kBytesPerSecond < seconds;
}

SharedTier::SharedTier(Options options)
    : options_(std::move(options)),
      notes_(std::make_shared<Notes>()),
      asks_(options_.patience),
      offers_(options_.patience) {}

bool SharedTier::Run(const std::string& doing, Lane::Job job, Clock::duration most) {
  const bool before = asks_.given_up();
  if (asks_.Run(std::move(job), most)) return true;
  if (before) return false;
  const std::lock_guard lock(notes_->mutex);
  notes_->texts.push_back(
      fmt::format("the shared store {} does not answer while {}: it is passed by from now on",
                  options_.folder.string(), doing));
  return false;
}

std::optional<Manifest> SharedTier::Peek(const std::string& cause) {
  const auto found = std::make_shared<Result<std::optional<Manifest>>>(std::optional<Manifest>());
  const bool done = Run(
      "an object is looked for",
      [found, cause, folder = options_.folder, step = options_.step](const Lane::Pulse&) {
        Take(step, "peek");
        *found = ReadManifestIn(StoreFolder::ObjectBelow(folder, cause), cause);
      },
      options_.patience);
  if (!done) return std::nullopt;
  if (found->ok()) return std::move(**found);
  const std::lock_guard lock(notes_->mutex);
  if (!std::exchange(notes_->unread, true)) {
    notes_->texts.push_back(fmt::format("what lies in the shared store {} is not read: {}",
                                        options_.folder.string(), WhyOf(found->status())));
  }
  return std::nullopt;
}

// What takes longer than making it again is not worth waiting for.
bool SharedTier::Copy(const Manifest& manifest, const fs::path& to) {
  const auto copied = std::make_shared<Status>();
  const auto most = kShortest + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(manifest.seconds));
  const bool done = Run(
      "an object is copied",
      [copied, manifest, to, folder = options_.folder, step = options_.step](const auto& pulse) {
        Take(step, "copy here");
        *copied = CopyParts(manifest, StoreFolder::ObjectBelow(folder, manifest.cause), to, pulse);
        if (FaultOf(*copied).exit == Exit::kInput) (void)RemoveObject(folder, manifest.cause);
      },
      most);
  if (!done) return false;
  if (copied->ok()) return true;
  const std::lock_guard lock(notes_->mutex);
  if (!std::exchange(notes_->unread, true)) {
    notes_->texts.push_back(fmt::format("an object of the shared store {} cannot be taken: {}",
                                        options_.folder.string(), WhyOf(*copied)));
  }
  return false;
}

void SharedTier::Offer(const Manifest& manifest, const fs::path& object,
                       std::shared_ptr<const void> lease) {
  if (!IsWorthSharing(manifest.bytes, manifest.seconds)) return;
  offers_.Post([manifest, object, lease = std::move(lease), notes = notes_,
                folder = options_.folder, step = options_.step](const Lane::Pulse& pulse) {
    {
      const std::lock_guard lock(notes->mutex);
      if (notes->unwritten) return;
    }
    const Status put = Publish(folder, manifest, object, pulse, step);
    if (put.ok() || put.IsCancelled()) return;
    const std::lock_guard lock(notes->mutex);
    notes->unwritten = true;
    notes->texts.push_back(
        fmt::format("nothing is put into the shared store {}: {}", folder.string(), WhyOf(put)));
  });
}

std::vector<std::string> SharedTier::TakeNotes() {
  const std::lock_guard lock(notes_->mutex);
  return std::exchange(notes_->texts, {});
}

}  // namespace protium
