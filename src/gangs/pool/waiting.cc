// SPDX-License-Identifier: Apache-2.0
#include "pool/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace protium {
namespace {

constexpr size_t kHoldersShown = 2;

// Only what is missing, of the first kind: "2 cores".
Amount FirstOf(const Amount& amount, const Amount& missing) {
  if (missing.cores > 0) return {.cores = amount.cores};
  if (missing.bytes > 0) return {.bytes = amount.bytes};
  return {.devices = amount.devices};
}

// What is needed of all that is missing.
Amount OnlyMissing(const Amount& need, const Amount& missing) {
  return {missing.cores > 0 ? need.cores : 0, missing.bytes > 0 ? need.bytes : 0,
          missing.devices > 0 ? need.devices : 0};
}

// "nightly (pid 411) holds 2, yields after its current step; hourly holds 1; and 3 others".
std::string HoldersText(const PoolMachine& machine, const std::vector<KnownClaim>& claims,
                        const SeatPlan& plan, const Amount& missing) {
  const auto held = [&](size_t i) {
    return FirstOf(NeedOf(claims[i].wish, claims[i].workers(), machine), missing);
  };
  const auto yields = [&](size_t i) { return plan.line(i).workers < claims[i].workers(); };
  std::vector<size_t> holders;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!(held(i) == Amount{})) holders.push_back(i);
  }
  std::ranges::stable_sort(holders, [&](size_t a, size_t b) {
    const auto rank = [&](size_t i) { return std::pair(!yields(i), Parts(Amount{} - held(i))); };
    return rank(a) < rank(b);
  });
  std::string text;
  for (size_t i = 0; i < std::min(holders.size(), kHoldersShown); ++i) {
    const size_t each = holders[i];
    const Amount amount = held(each);
    text += fmt::format("{}{} holds {}", i == 0 ? "" : "; ", claims[each].wish.who,
                        amount.bytes > 0 ? BytesText(double(amount.bytes))
                                         : std::to_string(amount.cores + amount.devices));
    if (yields(each)) {
      text += plan.line(each).workers == 0 ? ", pauses after its current step"
                                           : ", yields after its current step";
    }
  }
  const size_t others = holders.size() - std::min(holders.size(), kHoldersShown);
  return others > 0 ? text + fmt::format("; and {}", Counted(int64_t(others), "other")) : text;
}

std::string NeverText(const std::string& needed, int32_t workers, const std::string& has) {
  return fmt::format("needs {} for {}: this machine has {}", needed, Counted(workers, "worker"),
                     has);
}

}  // namespace

std::string WhyItWaits(const PoolMachine& machine, const std::vector<KnownClaim>& claims,
                       const SeatPlan& plan, const Amount& free, size_t claim) {
  const Claim& wish = claims[claim].wish;
  const Amount need = NeedOf(wish, wish.min, machine);
  const Amount missing = Missing(need, free);
  const auto at = std::ranges::find(plan.order(), claim);
  const auto ahead = std::ranges::count_if(plan.order().begin(), at, [&](size_t each) {
    return plan.line(each).verdict != SeatPlan::Verdict::kGranted;
  });
  std::string text;
  if (missing == Amount{}) {
    text = fmt::format("waiting for {}: what is free is kept for those ahead", AmountText(need));
  } else {
    const Amount some = FirstOf(free, missing);
    const bool any = some.cores > 0 || some.bytes > 0 || some.devices > 0;
    const std::string holders = HoldersText(machine, claims, plan, missing);
    text = fmt::format("waiting for {}", AmountText(OnlyMissing(need, missing)));
    if (any) text += fmt::format(", {} free", AmountText(some));
    if (!holders.empty()) text += ": " + holders;
  }
  return ahead == 0 ? text : text + fmt::format("; {} ahead of you", ahead);
}

std::optional<std::string> WhyNever(const PoolMachine& machine, const Claim& wish) {
  const Amount& one = wish.per_worker;
  if (wish.min < 1 || wish.max < wish.min) {
    return fmt::format("asks for {} to {} workers", wish.min, wish.max);
  }
  if (one.cores < 0 || one.bytes < 0 || one.devices < 0) {
    return fmt::format("asks for {} cores, {} bytes, {} devices a worker", one.cores, one.bytes,
                       one.devices);
  }
  if (!(wish.weight > 0) || !std::isfinite(wish.weight)) {
    return fmt::format("has the weight {}, which is not above 0", wish.weight);
  }
  // As floating point, which does not overflow.
  const auto needed = [&](int64_t each) { return double(each) * wish.min; };
  if (!wish.shares_cores && needed(one.cores) > machine.cores) {
    return NeverText(fmt::format("{:.0f} cores", needed(one.cores)), wish.min,
                     std::to_string(machine.cores));
  }
  if (machine.bytes > 0 && needed(one.bytes) > double(machine.bytes)) {
    return NeverText(BytesText(needed(one.bytes)), wish.min, BytesText(double(machine.bytes)));
  }
  if (needed(one.devices) > double(machine.devices.size())) {
    return NeverText(fmt::format("{:.0f} devices", needed(one.devices)), wish.min,
                     std::to_string(machine.devices.size()));
  }
  return std::nullopt;
}

}  // namespace protium
