// SPDX-License-Identifier: Apache-2.0
#include "pool/shares.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace protium {

Amount operator+(const Amount& a, const Amount& b) {
  return {a.cores + b.cores, a.bytes + b.bytes, a.devices + b.devices};
}

Amount operator-(const Amount& a, const Amount& b) {
  return {a.cores - b.cores, a.bytes - b.bytes, a.devices - b.devices};
}

bool operator==(const Amount& a, const Amount& b) { return Parts(a) == Parts(b); }

std::array<int64_t, 3> Parts(const Amount& amount) {
  return {amount.cores, amount.bytes, amount.devices};
}

Amount WholeOf(const PoolMachine& machine) {
  return {machine.cores, machine.bytes, int64_t(machine.devices.size())};
}

Amount NeedOf(const Claim& wish, int32_t workers, const PoolMachine& machine) {
  const Amount& one = wish.per_worker;
  Amount need = {one.cores * workers, machine.bytes > 0 ? one.bytes * workers : 0,
                 one.devices * workers};
  if (wish.shares_cores) need.cores = std::min<int64_t>(need.cores, machine.cores);
  return need;
}

std::optional<Amount> QuotaOf(const PoolMachine& machine, const std::string& label) {
  const auto found = machine.quotas.find(label);
  if (label.empty() || found == machine.quotas.end()) return std::nullopt;
  Amount quota = found->second;
  if (quota.bytes == 0 && machine.bytes > 0 && machine.cores > 0) {
    quota.bytes = int64_t(double(machine.bytes) * double(quota.cores) / machine.cores);
  }
  return quota;
}

bool Fits(const Amount& need, const Amount& room) { return Missing(need, room) == Amount{}; }

Amount Missing(const Amount& need, const Amount& room) {
  const auto missing = [](int64_t wanted, int64_t there) {
    return wanted > 0 ? std::max<int64_t>(wanted - there, 0) : 0;
  };
  return {missing(need.cores, room.cores), missing(need.bytes, room.bytes),
          missing(need.devices, room.devices)};
}

bool Helps(const Amount& freed, const Amount& missing) {
  return (missing.cores > 0 && freed.cores > 0) || (missing.bytes > 0 && freed.bytes > 0) ||
         (missing.devices > 0 && freed.devices > 0);
}

double DominantShare(const Amount& used, const Amount& whole) {
  const auto share = [](int64_t part, int64_t all) {
    return all > 0 ? double(part) / double(all) : 0;
  };
  return std::max({share(used.cores, whole.cores), share(used.bytes, whole.bytes),
                   share(used.devices, whole.devices)});
}

std::string AmountText(const Amount& amount) {
  std::string text;
  const auto add = [&](int64_t count, const std::string& part) {
    if (count != 0) text += (text.empty() ? "" : " and ") + part;
  };
  add(amount.cores, Counted(amount.cores, "core"));
  add(amount.bytes, BytesText(double(amount.bytes)));
  add(amount.devices, Counted(amount.devices, "device"));
  return text.empty() ? "nothing" : text;
}

}  // namespace protium
