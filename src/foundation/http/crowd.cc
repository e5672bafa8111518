// SPDX-License-Identifier: Apache-2.0
#include "http/crowd.h"

#include <tuple>

namespace protium {

Crowd::Id Crowd::Enter(const std::string& address, Time now) {
  const auto known = addresses_.try_emplace(address, 0).first;
  known->second += 1;
  members_.emplace(next_, Member{.address = known, .since = now});
  return next_++;
}

void Crowd::Leave(Id id) {
  const auto found = members_.find(id);
  if (found == members_.end()) return;
  Hold(id, 0);
  const auto address = found->second.address;
  if (--address->second == 0) addresses_.erase(address);
  members_.erase(found);
}

void Crowd::Move(Id id, Stage stage, Time now) {
  const auto found = members_.find(id);
  if (found == members_.end()) return;
  found->second.stage = stage;
  found->second.since = now;
}

void Crowd::Hold(Id id, size_t bytes) {
  const auto found = members_.find(id);
  if (found == members_.end()) return;
  held_bytes_ += bytes - found->second.bytes;
  found->second.bytes = bytes;
}

bool Crowd::GoesBefore(const Member& a, const Member& b) {
  const auto order = [](const Member& m) {
    return std::tuple(m.stage, -int64_t(m.address->second), m.since);
  };
  return order(a) < order(b);
}

std::optional<Crowd::Id> Crowd::Choose(size_t least_bytes) const {
  auto chosen = members_.end();
  for (auto each = members_.begin(); each != members_.end(); ++each) {
    const Member& member = each->second;
    if (member.stage == Stage::kComputing || member.bytes < least_bytes) continue;
    if (chosen == members_.end() || GoesBefore(member, chosen->second)) chosen = each;
  }
  return chosen == members_.end() ? std::nullopt : std::optional(chosen->first);
}

}  // namespace protium
