// SPDX-License-Identifier: Apache-2.0
// The seats of this machine: who holds its cores and devices, in this process and in others. Cores
// are counted in this process only; devices are leased through files (os/leases.h), so that two
// drivers of a machine never share one.
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
#include "gang/quarantine.h"
#include "os/leases.h"

namespace protium {

struct SeatSettings {
  // "local[4]": 4 cores and no more. 0: as many as a gang asks for.
  int32_t strict = 0;
  // A script that prints the devices, as Spark's do; empty: the driver library is asked.
  std::filesystem::path discovery;
  // Folder of the leases; empty: LeaseFolder().
  std::filesystem::path leases;
};

// Thread-safe. Devices are looked for once, when the first gang asks for some.
class Seats {
 public:
  // A gang's places, given back when it goes. Must not outlive the Seats. One thread, unless it is
  // said otherwise.
  class Taken {
   public:
    ~Taken();
    // Ranks are numbered from 0.
    Placement placement() const;
    // A place for one more worker of the gang, if there is room at this moment. Any thread.
    Result<std::optional<Seat>> TakeMore(const GangSpec& gang);
    // A rank of the gang died on the seat. Whether its devices are left out from now on, for
    // gang.probation seconds; then prints a warning.
    bool Died(const GangSpec& gang, const Seat& seat, const Call& call);
    // Changes seats whose devices are in quarantine for others; where there are none, gives them
    // back as far as gang.workers allows. The processes on them must have ended.
    void LeaveQuarantined(const GangSpec& gang);
    // Who of a higher priority wishes for a device of these places, if somebody does. Any thread.
    std::optional<HeldDevice> FindWish(int32_t priority) const;
    // How many places there are at present. Any thread.
    int32_t size() const;
    // Gives one place back before the others. Processes that inherited leases of its devices must
    // have ended.
    void GiveBack(const Seat& seat);
    // A descriptor that holds the device's lease for whoever inherits it; -1 if it is not one of
    // ours. Any thread.
    int FindLease(const Device& device) const;

   private:
    friend class Seats;
    Seats* seats_ = nullptr;
    std::list<Holding>::iterator holding_;
    Placement placement_;
    std::list<Lease> leases_;
  };

  explicit Seats(SeatSettings settings);

  int32_t cores() const { return host_.cores; }
  bool strict() const { return host_.strict; }

  // The gang's places on the idle machine, or a Fault of exit kUsage that names the number that can
  // never fit.
  Result<Placement> PlaceWhenIdle(const GangSpec& gang);
  // Why the gang would have to wait at this moment; empty if it would not.
  Result<std::string> WhyNotNow(const GangSpec& gang);
  // Waits until the whole gang has its places, all or none, sending Waiting whenever the reason
  // changes. Waits gang.deadline seconds for devices that another process holds, for anything else
  // until the call's deadline; then exit kStalled. `who` is what others read of the holder.
  // Where processes with gangs of a lower gang.priority hold devices, wishes for those of one of
  // them after the other: see Taken::FindWish().
  Result<std::unique_ptr<Taken>> Take(const GangSpec& gang, const std::string& who,
                                      const Call& call);

 private:
  // Why not now, and what other processes hold.
  struct Wait {
    std::string why;
    std::vector<HeldDevice> others;
  };
  // Of one holder, those that `gang` may wish for.
  static std::vector<HeldDevice> MayWish(const GangSpec& gang, const Wait& wait);
  std::filesystem::path Folder() const;
  // `mutex_` is held in all of these.
  Status FindDevices(const GangSpec& gang);
  Host HostNow() const;
  Result<std::unique_ptr<Taken>> TryTake(const GangSpec& gang, const std::string& who, Wait& wait);
  Result<std::vector<Lease>> Choose(const GangSpec& gang, const std::string& who,
                                    std::optional<Placement>* placed, Wait& wait);

  const SeatSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Host host_;  // Without holdings.
  bool devices_known_ = false;
  std::list<Holding> holdings_;
  Quarantine quarantine_;  // Of devices, by their address.
};

}  // namespace protium
