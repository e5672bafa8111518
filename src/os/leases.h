// SPDX-License-Identifier: Apache-2.0
// Who has which device of this machine. A lease is a locked file in a folder of the user's own,
// which says who holds it; when its process ends, however it ends, the kernel gives it back.
//
// 1. Leases are taken only by who holds the lock of the folder.
// 2. A file is removed by its holder, or by a taker (1) who found it unlocked.
// So a file that was made under (1) stays under its name while it is locked.
#pragma once

#include <filesystem>
#include <functional>
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
  // A process that inherits it holds the lease as well, until it ends.
  int fd() const { return fd_.get(); }

 private:
  std::string address_;
  std::filesystem::path path_;
  UniqueFd fd_;
};

struct HeldDevice {
  std::string address;
  std::string who;  // "gang train of pid 123"
};

// Gives the addresses to take, or none, from what is known to be held.
using ChooseDevices =
    std::function<Result<std::vector<std::string>>(const std::vector<HeldDevice>& held)>;

// Takes devices `kind` ("gpu") among `addresses` for `who` ("gang train"), all that `choose` names
// or none. Nobody else can take any while `choose` thinks. `folder` is made when it is missing and
// refused when others could write to it.
Result<std::vector<Lease>> TakeLeases(const std::filesystem::path& folder, const std::string& kind,
                                      const std::vector<std::string>& addresses,
                                      const std::string& who, const ChooseDevices& choose);

// Where the leases of this user on this machine are, for all jobs: /tmp/protium-<user id>/leases.
std::filesystem::path LeaseFolder();

}  // namespace protium
