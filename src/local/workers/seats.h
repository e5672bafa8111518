// SPDX-License-Identifier: Apache-2.0
// The seats of this machine: who has its cores and devices, in this process and in others.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "gang/placement.h"
#include "os/leases.h"

namespace protium {

struct SeatSettings {
  int32_t strict = 0;               // "local[4]": 4 seats, no more. 0: as many as gangs ask for.
  std::filesystem::path discovery;  // A script that tells the devices; empty: the driver is asked.
  std::filesystem::path leases;     // The folder of leases; empty: LeaseFolder().
};

// Any thread. Devices are looked for once, when the first gang asks for some.
class Seats {
 public:
  // A gang's places, given back at the end of its life. Must not outlive the seats.
  class Taken {
   public:
    ~Taken();
    const Placement& placement() const { return placement_; }
    // A descriptor that holds the lease of a device for whoever inherits it.
    int LeaseOf(const Device& device) const;

   private:
    friend class Seats;
    Seats* seats_ = nullptr;
    std::list<Holding>::iterator holding_;
    Placement placement_;
    std::vector<Lease> leases_;
  };

  explicit Seats(SeatSettings settings);

  int32_t cores() const { return host_.cores; }
  bool strict() const { return host_.strict; }

  // The gang's places on an idle machine, or a fault that says which number can never fit.
  Result<Placement> Ever(const GangSpec& gang);
  // Why the gang would have to wait at this moment; empty when it would not.
  Result<std::string> WhyNotNow(const GangSpec& gang);
  // Waits until the whole gang has its places, telling whom it waits for. For devices that another
  // process holds it waits gang.deadline seconds; for the rest until the call's deadline.
  Result<std::unique_ptr<Taken>> Take(const GangSpec& gang, const std::string& who,
                                      const Call& call);

 private:
  // Why not now, and whether another process is the reason.
  struct Wait {
    std::string why;
    bool others = false;
  };
  Status FindDevices(const GangSpec& gang);
  Host HostNow() const;
  Result<std::unique_ptr<Taken>> Try(const GangSpec& gang, const std::string& who, Wait& wait);
  Result<std::vector<Lease>> Choose(const GangSpec& gang, const std::string& who,
                                    std::optional<Placement>* placed, Wait& wait);

  const SeatSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Host host_;  // Without holdings.
  bool devices_known_ = false;
  std::list<Holding> holdings_;
};

}  // namespace protium
