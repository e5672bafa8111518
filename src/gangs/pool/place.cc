// SPDX-License-Identifier: Apache-2.0
#include "pool/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/machine.h"
#include "os/own_folder.h"
#include "os/poll.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int kBacklog = 64;
// Of descriptors that systemd passes.
constexpr int kFirstPassed = 3;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Status CheckFolder(const fs::path& socket) {
  return MakeOwnFolder(socket.parent_path(), "of the pool", 077);
}

Result<sockaddr_un> AddressOf(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() >= sizeof address.sun_path) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the pool's socket has a path of {} characters, of at most {}",
                                     path.size(), sizeof address.sun_path - 1),
                 .where = path,
                 .fix = "name a shorter one: PROTIUM_POOL=/tmp/pool.sock"});
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Result<UniqueFd> NewSocket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return SystemFault("make a socket", errno);
  return fd;
}

fs::path LockOf(const fs::path& socket) { return socket.string() + ".lock"; }

Result<UniqueFd> LockPlace(const fs::path& socket) {
  const fs::path path = LockOf(socket);
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock) return SystemFault("open " + path.string(), errno);
  if (!IsLockedByOthers(lock.get()) && LockFile(lock.get()).ok()) return lock;
  return Fail({.exit = Exit::kUsage,
               .what = "a pool is already running",
               .where = socket.string(),
               .fix = "protium pool status, or protium pool stop"});
}

// The socket that systemd passes to a service with a socket unit (sd_listen_fds(3)).
UniqueFd PassedSocket() {
  if (Variable("LISTEN_PID") != std::to_string(::getpid()) || Variable("LISTEN_FDS") != "1") {
    return UniqueFd();
  }
  ::fcntl(kFirstPassed, F_SETFD, FD_CLOEXEC);
  ::fcntl(kFirstPassed, F_SETFL, O_NONBLOCK);
  return UniqueFd(kFirstPassed);
}

std::string LinkOf(const char* path) {
  std::error_code ignored;
  return fs::read_symlink(path, ignored).string();
}

}  // namespace

fs::path PoolSocket() {
  const std::string own = Variable("PROTIUM_POOL");
  if (own == "off") return {};
  if (!own.empty()) return fs::absolute(own);
  const std::string runtime = Variable("XDG_RUNTIME_DIR");
  if (!runtime.empty()) return fs::absolute(runtime) / "protium" / "pool.sock";
  return fs::path("/tmp") / fmt::format("protium-{}", ::geteuid()) / "pool.sock";
}

std::string PoolLabel() { return Variable("PROTIUM_POOL_LABEL"); }

Result<PoolListener> ListenAsPool(const fs::path& socket) {
  PT_LET(const sockaddr_un address, AddressOf(socket));
  PT_TRY(CheckFolder(socket));
  PoolListener listener;
  PT_LET(listener.lock, LockPlace(socket));
  char served = 0;
  listener.follows = ::pread(listener.lock.get(), &served, 1, 0) == 1;
  listener.socket = PassedSocket();
  listener.passed = bool(listener.socket);
  if (listener.passed) return listener;
  PT_LET(listener.socket, NewSocket());
  // One that a killed pool has left: its lock was free.
  ::unlink(socket.c_str());
  const auto* const at = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(listener.socket.get(), at, sizeof address) != 0 ||
      ::listen(listener.socket.get(), kBacklog) != 0) {
    return SystemFault("listen at " + socket.string(), errno);
  }
  return listener;
}

// A byte in the file that is locked. Where it cannot be written the next pool does not wait.
void NoteServed(const PoolListener& listener, bool served) {
  if (!served) (void)!::ftruncate(listener.lock.get(), 0);
  if (served) (void)!::pwrite(listener.lock.get(), "1", 1, 0);
}

bool IsPlaceFree(const fs::path& socket) {
  const UniqueFd lock(::open(LockOf(socket).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  return !lock || !IsLockedByOthers(lock.get());
}

Result<UniqueFd> ConnectToPool(const fs::path& socket, Deadline deadline) {
  PT_LET(const sockaddr_un address, AddressOf(socket));
  std::error_code ignored;
  const auto none = [&] {
    return Fail({.exit = Exit::kInput,
                 .what = "no pool is running",
                 .where = socket.string(),
                 .fix = "protium pool start"});
  };
  if (!fs::exists(fs::symlink_status(socket, ignored))) return none();
  PT_TRY(CheckFolder(socket));
  PT_LET(UniqueFd fd, NewSocket());
  const auto* const at = reinterpret_cast<const sockaddr*>(&address);
  while (::connect(fd.get(), at, sizeof address) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return none();
    // Its queue is full: it does not answer.
    if (errno != EAGAIN && errno != EINTR) return SystemFault("connect to the pool", errno);
    if (Clock::now() >= deadline) return SystemFault("connect to the pool", ETIMEDOUT);
    ::usleep(5000);
  }
  PT_TRY(PeerOf(fd.get()).status());
  return fd;
}

Result<pid_t> PeerOf(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return SystemFault("see who is at the other end of a socket", errno);
  }
  if (peer.uid == ::geteuid()) return peer.pid;
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("the other end of the pool's socket belongs to user {}, not {}",
                                   peer.uid, ::geteuid()),
               .fix = "each user starts a pool: protium pool start"});
}

Json PlaceOfProcess() {
  std::vector<gid_t> groups(size_t(std::max(0, ::getgroups(0, nullptr))));
  groups.resize(size_t(std::max(0, ::getgroups(int(groups.size()), groups.data()))));
  std::string ids = std::to_string(::getegid());
  for (const gid_t each : groups) ids += " " + std::to_string(each);
  // One that limits nothing is no reason to differ.
  const bool limited = ReadMachine().limited_by_cgroup;
  return {{"process namespace", LinkOf("/proc/self/ns/pid")},
          {"mount namespace", LinkOf("/proc/self/ns/mnt")},
          {"network namespace", LinkOf("/proc/self/ns/net")},
          {"IPC namespace", LinkOf("/proc/self/ns/ipc")},
          {"user namespace", LinkOf("/proc/self/ns/user")},
          {"root folder", LinkOf("/proc/self/root")},
          {"groups", ids},
          {"cgroup", limited ? ReadFile("/proc/self/cgroup").ValueOr("") : ""}};
}

std::string DifferenceOfPlaces(const Json& pools, const Json& drivers) {
  for (const auto& [name, value] : pools.items()) {
    if (!drivers.contains(name) || drivers[name] != value) return "its " + name;
  }
  return "";
}

}  // namespace protium
