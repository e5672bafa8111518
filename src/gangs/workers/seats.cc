// SPDX-License-Identifier: Apache-2.0
#include "workers/seats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "base/units.h"
#include "os/devices.h"
#include "os/machine.h"
#include "pool/place.h"
#include "protium/events.h"

namespace protium {

namespace {

// How long a discovery script may take.
constexpr auto kDiscoveryTime = std::chrono::seconds(20);
// How soon a stop is noticed while a gang waits for the pool.
constexpr std::chrono::milliseconds kGrantTick{50};
// Events say that anyway.
constexpr std::string_view kWaiting = "waiting ";

Holding MakeHolding(const Placement& placement, const std::string& who) {
  Holding holding{.who = who};
  for (const Seat& seat : placement.seats) {
    holding.cores += seat.cores;
    holding.gpus.insert(holding.gpus.end(), seat.gpus.begin(), seat.gpus.end());
  }
  return holding;
}

// What other processes hold, as one holding for each of them.
void AddOthers(const std::vector<HeldDevice>& held, Host& host) {
  for (const HeldDevice& each : held) {
    auto found = std::ranges::find(host.holdings, each.who, &Holding::who);
    if (found == host.holdings.end()) found = host.holdings.insert(found, {.who = each.who});
    found->gpus.push_back({"gpu", each.address});
  }
}

Status NoPlace(const std::string& who, const std::string& why) {
  return Fail({.exit = Exit::kStalled, .what = who + " got no workers in time", .why = why});
}

// Waits until the pool grants the claim; returns the number of seats.
Result<int32_t> AwaitGrant(SeatClaim& claim, const std::string& who, const Call& call) {
  claim.Ask();
  for (std::string reason;;) {
    const SeatOrders orders = claim.Look(Clock::now() + kGrantTick);
    if (orders.granted > 0) return orders.granted;
    if (!orders.refused.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = who + " " + orders.refused,
                   .fix = "set gang.workers or gang.cores_per_worker lower"});
    }
    std::string why = orders.why;
    if (why.starts_with(kWaiting)) why.erase(0, kWaiting.size());
    if (!why.empty() && std::exchange(reason, why) != why) call.Send(Waiting{why, who});
    if (call.stop.stop_requested()) return Status::Cancelled("stopped while waiting: ", why);
    if (Clock::now() >= call.deadline) return NoPlace(who, why);
  }
}

}  // namespace

Seats::Seats(SeatSettings settings)
    : settings_(std::move(settings)),
      host_{.name = HostName(),
            .cores = settings_.strict > 0 ? settings_.strict : ReadMachine().cores,
            .strict = settings_.strict > 0} {}

Seats::Taken::~Taken() {
  if (seats_ == nullptr) return;
  if (claim_ != nullptr) claim_->GiveBack(size());
  const std::lock_guard lock(seats_->mutex_);
  Release();
}

void Seats::Taken::Release() {
  // The lease ends with the descriptors: those that workers inherited are closed by now, since a
  // gang's workers with devices end with their task.
  seats_->holdings_.erase(holding_);
  leases_.clear();
  seats_->changed_.notify_all();
  seats_ = nullptr;
}

Placement Seats::Taken::placement() const {
  Placement numbered = placement_;
  for (size_t i = 0; i < numbered.seats.size(); ++i) numbered.seats[i].rank = int32_t(i);
  return numbered;
}

Result<std::optional<Seat>> Seats::Taken::TakeMore(const GangSpec& gang) {
  GangSpec one = gang;
  one.workers = 1;
  Wait wait;
  const std::lock_guard lock(seats_->mutex_);
  PT_LET(auto more, seats_->TryTake(one, holding_->who, wait));
  if (more == nullptr) return std::optional<Seat>();
  if (claim_ != nullptr && !claim_->Grow()) {
    more->Release();
    return std::optional<Seat>();
  }
  // Merges it into this one.
  const Seat seat = more->placement_.seats.front();
  placement_.seats.push_back(seat);
  leases_.splice(leases_.end(), more->leases_);
  holding_->cores += more->holding_->cores;
  std::ranges::move(more->holding_->gpus, std::back_inserter(holding_->gpus));
  seats_->holdings_.erase(more->holding_);
  more->seats_ = nullptr;
  return std::optional(seat);
}

