// SPDX-License-Identifier: Apache-2.0
#include "run/folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "os/publish.h"
#include "os/random_letters.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kLargestText = 64 << 20;  // As ReadTextFile() promises.

Status PathFault(const fs::path& path, const char* doing, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return Fail(
      {.exit = full ? Exit::kNoRoom : Exit::kEnvironment,
       .what = fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(error))});
}

std::string FileName(const std::string& name) {
  std::string safe;
  for (const char c : name.substr(0, 64)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    safe.push_back(fits ? c : '-');
  }
  return safe.empty() ? "run" : safe;
}

std::string FolderName(const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{}-{:%Y%m%d-%H%M%S}-{}", FileName(name), parts, RandomLetters(4));
}

// Takes the lock. Readers hold it for a moment to see whether anybody has it (IsLocked): they are
// not another job, so this waits for them.
bool TakeLock(int lock) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace

RunFolder::RunFolder(fs::path path, int lock) : path_(std::move(path)), lock_(lock) {}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_ / "spill", ignored);
  close(lock_);
}

// Takes the lock before anything else in the folder is touched. flock belongs to the open file, not
// to a path or a process id: it is released when the last descriptor is closed, also by SIGKILL,
// and a stale lock file means nothing. O_CLOEXEC prevents workers from holding it longer than the
// driver.
Result<std::unique_ptr<RunFolder>> RunFolder::Enter(const fs::path& folder) {
  const int lock = open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return PathFault(folder / "lock", "open", errno);
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // The name of "runs/x/" is "x".
  std::unique_ptr<RunFolder> run(new RunFolder(std::move(path), lock));
  if (!TakeLock(lock)) {
    const Result<RunHeader> header = ReadRunHeader(folder);
    const std::string who =
        header.ok() ? fmt::format(" (process {}, since {})", header->pid, header->started) : "";
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("{} is in use by another job{}", folder.string(), who),
                 .fix = "wait for it, or stop it first",
                 .kept = "nothing in the folder was changed"});
  }
  for (const char* part : {"logs", "checkpoints"}) PT_TRY(MakeFolder(run->path_ / part));
  PT_LET(run->events_, EventLog::Open(run->path_ / "events.jsonl"));
  return run;
}

Result<std::unique_ptr<RunFolder>> RunFolder::Create(const fs::path& runs, const std::string& name,
                                                     std::vector<std::string> argv) {
  PT_TRY(MakeFolder(runs));
  // create_directory fails without an error if the name is taken: then draws again.
  for (int tries = 0; tries < 20; ++tries) {
    const fs::path folder = runs / FolderName(name);
    std::error_code error;
    if (!fs::create_directory(folder, error)) {
      if (error) return PathFault(folder, "make folder", error.value());
      continue;
    }
    PT_LET(std::unique_ptr<RunFolder> run, Enter(folder));
    PT_TRY(run->Begin({.name = name, .started = TimeText(), .argv = std::move(argv)}));
    return run;
  }
  return PathFault(runs, "find a free name in", EEXIST);
}

Result<std::unique_ptr<RunFolder>> RunFolder::Reopen(const fs::path& folder,
                                                     std::vector<std::string> argv) {
  PT_LET(RunHeader header, ReadRunHeader(folder));
  PT_LET(std::unique_ptr<RunFolder> run, Enter(folder));
  header.argv = std::move(argv);
  header.ended.clear();
  PT_TRY(run->Begin(std::move(header)));
  return run;
}

Status RunFolder::Begin(RunHeader header) {
  header_ = std::move(header);
  header_.state = RunState::kRunning;
  header_.pid = getpid();
  return WriteFile("run.json", Pretty(FieldsToJson(header_)) + "\n");
}

// The usual order for an atomic and durable replacement: write beside, fsync, rename, fsync the
// folder. Without the first fsync, a crash may leave the new name with an empty file.
Status RunFolder::WriteFile(const std::string& name, const std::string& text) const {
  const fs::path file = path_ / name;
  const fs::path part = path_ / ("." + name + ".part");
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return PathFault(part, "write", errno);
  int error = 0;
  for (size_t done = 0; done < text.size() && error == 0;) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) error = errno;
    if (n > 0) done += static_cast<size_t>(n);
  }
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(part.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return SyncFolder(path_);
  unlink(part.c_str());
  return PathFault(file, "write", error);
}

Status RunFolder::Finish(RunState state) {
  std::error_code ignored;
  fs::remove_all(path_ / "spill", ignored);
  header_.state = state;
  header_.ended = TimeText();
  return WriteFile("run.json", Pretty(FieldsToJson(header_)) + "\n");
}

Result<RunHeader> ReadRunHeader(const fs::path& folder) {
  const fs::path file = folder / "run.json";
  if (!fs::exists(file)) {
    return Fail({.exit = Exit::kInput,
                 .what = folder.string() + " is not the folder of a run",
                 .where = file.string() + " does not exist",
                 .fix = "protium runs list"});
  }
  PT_LET(const std::string text, ReadTextFile(file));
  RunHeader header;
  Result<Json> json = ParseJson(text);
  Status status = json.ok() ? FieldsFromJson(*json, "", header) : json.status();
  if (status.ok()) return header;
  return Fail(
      {.exit = Exit::kInput, .what = "damaged file " + file.string(), .why = FaultOf(status).what});
}

// Tries a shared lock, which only an exclusive one prevents, and releases it by closing. Two
// readers at the same time do not affect each other.
bool IsLocked(const fs::path& folder) {
  const int fd = open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return taken;
}

Result<std::string> ReadTextFile(const fs::path& file) {
  std::error_code ignored;
  // Opening a pipe would wait.
  if (const auto status = fs::status(file, ignored);
      fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    return Fail({.exit = Exit::kInput, .what = file.string() + " is not a regular file"});
  }
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = in ? static_cast<uintmax_t>(in.tellg()) : 0;
  if (!in || size > kLargestText) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("cannot read {}: {}", file.string(),
                                     in ? "larger than 64 MiB" : std::strerror(errno))});
  }
  std::string text(size, '\0');
  in.seekg(0);
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

}  // namespace protium
