// SPDX-License-Identifier: Apache-2.0
#include "objects/store.h"

#include <arrow/filesystem/filesystem.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/io_util.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/fault.h"
#include "objects/failure.h"
#include "objects/open.h"
#include "os/fd.h"

namespace protium {

namespace {

constexpr int64_t kPiece = 4 << 20;  // Bytes that are read and written at once.

bool IsMissing(const Status& status) { return arrow::internal::ErrnoFromStatus(status) == ENOENT; }

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
  return Failed("write", name, put());
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
  return Failed("write", name, put());
}

Result<bool> ObjectStore::Get(const std::string& name,
                              const std::function<Status(std::string_view)>& take) const {
  const auto in = files_->OpenInputFile(PathOf(name));
  if (!in.ok() && IsMissing(in.status())) return false;
  PT_TRY(Failed("read", name, in.status()));
  const auto size = (*in)->GetSize();
  PT_TRY(Failed("read", name, size.status()));
  for (int64_t at = 0; at < *size;) {
    const auto piece = ReadPiece(**in, at, std::min(kPiece, *size - at));
    if (!piece.ok() && IsMissing(piece.status())) return false;
    PT_TRY(Failed("read", name, piece.status()));
    PT_TRY(take(std::string_view(**piece)));
    at += (*piece)->size();
  }
  return true;
}

Result<std::optional<std::string>> ObjectStore::GetText(const std::string& name,
                                                        int64_t cap_bytes) const {
  std::string text;
  PT_LET(const bool found, Get(name, [&](std::string_view piece) -> Status {
           if (int64_t(text.size() + piece.size()) > cap_bytes) {
             return Fail({.exit = Exit::kInput,
                          .what = fmt::format("{} is larger than {} bytes", (place_ / name).text(),
                                              cap_bytes)});
           }
           text += piece;
           return Status::OK();
         }));
  if (!found) return std::optional<std::string>();
  return std::optional(std::move(text));
}

Status ObjectStore::Delete(const std::string& name) const {
  const Status status = files_->DeleteFile(PathOf(name));
  return IsMissing(status) ? Status::OK() : Failed("delete", name, status);
}

Status ObjectStore::DeleteFolder(const std::string& name) const {
  const Status status = files_->DeleteDir(PathOf(name));
  return IsMissing(status) ? Status::OK() : Failed("delete", name, status);
}

Result<std::vector<std::string>> ObjectStore::ListNames(const std::string& folder) const {
  arrow::fs::FileSelector selector;
  selector.base_dir = PathOf(folder);
  selector.allow_not_found = true;
  const auto found = files_->GetFileInfo(selector);
  PT_TRY(Failed("list", folder, found.status()));
  std::vector<std::string> names;
  for (const arrow::fs::FileInfo& each : *found) {
    if (each.type() == arrow::fs::FileType::File) names.push_back(each.base_name());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace protium