void Seats::Taken::GiveBack(const Seat& seat) {
  if (Drop(seat) && claim_ != nullptr) claim_->GiveBack(1);
}

bool Seats::Taken::Drop(const Seat& seat) {
  const auto same = [&](const Seat& each) {
    return std::ranges::equal(each.gpus, seat.gpus, {}, &Device::address, &Device::address);
  };
  const std::lock_guard lock(seats_->mutex_);
  const auto found = std::ranges::find_if(placement_.seats, same);
  if (found == placement_.seats.end()) return false;
  holding_->cores -= found->cores;
  for (const Device& gpu : found->gpus) {
    std::erase_if(holding_->gpus, [&](const Device& each) { return each.address == gpu.address; });
    std::erase_if(leases_, [&](const Lease& each) { return each.address() == gpu.address; });
  }
  placement_.seats.erase(found);
  seats_->changed_.notify_all();
  return true;
}

SeatOrders Seats::Taken::Orders() const {
  return claim_ == nullptr ? SeatOrders{} : claim_->Look(Clock::now());
}

bool Seats::Taken::Died(const GangSpec& gang, const Seat& seat, const Call& call) {
  if (gang.quarantine == 0) return false;
  const auto seconds = std::chrono::duration<double>(std::min(gang.probation, 1e9));
  const QuarantineTerms terms{.deaths = gang.quarantine,
                              .probation = std::chrono::duration_cast<Clock::duration>(seconds)};
  bool out = false;
  for (const Device& gpu : seat.gpus) {
    std::unique_lock lock(seats_->mutex_);
    const int32_t deaths = seats_->quarantine_.Died(gpu.address, terms, Clock::now());
    lock.unlock();
    if (deaths == 0) continue;
    out = true;
    call.Send(
        Warning{fmt::format("{} {} is left out for {:g} s (gang.probation): {} worker{} "
                            "died on it (gang.quarantine)",
                            gpu.name, gpu.address, gang.probation, deaths, PluralOf(deaths))});
  }
  return out;
}

void Seats::Taken::LeaveQuarantined(const GangSpec& gang) {
  const std::vector<Seat> seats = placement_.seats;
  for (const Seat& seat : seats) {
    std::unique_lock lock(seats_->mutex_);
    const bool out = std::ranges::any_of(seat.gpus, [&](const Device& gpu) {
      return seats_->quarantine_.Holds(gpu.address, Clock::now());
    });
    lock.unlock();
    if (!out) continue;
    const auto other = TakeMore(gang);
    const bool taken = other.ok() && *other;
    if (taken || size() > gang.workers.min) GiveBack(seat);
  }
}

std::optional<HeldDevice> Seats::Taken::FindWish(int32_t priority) const {
  const std::lock_guard lock(seats_->mutex_);
  std::vector<const Lease*> own;
  for (const Lease& each : leases_) own.push_back(&each);
  return protium::FindWish(own, priority);
}

int32_t Seats::Taken::size() const {
  const std::lock_guard lock(seats_->mutex_);
  return int32_t(placement_.seats.size());
}

int Seats::Taken::FindLease(const Device& device) const {
  const std::lock_guard lock(seats_->mutex_);
  const auto found = std::ranges::find(leases_, device.address, &Lease::address);
  return found == leases_.end() ? -1 : found->fd();
}

