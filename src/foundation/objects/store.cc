// SPDX-License-Identifier: Apache-2.0
#include "objects/store.h"

#include <arrow/buffer.h>
#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>

#include "base/fault.h"
#include "objects/failure.h"
#include "objects/open.h"
#include "os/fd.h"

namespace protium {

namespace {

constexpr int64_t kPiece = 4 << 20;  // Bytes that are read and written at once.

// Google's client says it of folders in words alone.
bool IsMissing(const Status& status) {
  return arrow::internal::ErrnoFromStatus(status) == ENOENT ||
         status.message().starts_with("No such directory");
}

Status ReadAt(int file, int64_t from, std::string& piece) {
  size_t done = 0;
  while (done < piece.size()) {
    const ssize_t n = pread(file, piece.data() + done, piece.size() - done, from + int64_t(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemFault("read a file to upload it", errno);
    if (n == 0) {
      return Fail({.exit = Exit::kEnvironment, .what = "a file became shorter during its upload"});
    }
    done += size_t(n);
  }
  return Status::OK();
}

// Azure's client throws where a server does not answer.
template <class Work>
auto Guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Status::IOError(error.what());
  }
}

// Where the words of a refusal are longer than the piece that was asked for, Arrow's client fails
// instead of trying again.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadPiece(arrow::io::RandomAccessFile& in,
                                                        int64_t from, int64_t bytes) {
  constexpr int kTries = 6;
  for (int i = 1;; ++i) {
    auto piece = in.ReadAt(from, bytes);
    if (piece.ok() && (*piece)->size() == 0) {
      return Status::IOError("the object ends before its size");
    }
    const bool overrun = piece.status().message().find("response stream") != std::string::npos;
    if (piece.ok() || !overrun || i == kTries) return piece;
    std::this_thread::sleep_for(std::chrono::milliseconds(100 << i));
  }
}

// An object as it is when asked for.
struct ObjectState {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
  int64_t bytes = 0;
  std::string tag;  // Of its contents, where the store gives one.
};

arrow::Result<ObjectState> StateOf(arrow::fs::FileSystem& files, const std::string& path) {
  ObjectState state;
  ARROW_ASSIGN_OR_RAISE(state.file, files.OpenInputFile(path));
  ARROW_ASSIGN_OR_RAISE(state.bytes, state.file->GetSize());
  const auto known = state.file->ReadMetadata();
  if (known.ok() && *known) state.tag = (*known)->Get("ETag").ValueOr("");
  return state;
}

Status EachPiece(arrow::io::RandomAccessFile& in, int64_t bytes,
                 const std::function<Status(std::string_view)>& take) {
  for (int64_t at = 0; at < bytes;) {
    PT_LET(const auto piece, ReadPiece(in, at, std::min(kPiece, bytes - at)));
    PT_TRY(take(std::string_view(*piece)));
    at += piece->size();
  }
  return Status::OK();
}

// Leaves no half-written object behind.
Status Given(arrow::io::OutputStream& out, const std::function<Status()>& write) {
  const Status status = write();
  if (status.ok()) return out.Close();
  (void)out.Abort();
  return status;
}

}  // namespace

ObjectStoresEnd::~ObjectStoresEnd() { arrow::fs::EnsureFinalized(); }

Result<std::shared_ptr<const ObjectStore>> ObjectStore::Open(const ObjectPlace& place) {
  PT_LET(OpenedFiles opened, OpenFiles(place));
  return Over(place, std::move(opened.files), std::move(opened.path));
}

std::shared_ptr<const ObjectStore> ObjectStore::Over(ObjectPlace place,
                                                     std::shared_ptr<arrow::fs::FileSystem> files,
                                                     std::string path) {
  return std::shared_ptr<const ObjectStore>(
      new ObjectStore(std::move(place), std::move(files), std::move(path)));
}

Status ObjectStore::Failed(std::string_view doing, const std::string& name,
                           const Status& status) const {
  return ObjectFault(status, doing, name.empty() ? place_ : place_ / name);
}

