// SPDX-License-Identifier: Apache-2.0
// Who has which device of this machine. A lease is a locked file in a folder of the user's own,
// which says who holds it; when its process ends, however it ends, the kernel gives it back.
//
// 1. Leases are taken only by who holds the lock of the folder.
// 2. A file is removed by its holder, or by a taker (1) who found it unlocked.
// So a file that was made under (1) stays under its name while it is locked.
// 3. Who waits for a device may wish for it, by a locked file likewise. Who holds the device with a
//    lower priority looks now and then whether there is a wish, and makes room; nobody of a lower
//    priority than the wish can take the device meanwhile.
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
  // A process that inherits it holds the lease as well, until it ends.
  int fd() const { return fd_.get(); }

 private:
  std::string address_;
  std::filesystem::path path_;
  UniqueFd fd_;
};

// Who takes or wishes for devices.
struct LeaseTaker {
  std::string who;  // "gang train"
  int32_t priority = 0;
};

struct HeldDevice {
  std::string address;
  std::string who;  // "gang train of pid 123"
  // Of a holder that has not written its own yet: nobody asks it to make room, and its wish is
  // none.
  static constexpr int32_t kUnknown = std::numeric_limits<int32_t>::min();
  int32_t priority = kUnknown;
};

// Gives the addresses to take, or none, from what is known to be held.
using ChooseDevices =
    std::function<Result<std::vector<std::string>>(const std::vector<HeldDevice>& held)>;

// Takes devices `kind` ("gpu") among `addresses`, all that `choose` names or none. Those that
// somebody of a higher priority wishes for count as held. Nobody else can take any while `choose`
// thinks. `folder` is made when it is missing and refused when others could write to it.
Result<std::vector<Lease>> TakeLeases(const std::filesystem::path& folder, const std::string& kind,
                                      const std::vector<std::string>& addresses,
                                      const LeaseTaker& taker, const ChooseDevices& choose);

// Wishes for these devices, until the leases go, which hold none of them.
Result<std::vector<Lease>> WishForLeases(const std::filesystem::path& folder,
                                         const std::string& kind,
                                         const std::vector<std::string>& addresses,
                                         const LeaseTaker& taker);

// The wish of the highest priority above `priority` for any of the leases, if there is one.
std::optional<HeldDevice> FindWish(const std::vector<const Lease*>& leases, int32_t priority);

// Where the leases of this user on this machine are, for all jobs: /tmp/protium-<user id>/leases.
std::filesystem::path LeaseFolder();

}  // namespace protium