Status Seats::FindDevices(const GangSpec& gang) {
  if (gang.gpus_per_worker <= 0 || devices_known_) return Status::OK();
  DeviceList list;
  if (settings_.discovery.empty()) {
    list = DiscoverByDriver();
  } else {
    PT_LET(list, DiscoverByScript(settings_.discovery, Clock::now() + kDiscoveryTime));
  }
  for (const std::string& address : list.addresses) host_.gpus.push_back({list.name, address});
  devices_known_ = true;
  return Status::OK();
}

Host Seats::HostNow() const {
  Host host = host_;
  host.holdings.assign(holdings_.begin(), holdings_.end());
  for (const Device& gpu : host.gpus) {
    if (!quarantine_.Holds(gpu.address, Clock::now())) continue;
    host.holdings.push_back({.who = "quarantine after deaths of workers", .gpus = {gpu}});
  }
  return host;
}

Result<Placement> Seats::PlaceWhenIdle(const GangSpec& gang) {
  const std::lock_guard lock(mutex_);
  PT_TRY(FindDevices(gang));
  PT_LET(auto answer, Place(gang, {&host_, 1}));
  return std::get<Placement>(std::move(answer));
}

Result<std::string> Seats::WhyNotNow(const GangSpec& gang) {
  const std::lock_guard lock(mutex_);
  PT_TRY(FindDevices(gang));
  Wait wait;
  PT_TRY(Choose(gang, "", nullptr, wait).status());
  return wait.why;
}

// Chooses seats while the folder of leases is locked, so that what was found free is still free
// when it is leased. Sets `placed` if there are seats for all, else `wait`. Returns the leases of
// all seats' devices; none if `placed` is null, which only checks.
Result<std::vector<Lease>> Seats::Choose(const GangSpec& gang, const std::string& who,
                                         std::optional<Placement>* placed, Wait& wait) {
  // TakeLeases calls this while nobody else can take a device: decides from what others hold
  // (`held`) and what this process holds.
  const auto choose = [&](const std::vector<HeldDevice>& held) -> Result<std::vector<std::string>> {
    Host host = HostNow();
    AddOthers(held, host);
    PT_LET(auto answer, Place(gang, {&host, 1}));
    if (auto* later = std::get_if<NotNow>(&answer)) {
      wait = {later->why, held};
      return std::vector<std::string>();
    }
    std::vector<std::string> wanted;
    if (placed == nullptr) return wanted;
    *placed = std::get<Placement>(std::move(answer));
    for (const Device& each : MakeHolding(**placed, who).gpus) wanted.push_back(each.address);
    return wanted;
  };
  // No device, no folder to lock: only this process's holdings count.
  if (gang.gpus_per_worker <= 0) {
    PT_TRY(choose({}).status());
    return std::vector<Lease>();
  }
  // A lease of this process would look like another's, and is known from holdings_ already.
  std::vector<std::string> not_ours;
  for (const Device& gpu : host_.gpus) {
    const bool ours = std::ranges::any_of(holdings_, [&](const Holding& each) {
      return std::ranges::find(each.gpus, gpu.address, &Device::address) != each.gpus.end();
    });
    if (!ours) not_ours.push_back(gpu.address);
  }
  return TakeLeases(Folder(), "gpu", not_ours, {.who = who, .priority = gang.priority}, choose);
}

std::filesystem::path Seats::Folder() const {
  return settings_.leases.empty() ? LeaseFolder() : settings_.leases;
}

// The holder of lowest priority first. More than one is asked only if that was not enough.
std::vector<HeldDevice> Seats::MayWish(const GangSpec& gang, const Wait& wait) {
  const HeldDevice* least = nullptr;
  for (const HeldDevice& each : wait.others) {
    const bool known = each.priority != HeldDevice::kUnknown;
    if (!known || each.priority >= gang.priority) continue;
    if (least == nullptr || each.priority < least->priority) least = &each;
  }
  std::vector<HeldDevice> wished;
  if (least == nullptr) return wished;
  std::ranges::copy_if(wait.others, std::back_inserter(wished),
                       [&](const HeldDevice& each) { return each.who == least->who; });
  return wished;
}