Status ObjectStore::PutText(const std::string& name, std::string_view text) const {
  const auto put = [&]() -> Status {
    PT_LET(const auto out, files_->OpenOutputStream(PathOf(name)));
    return Given(*out, [&] { return out->Write(text.data(), int64_t(text.size())); });
  };
  return Failed("write", name, Guarded(put));
}

Status ObjectStore::PutFile(const std::string& name, int file, int64_t from, int64_t bytes,
                            const std::function<void()>& alive) const {
  const auto put = [&]() -> Status {
    PT_LET(const auto out, files_->OpenOutputStream(PathOf(name)));
    return Given(*out, [&]() -> Status {
      std::string piece;
      for (int64_t done = 0; done < bytes; done += int64_t(piece.size())) {
        piece.resize(size_t(std::min(kPiece, bytes - done)));
        PT_TRY(ReadAt(file, from + done, piece));
        PT_TRY(out->Write(piece.data(), int64_t(piece.size())));
        if (alive) alive();
      }
      return Status::OK();
    });
  };
  return Failed("write", name, Guarded(put));
}

Result<bool> ObjectStore::Get(const std::string& name,
                              const std::function<Status(std::string_view)>& take) const {
  const auto in = Guarded([&] { return files_->OpenInputFile(PathOf(name)); });
  if (!in.ok() && IsMissing(in.status())) return false;
  PT_TRY(Failed("read", name, in.status()));
  const auto size = Guarded([&] { return (*in)->GetSize(); });
  PT_TRY(Failed("read", name, size.status()));
  const Status read = Guarded([&] { return EachPiece(**in, *size, take); });
  if (IsMissing(read)) return false;
  PT_TRY(Failed("read", name, read));
  return true;
}

// Arrow's files ask for the size first and for the bytes later, so that an object that grows in
// between is cut at its earlier size.
Result<std::optional<std::string>> ObjectStore::GetText(const std::string& name,
                                                        int64_t cap_bytes) const {
  constexpr int kTries = 8;
  const auto look = [&] { return StateOf(*files_, PathOf(name)); };
  auto state = Guarded(look);
  for (int i = 0; i < kTries; ++i) {
    if (!state.ok() && IsMissing(state.status())) return std::optional<std::string>();
    PT_TRY(Failed("read", name, state.status()));
    if (state->bytes > cap_bytes) {
      return Fail(
          {.exit = Exit::kInput,
           .what = fmt::format("{} is larger than {} bytes", (place_ / name).text(), cap_bytes)});
    }
    std::string text;
    const auto add = [&](std::string_view piece) {
      text += piece;
      return Status::OK();
    };
    const Status read = Guarded([&] { return EachPiece(*state->file, state->bytes, add); });
    const auto after = Guarded(look);
    const bool same = after.ok() && after->bytes == state->bytes && after->tag == state->tag;
    if (same && read.ok()) return std::optional(std::move(text));
    if (same) return Failed("read", name, read);
    state = after;
  }
  return Failed("read", name, Status::IOError("it is replaced faster than it can be read"));
}

Status ObjectStore::Delete(const std::string& name) const {
  const Status status = Guarded([&] { return files_->DeleteFile(PathOf(name)); });
  return IsMissing(status) ? Status::OK() : Failed("delete", name, status);
}

Status ObjectStore::DeleteFolder(const std::string& name) const {
  const Status status = Guarded([&] { return files_->DeleteDir(PathOf(name)); });
  return IsMissing(status) ? Status::OK() : Failed("delete", name, status);
}

Result<std::vector<std::string>> ObjectStore::ListNames(const std::string& folder) const {
  arrow::fs::FileSelector selector;
  selector.base_dir = PathOf(folder);
  selector.allow_not_found = true;
  const auto found = Guarded([&] { return files_->GetFileInfo(selector); });
  PT_TRY(Failed("list", folder, found.status()));
  std::vector<std::string> names;
  for (const arrow::fs::FileInfo& each : *found) {
    if (each.type() == arrow::fs::FileType::File) names.push_back(each.base_name());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace protium
