// SPDX-License-Identifier: Apache-2.0
#include "os/leases.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/fault.h"
#include "base/json.h"
#include "os/own_folder.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr auto kFolderTime = std::chrono::seconds(10);  // Holders release the folder soon.

// Held until the descriptor closes.
Result<UniqueFd> LockFolder(const fs::path& folder) {
  for (const fs::path& each : {folder.parent_path(), folder}) {
    PT_TRY(MakeOwnFolder(each, "for device leases", 022));
  }
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return SystemFault("open " + folder.string(), errno);
  const Deadline deadline = Clock::now() + kFolderTime;
  // flock(2) has no deadline of its own; the folder is held for moments only, so trying every 5 ms
  // is enough.
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return SystemFault("lock " + folder.string(), errno);
    if (Clock::now() >= deadline) {
      return Fail({.exit = Exit::kStalled,
                   .what = "another process keeps the folder for device leases locked",
                   .where = folder.string()});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return fd;
}

// Addresses may contain a slash, as those of MIG devices do.
fs::path LeasePath(const fs::path& folder, const std::string& kind, std::string address) {
  std::replace(address.begin(), address.end(), '/', '+');
  return folder / (kind + "-" + address);
}

// Reads a lease's holder, which may not have been written yet.
HeldDevice HolderIn(int fd, const std::string& address) {
  HeldDevice held{.address = address, .who = "another process"};
  std::string text(1000, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(size_t(std::max<ssize_t>(0, got)));
  const auto json = ParseJson(text);
  if (!json.ok() || !json->is_object()) return held;
  const Json who = json->value("who", Json());
  const Json pid = json->value("pid", Json());
  const Json priority = json->value("priority", Json());
  if (!who.is_string() || !pid.is_number_integer()) return held;
  held.who = who.get<std::string>() + " of pid " + std::to_string(pid.get<int64_t>());
  if (priority.is_number_integer()) held.priority = priority.get<int32_t>();
  return held;
}

// Returns who holds its lock, if anybody; removes a file that was left behind.
std::optional<HeldDevice> Inspect(const fs::path& path, const std::string& address) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return std::nullopt;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return HolderIn(fd.get(), address);
  ::unlink(path.c_str());
  return std::nullopt;
}

// Files of wishes for the device are beside its lease: "gpu-0.wish-1", "gpu-0.wish-2".
std::vector<fs::path> WishesBeside(const fs::path& lease) {
  const std::string prefix = lease.filename().string() + ".wish-";
  std::vector<fs::path> wishes;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(lease.parent_path(), ignored)) {
    if (each.path().filename().string().starts_with(prefix)) wishes.push_back(each.path());
  }
  return wishes;
}

// Adds the device to `held` if another process holds it; removes a file that was left behind. A
// killed process leaves its file but not its lock, which the kernel releases with the last
// descriptor.
Status InspectLease(const fs::path& path, const std::string& address,
                    std::vector<HeldDevice>& held) {
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno == ENOENT) return Status::OK();
  if (!fd) return SystemFault("open " + path.string(), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
    ::unlink(path.c_str());
  } else {
    held.push_back(HolderIn(fd.get(), address));
  }
  return Status::OK();
}

// The same for a device that nobody holds and that somebody with a higher priority wishes for.
void InspectWishes(const fs::path& lease, const std::string& address, int32_t priority,
                   std::vector<HeldDevice>& held) {
  for (const fs::path& each : WishesBeside(lease)) {
    auto wish = Inspect(each, address);
    if (!wish || wish->priority <= priority) continue;
    wish->who = "the wish of " + wish->who;
    return held.push_back(std::move(*wish));
  }
}

Result<Lease> Take(const fs::path& path, const std::string& address, const LeaseTaker& taker) {
  // O_EXCL: an existing file is not ours, whoever made it.
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return SystemFault("make " + path.string(), errno);
  // Nobody else takes the lock of a new file; whoever looks for wishes releases it at once.
  if (::flock(fd.get(), LOCK_EX) != 0) return SystemFault("lock " + path.string(), errno);
  Lease lease(address, path, std::move(fd));
  const std::string text =
      Dump({{"who", taker.who}, {"pid", ::getpid()}, {"priority", taker.priority}}) + "\n";
  if (::write(lease.fd(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return SystemFault("write " + path.string(), errno);
  }
  return lease;
}

}  // namespace

Lease::~Lease() {
  // Before the descriptor closes and releases the lock: afterwards the name could be that of a new
  // holder's file.
  if (fd_) ::unlink(path_.c_str());
}

Result<std::vector<Lease>> TakeLeases(const fs::path& folder, const std::string& kind,
                                      const std::vector<std::string>& addresses,
                                      const LeaseTaker& taker, const ChooseDevices& choose) {
  PT_LET(const UniqueFd lock, LockFolder(folder));
  std::vector<HeldDevice> held;
  for (const std::string& each : addresses) {
    const size_t before = held.size();
    const fs::path path = LeasePath(folder, kind, each);
    PT_TRY(InspectLease(path, each, held));
    if (held.size() == before) InspectWishes(path, each, taker.priority, held);
  }
  PT_LET(const auto chosen, choose(held));
  std::vector<Lease> leases;
  for (const std::string& each : chosen) {
    PT_LET(Lease lease, Take(LeasePath(folder, kind, each), each, taker));
    leases.push_back(std::move(lease));
  }
  return leases;
}

Result<std::vector<Lease>> WishForLeases(const fs::path& folder, const std::string& kind,
                                         const std::vector<std::string>& addresses,
                                         const LeaseTaker& taker) {
  PT_LET(const UniqueFd lock, LockFolder(folder));
  std::vector<Lease> wishes;
  for (const std::string& each : addresses) {
    const fs::path lease = LeasePath(folder, kind, each);
    int number = 1;
    fs::path path;
    do {
      path = lease.string() + ".wish-" + std::to_string(number++);
    } while (Inspect(path, each));
    PT_LET(Lease wish, Take(path, each, taker));
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

std::optional<HeldDevice> FindWish(const std::vector<const Lease*>& leases, int32_t priority) {
  std::optional<HeldDevice> found;
  for (const Lease* lease : leases) {
    for (const fs::path& each : WishesBeside(lease->path())) {
      const UniqueFd fd(::open(each.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      // A shared lock, so that two processes that look at the same time do not take each other for
      // its owner.
      if (!fd || ::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) continue;
      HeldDevice wish = HolderIn(fd.get(), lease->address());
      if (wish.priority > (found ? found->priority : priority)) found = std::move(wish);
    }
  }
  return found;
}

// Not TMPDIR: jobs with different ones still share the devices.
fs::path LeaseFolder() {
  return fs::path("/tmp") / ("protium-" + std::to_string(::geteuid())) / "leases";
}

}  // namespace protium
