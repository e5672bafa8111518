// SPDX-License-Identifier: Apache-2.0
#include "local/object_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <mutex>
#include <variant>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "duckdb/place_file.h"
#include "local/source_faults.h"
#include "local/source_name.h"
#include "os/file.h"
#include "os/write_all.h"
#include "protium/events.h"
#include "sources/object_store.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// Each waits for its store most of the time, and holds a piece.
constexpr int kAtOnce = 4;
constexpr size_t kPieceBytes = 4 << 20;

int64_t NanosNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The object's ending counts: it says how the file is read.
std::string PartOf(const std::string& place) {
  const std::string name = Lower(place.substr(place.rfind('/') + 1));
  const size_t dot = name.find('.');
  const std::string part = dot == name.npos ? "rows" : "rows" + name.substr(dot);
  return IsPartName(part) ? part : "rows";
}

Status Changed(const SourceObject& object, int64_t bytes) {
  return Fail({.exit = Exit::kInput,
               .what = "an object was replaced while it was read",
               .where = object.place,
               .why = fmt::format("it had {} bytes when it was listed, and has {} now",
                                  object.bytes, bytes)});
}

// Copies the objects of one source, several at once.
class Copying {
 public:
  Copying(const Database& database, const Source& source, const Call& call, LocalStore& store)
      : database_(database), source_(source), call_(call), store_(store) {
    for (const SourceObject& object : source.objects) all_bytes_ += object.bytes;
  }

  Result<std::vector<StoredObject>> Run() {
    PT_LET(const StoreAccess access, ReadStoreAccess(source_));
    endpoint_ = access.endpoint;
    found_.resize(source_.objects.size());
    std::vector<std::future<Status>> working;
    const size_t most = std::min<size_t>(kAtOnce, source_.objects.size());
    for (size_t i = 0; i < most; ++i) {
      working.push_back(std::async(std::launch::async, [this] { return Work(); }));
    }
    Status first;
    for (auto& each : working) {
      const Status status = each.get();
      if (first.ok()) first = status;
    }
    PT_TRY(first);
    std::vector<StoredObject> all;
    for (auto& each : found_) all.push_back(std::move(*each));
    return all;
  }

 private:
  // Takes one object after the other, until one fails.
  Status Work() {
    PT_LET(const duck::Connection connection, database_.Connect());
    PT_TRY(duck::Do(connection, "BEGIN"));
    while (!failed_) {
      const size_t at = next_++;
      if (at >= source_.objects.size()) break;
      auto taken = Take(connection, source_.objects[at]);
      if (!taken.ok()) {
        failed_ = true;
        return taken.status();
      }
      found_[at].emplace(std::move(*taken));
    }
    return Status::OK();
  }

  Result<StoredObject> Take(const duck::Connection& connection, const SourceObject& object) {
    DraftRequest request{.kind = "object",
                         .causes = {{"place", object.place},
                                    {"endpoint", endpoint_},
                                    {"bytes", object.bytes},
                                    {"changed", object.changed}},
                         .bytes = object.bytes};
    if (!IsSettled(connection, object.changed)) request.causes["copied"] = NanosNow();
    PT_LET(FoundOrDraft begun, store_.FindOrBegin(std::move(request), call_));
    if (auto* const found = std::get_if<StoredObject>(&begun)) {
      PT_TRY(Copied(object.bytes));
      return std::move(*found);
    }
    return Copy(connection, object, std::get<Draft>(begun));
  }

  Result<StoredObject> Copy(const duck::Connection& connection, const SourceObject& object,
                            Draft& draft) {
    const std::string part = PartOf(object.place);
    PT_LET(const UniqueFd file, draft.AddPart(part, object.bytes));
    auto sha256 = CopyBytes(connection, object, file.get());
    // What has a place is said already; DuckDB says none.
    const bool ours = !sha256.ok() && !FaultOf(sha256.status()).where.empty();
    if (!sha256.ok()) return ours ? sha256.status() : PlaceFault(At(object), sha256.status());
    return draft.Commit({.content = *sha256});
  }

  Result<std::string> CopyBytes(const duck::Connection& connection, const SourceObject& object,
                                int file) {
    PT_LET(const PlaceFile from, PlaceFile::Open(connection, object.place));
    PT_LET(const int64_t bytes, from.Size());
    if (bytes != object.bytes) return Changed(object, bytes);
    std::string piece(std::min<size_t>(kPieceBytes, size_t(bytes)), '\0');
    Sha256 sha256;
    for (int64_t at = 0; at < bytes;) {
      PT_LET(const int64_t read,
             from.Read(std::span(piece).first(std::min<size_t>(piece.size(), size_t(bytes - at)))));
      if (read == 0) return Changed(object, at);
      const std::string_view text = std::string_view(piece).substr(0, size_t(read));
      sha256.Add(text);
      PT_TRY(WriteAll(file, text, store_.folder()));
      PT_TRY(Copied(read));
      at += read;
    }
    return sha256.Hex();
  }

  Source At(const SourceObject& object) const {
    Source one = source_;
    one.file = object.place;
    return one;
  }

  // Counts bytes that have come; an error ends the work.
  Status Copied(int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      copied_ += bytes;
      call_.Send(EtlProgress{
          .name = "copy " + source_.file,
          .percent = 100.0 * double(copied_) / double(std::max<int64_t>(all_bytes_, 1))});
    }
    if (call_.stop.stop_requested()) {
      return Fail({.exit = Exit::kStopped,
                   .what = "stopped while objects were copied",
                   .where = source_.file});
    }
    if (Clock::now() < call_.deadline) return Status::OK();
    return Fail({.exit = Exit::kStalled,
                 .what = "the deadline passed while objects were copied",
                 .where = source_.file});
  }

  const Database& database_;
  const Source& source_;
  const Call& call_;
  LocalStore& store_;
  std::string endpoint_;
  int64_t all_bytes_ = 0;
  std::mutex mutex_;  // Guards copied_, and reports progress one at a time.
  int64_t copied_ = 0;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::vector<std::optional<StoredObject>> found_;  // Each is written by the thread that took it.
};

}  // namespace

Status ObjectCopies::OpenStore() {
  if (store_ != nullptr) return Status::OK();
  if (!spill_.empty()) PT_TRY(MakeFolder(spill_));
  PT_LET(TemporaryFolder made,
         spill_.empty() ? TemporaryFolder::Make() : TemporaryFolder::MakeIn(spill_));
  folder_.emplace(std::move(made));
  PT_LET(own_, LocalStore::Open({.folder = folder_->path() / "objects",
                                 .most_bytes = std::numeric_limits<int64_t>::max()}));
  store_ = own_.get();
  return Status::OK();
}

Result<std::vector<ObjectCopy>> ObjectCopies::Take(const Database& database, const Source& source,
                                                   const Call& call) {
  PT_TRY(OpenStore());
  PT_LET(std::vector<StoredObject> objects, Copying(database, source, call, *store_).Run());
  std::vector<ObjectCopy> copies;
  for (StoredObject& each : objects) {
    const Manifest& manifest = each.manifest();
    copies.push_back({each.Path(manifest.parts.front().name).string(), manifest.content});
    held_.push_back(std::move(each));
  }
  return copies;
}

}  // namespace protium