// Returns nullptr and sets `wait` if there are no seats now.
Result<std::unique_ptr<Seats::Taken>> Seats::TryTake(const GangSpec& gang, const std::string& who,
                                                     Wait& wait) {
  PT_TRY(FindDevices(gang));
  std::optional<Placement> placed;
  PT_LET(auto leases, Choose(gang, who, &placed, wait));
  if (!placed) return std::unique_ptr<Taken>();
  auto taken = std::make_unique<Taken>();
  taken->holding_ = holdings_.insert(holdings_.end(), MakeHolding(*placed, who));
  taken->seats_ = this;
  taken->placement_ = std::move(*placed);
  for (Lease& each : leases) taken->leases_.push_back(std::move(each));
  return taken;
}

std::unique_ptr<SeatClaim> Seats::MakeClaim(const GangSpec& gang, const std::string& who) const {
  if (settings_.pool.empty() || gang.gpus_per_worker > 0) return nullptr;
  // What is no size is refused where the gang is placed.
  const int64_t bytes = SizeAt("", gang.memory_per_worker).ValueOr(0);
  Claim wish{.who = settings_.who.empty() ? who : who + " of " + settings_.who,
             .label = PoolLabel(),
             .min = gang.workers.min + gang.servers,
             .max = gang.ranks(),
             .per_worker = {.cores = gang.cores_per_worker, .bytes = bytes},
             .priority = gang.priority};
  return std::make_unique<SeatClaim>(settings_.pool, std::move(wish));
}

// What waits for the pool holds nothing of it, and what holds something of it does not wait for
// anybody of this process: so nobody waits in a circle.
Result<std::unique_ptr<Seats::Taken>> Seats::Take(const GangSpec& gang, const std::string& who,
                                                  const Call& call, SeatClaim* claim) {
  PT_LET(auto taken, TakeHere(gang, who, call));
  if (claim == nullptr) return taken;
  PT_LET(const int32_t granted, AwaitGrant(*claim, who, call));
  taken->claim_ = claim;
  // An elastic gang may have got fewer than would fit here, or more.
  while (taken->size() > granted) taken->Drop(taken->placement_.seats.back());
  claim->GiveBack(granted - taken->size());
  return taken;
}

Result<std::unique_ptr<Seats::Taken>> Seats::TakeHere(const GangSpec& gang, const std::string& who,
                                                      const Call& call) {
  const auto patience = std::chrono::duration<double>(std::min(gang.deadline, 1e6));
  const auto limit = std::chrono::duration_cast<Clock::duration>(patience);
  auto others_deadline = Clock::now() + limit;
  std::string reason, asked;
  std::vector<Lease> wishes;
  std::unique_lock lock(mutex_);
  for (;;) {
    Wait wait;
    PT_LET(auto taken, TryTake(gang, who, wait));
    if (taken) return taken;
    const std::vector<HeldDevice> wished = MayWish(gang, wait);
    if (!wished.empty() && wished.front().who != asked) {
      std::vector<std::string> addresses;
      for (const HeldDevice& each : wished) addresses.push_back(each.address);
      PT_LET(auto more,
             WishForLeases(Folder(), "gpu", addresses, {.who = who, .priority = gang.priority}));
      std::ranges::move(more, std::back_inserter(wishes));
      asked = wished.front().who;
      others_deadline = Clock::now() + limit;
    }
    if (!asked.empty()) wait.why += fmt::format("; {} was asked to make room", asked);
    if (std::exchange(reason, wait.why) != wait.why) call.Send(Waiting{wait.why, who});
    if (call.stop.stop_requested()) return Status::Cancelled("stopped while waiting: ", wait.why);
    const auto now = Clock::now();
    if (now >= call.deadline || (!wait.others.empty() && now >= others_deadline)) {
      return NoPlace(who, wait.why);
    }
    // Other processes send no signal when they return a device, so this polls.
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

}  // namespace protium
