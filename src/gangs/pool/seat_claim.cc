// SPDX-License-Identifier: Apache-2.0
#include "pool/seat_claim.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "pool/place.h"
#include "pool/pool_client.h"

namespace protium {

namespace {

// How often a gang looks for a pool that was started after it.
constexpr std::chrono::seconds kAttachEvery{2};
constexpr std::chrono::seconds kNextTime{1};
constexpr std::chrono::milliseconds kNextTick{20};
// Longer than any gang that works lets pass before it looks (workers/yielding.h).
constexpr std::chrono::milliseconds kAdoptTime{300};
constexpr size_t kLongestName = 300;
constexpr double kMostClaimed = 1e18;  // Of all workers of a claim.

}  // namespace

Json ClaimToJson(const Claim& wish) {
  return {{"who", wish.who},
          {"label", wish.label},
          {"min", wish.min},
          {"max", wish.max},
          {"cores", wish.per_worker.cores},
          {"bytes", wish.per_worker.bytes},
          {"priority", wish.priority},
          {"weight", wish.weight}};
}

Result<Claim> ClaimFromJson(const Json& json) {
  const auto number = [&](const char* key, int64_t otherwise) {
    return int32_t(std::clamp<int64_t>(WholeAt(json, key, otherwise), INT32_MIN, INT32_MAX));
  };
  Claim claim{.who = TextAt(json, "who").substr(0, kLongestName),
              .label = TextAt(json, "label").substr(0, kLongestName),
              .min = number("min", 0),
              .max = number("max", 0),
              .per_worker = {.cores = number("cores", 1), .bytes = WholeAt(json, "bytes")},
              // Ranks of this machine share cores where there are too few (gang/placement.h).
              .shares_cores = true,
              .priority = number("priority", 0),
              .weight = NumberAt(json, "weight", 1)};
  const Amount& each = claim.per_worker;
  const bool countable = each.bytes >= 0 && double(each.bytes) * claim.max <= kMostClaimed;
  if (claim.min < 1 || claim.max < claim.min || each.cores < 0 || !countable ||
      !(claim.weight > 0)) {
    return Status::Invalid("a claim to seats is out of range");
  }
  return claim;
}

void SeatClaim::Attach() {
  const auto now = Clock::now();
  if (socket_.empty() || given_up_ || link_ || now < attach_at_) return;
  attach_at_ = now + (now < next_by_ ? Clock::duration(kNextTick) : kAttachEvery);
  auto connection = ConnectToPool(socket_, now + kPoolPatience);
  const bool connected = connection.ok();
  auto link = connected ? AttachOver(std::move(*connection), wish_.who)
                        : Result<std::unique_ptr<Link>>(connection.status());
  if (link.ok()) link_ = std::move(*link);
  // Why is said where the workers come from (PoolClient).
  if (!link.ok()) given_up_ = FaultOf(link.status()).exit != Exit::kInput;
  // It has ended since: another may follow.
  if (connected && !link_ && !given_up_ && now >= next_by_) next_by_ = now + kNextTime;
  now_.arbitrated = link_ != nullptr;
}

// The gang goes on as it is.
void SeatClaim::Lose() {
  next_by_ = Clock::now() + kNextTime;
  attach_at_ = {};
  link_.reset();
  asked_ = false;
  now_ = {.granted = now_.granted, .most = wish_.max};
}

void SeatClaim::Send(const Json& message) {
  if (link_ && !link_->Send(message).ok()) Lose();
}

void SeatClaim::Ask() {
  const std::lock_guard lock(mutex_);
  attach_at_ = {};
  Attach();
  waits_ = true;
  now_.granted = 0;
  now_.why.clear();
  now_.most = wish_.max;
  Json message = ClaimToJson(wish_);
  message["type"] = std::exchange(asked_, true) ? "again" : "claim";
  Send(message);
  // That of a pool that has just ended is not all to be had at once: AwaitNext().
  if (!link_ && Clock::now() >= next_by_) GrantAll();
}

void SeatClaim::GrantAll() {
  waits_ = false;
  now_.granted = wish_.max;
}

void SeatClaim::Adopt() {
  // One that waits claims its seats anew (AwaitNext()); a link alone would not bring it any.
  if (waits_ && !link_) return;
  Attach();
  if (!link_ || asked_ || now_.granted == 0) return;
  asked_ = true;
  Json message = ClaimToJson(wish_);
  message["type"] = "adopt";
  message["workers"] = now_.granted;
  Send(message);
}

SeatOrders SeatClaim::Look(Deadline deadline) {
  const std::lock_guard lock(mutex_);
  Adopt();
  Read(deadline, /*until_held=*/false);
  if (!link_ && waits_) AwaitNext(deadline);
  return now_;
}

// Those that waited for a pool that was restarted must not start all at once.
void SeatClaim::AwaitNext(Deadline deadline) {
  const auto now = Clock::now();
  if (now >= next_by_) return GrantAll();
  std::this_thread::sleep_until(std::min({deadline, next_by_, now + kNextTick}));
  attach_at_ = {};
  Attach();
  if (!link_) return;
  // Those that hold seats say so first.
  std::this_thread::sleep_for(kAdoptTime);
  asked_ = true;
  Json message = ClaimToJson(wish_);
  message["type"] = "claim";
  Send(message);
}

void SeatClaim::Read(Deadline deadline, bool until_held) {
  held_ = false;
  while (link_) {
    const auto frame = link_->Receive(deadline);
    if (!frame.ok() && FaultOf(frame.status()).exit == Exit::kStalled) {
      // One that does not answer is not waited for again.
      if (until_held) Lose();
      return;
    }
    if (!frame.ok() || !*frame) return Lose();
    if ((*frame)->type == "order") Take((*frame)->head);
    if ((*frame)->type == "held") held_ = true;
    if (until_held && held_) return;
    // What has arrived by now is read, too.
    if (!until_held) deadline = Clock::now();
  }
}

void SeatClaim::Take(const Json& order) {
  const std::string& kind = TextAt(order, "kind");
  const auto workers = int32_t(WholeAt(order, "workers"));
  if (kind == "grant") {
    waits_ = false;
    now_.granted += workers;
    now_.why.clear();
    now_.most = wish_.max;
  } else if (kind == "wait") {
    now_.why = TextAt(order, "why");
  } else if (kind == "refuse") {
    now_.refused = TextAt(order, "why");
  } else if (kind == "shrink" || kind == "pause") {
    now_.why = TextAt(order, "why");
    now_.most = kind == "pause" ? 0 : workers;
  }
}

bool SeatClaim::Grow() {
  const std::lock_guard lock(mutex_);
  Adopt();
  const int32_t before = now_.granted;
  Send({{"type", "grow"}});
  Read(Clock::now() + kPoolPatience, /*until_held=*/true);
  if (!link_) ++now_.granted;
  return now_.granted > before;
}

void SeatClaim::GiveBack(int32_t workers) {
  const std::lock_guard lock(mutex_);
  workers = std::min(workers, now_.granted);
  if (workers == 0) return;
  now_.granted -= workers;
  Send({{"type", "give_back"}, {"workers", workers}});
  Read(Clock::now() + kPoolPatience, /*until_held=*/true);
  // It has made the room that it was asked for.
  if (now_.granted <= now_.most) now_.most = wish_.max;
}

}  // namespace protium
