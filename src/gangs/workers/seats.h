// SPDX-License-Identifier: Apache-2.0
// The seats of this machine: who holds its cores and devices, in this process and in others.
// Devices are leased through files (os/leases.h), so that two drivers on one machine never share
// one. Cores are counted in this process, and between processes by the pool if there is one
// (pool/seat_claim.h).
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
#include "pool/seat_claim.h"

namespace protium {

struct SeatSettings {
  // "local[4]": 4 cores and no more. 0: as many as a gang requests.
  int32_t strict = 0;
  // A script that prints the devices, as Spark's do; empty: use the driver library.
  std::filesystem::path discovery;
  // Folder of the leases; empty: LeaseFolder().
  std::filesystem::path leases;
  // The pool's socket; empty: other processes do not matter for cores.
  std::filesystem::path pool;
  // What the pool shows of this process: its run.
  std::string who;
};

// Thread-safe. Searches for devices once, when the first gang requests some.
class Seats {
 public:
  // A gang's seats, given back by its destructor. Must not outlive the Seats. One thread, except
  // where noted.
  class Taken {
   public:
    ~Taken();
    // Ranks are numbered from 0.
    Placement placement() const;
    // Takes a seat for one more worker of the gang, if there is room now. Any thread.
    Result<std::optional<Seat>> TakeMore(const GangSpec& gang);
    // A rank of the gang died on the seat. Returns whether its devices are left out from now on,
    // for gang.probation seconds; if so, prints a warning.
    bool Died(const GangSpec& gang, const Seat& seat, const Call& call);
    // Replaces seats whose devices are in quarantine; if there are no others, gives them back as
    // far as gang.workers allows. The processes on them must have ended.
    void LeaveQuarantined(const GangSpec& gang);
    // Returns who of higher priority wishes for a device of these seats, if anybody. Any thread.
    std::optional<HeldDevice> FindWish(int32_t priority) const;
    // What the pool says about the gang; nobody arbitrates if it has no claim. Any thread.
    SeatOrders Orders() const;
    bool has_claim() const { return claim_ != nullptr; }
    // The present number of seats. Any thread.
    int32_t size() const;
    // Gives one seat back before the others. Processes that inherited leases of its devices must
    // have ended.
    void GiveBack(const Seat& seat);
    // Returns a descriptor that holds the device's lease for whoever inherits it; -1 if the device
    // is not one of ours. Any thread.
    int FindLease(const Device& device) const;

   private:
    friend class Seats;
    // Frees one seat in this process; false if the gang has no such seat.
    bool Drop(const Seat& seat);
    // Frees all of them in this process. The mutex is held.
    void Release();
    Seats* seats_ = nullptr;
    SeatClaim* claim_ = nullptr;  // Null: of a gang with devices, which are leased.
    std::list<Holding>::iterator holding_;
    Placement placement_;
    std::list<Lease> leases_;
  };

  explicit Seats(SeatSettings settings);

  int32_t cores() const { return host_.cores; }
  bool strict() const { return host_.strict; }

  // Returns the gang's seats on the idle machine, or an error (kUsage) that names the number that
  // can never fit.
  Result<Placement> PlaceWhenIdle(const GangSpec& gang);
  // Returns why the gang would have to wait now; empty if it would not.
  Result<std::string> WhyNotNow(const GangSpec& gang);
  // Waits until the whole gang has its seats, all or none; sends Waiting whenever the reason
  // changes. Waits gang.deadline seconds for devices that another process holds, for anything else
  // until the call's deadline; then returns kStalled. `who` is what others read as the holder. If
  // processes with gangs of lower gang.priority hold devices, wishes for those of one process after
  // another: see Taken::FindWish(). With a claim it waits for the pool, too, until the call's
  // deadline; the claim must outlive what is returned.
  Result<std::unique_ptr<Taken>> Take(const GangSpec& gang, const std::string& who,
                                      const Call& call, SeatClaim* claim = nullptr);
  // The gang's claim, before and between its attempts; null if the pool has no say in it.
  std::unique_ptr<SeatClaim> MakeClaim(const GangSpec& gang, const std::string& who) const;

 private:
  Result<std::unique_ptr<Taken>> TakeHere(const GangSpec& gang, const std::string& who,
                                          const Call& call);
  // Why not now, and what other processes hold.
  struct Wait {
    std::string why;
    std::vector<HeldDevice> others;
  };
  // Those of one holder's devices that `gang` may wish for.
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
