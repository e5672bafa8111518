// SPDX-License-Identifier: Apache-2.0
#include "workers/members.h"

#include <algorithm>
#include <utility>

namespace protium {

Result<Member*> Members::Add(const std::function<Result<std::unique_ptr<Member>>()>& start) {
  const std::lock_guard lock(mutex_);
  if (closed_) return nullptr;
  PT_LET(auto member, start());
  return members_.emplace_back(std::move(member)).get();
}

void Members::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool Members::CloseIfDone() {
  const std::lock_guard lock(mutex_);
  const bool done = AllAreDone();
  closed_ = closed_ || done;
  return done;
}

std::vector<Member*> Members::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<Member*> all;
  for (const auto& each : members_) all.push_back(each.get());
  return all;
}

std::vector<Member*> Members::Running() const {
  std::vector<Member*> running = All();
  std::erase_if(running, [](const Member* each) { return each->done.load(); });
  return running;
}

Member* Members::Find(int32_t rank) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(members_, rank, [](const auto& each) { return each->rank(); });
  return found == members_.end() ? nullptr : found->get();
}

int32_t Members::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int32_t>(members_.size());
}

bool Members::AllDone() const {
  const std::lock_guard lock(mutex_);
  return AllAreDone();
}

bool Members::AllAreDone() const {
  return std::ranges::all_of(members_, [](const auto& each) { return each->done.load(); });
}

}  // namespace protium
