// SPDX-License-Identifier: Apache-2.0
// Tracks who has which device of this machine. A lease is a locked file in a folder of the user's
// own, which names its holder; when its process ends, however it ends, the kernel releases it.
//
// 1. Only the holder of the folder's lock takes leases.
// 2. A file is removed by its holder, or by a taker (1) that found it unlocked.
//    So a file that was made under (1) stays under its name while it is locked.
// 3. A process that waits for a device may wish for it, likewise by a locked file. A holder with a
//    lower priority checks now and then whether there is a wish, and makes room; meanwhile nobody
//    with a lower priority than the wish can take the device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"

namespace protium {

class Lease {
 public:
  Lease(std::string address, std::filesystem::path path, UniqueFd fd)
      : address_(std::move(address)), path_(std::move(path)), fd_(std::move(fd)) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  const std::string& address() const { return address_; }
  const std::filesystem::path& path() const { return path_; }
  // A process that inherits it also holds the lease, until it ends.
  int fd() const { return fd_.get(); }

 private:
  std::string address_;
  std::filesystem::path path_;
  UniqueFd fd_;
};

// A process that takes or wishes for devices.
struct LeaseTaker {
  std::string who;  // "gang train"
  int32_t priority = 0;
};

struct HeldDevice {
  std::string address;
  std::string who;  // "gang train of pid 123"
  // The priority of a holder that has not written its own yet: it is not asked to make room, and it
  // counts as no wish.
  static constexpr int32_t kUnknown = std::numeric_limits<int32_t>::min();
  int32_t priority = kUnknown;
};

// Returns the addresses to take, or none, given what is known to be held.
using ChooseDevices =
    std::function<Result<std::vector<std::string>>(const std::vector<HeldDevice>& held)>;

// Takes the devices of `kind` ("gpu") among `addresses` that `choose` returns, all or none. Devices
// that somebody with a higher priority wishes for count as held. Nobody else can take any while
// `choose` runs. `folder` is made if it is missing, and refused if others can write to it.
Result<std::vector<Lease>> TakeLeases(const std::filesystem::path& folder, const std::string& kind,
                                      const std::vector<std::string>& addresses,
                                      const LeaseTaker& taker, const ChooseDevices& choose);

// Wishes for these devices until the returned leases, which hold no device, are destroyed.
Result<std::vector<Lease>> WishForLeases(const std::filesystem::path& folder,
                                         const std::string& kind,
                                         const std::vector<std::string>& addresses,
                                         const LeaseTaker& taker);

// The wish with the highest priority above `priority` for any of the leases, if there is one.
std::optional<HeldDevice> FindWish(const std::vector<const Lease*>& leases, int32_t priority);

// The folder of this user's leases on this machine, for all jobs: /tmp/protium-<user id>/leases.
std::filesystem::path LeaseFolder();

}  // namespace protium
