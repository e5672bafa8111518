// SPDX-License-Identifier: Apache-2.0
#include "gang/program_peers.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>

namespace protium {

namespace {

// Between two gatherings: short at first, for programs that end at once.
constexpr std::chrono::milliseconds kShortest{1}, kLongest{50};

}  // namespace

ProgramPeers::ProgramPeers(Communicator& communicator, int wake)
    : communicator_(communicator),
      wake_(wake),
      thread_([this](const std::stop_token& stop) { Gather(stop); }) {}

ProgramPeers::~ProgramPeers() = default;

void ProgramPeers::ReportEnd(bool failed) {
  const std::lock_guard lock(mutex_);
  state_ = failed ? State::kFailed : State::kEnded;
  at_ = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  changed_.notify_all();
}

ProgramPeers::View ProgramPeers::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void ProgramPeers::Gather(const std::stop_token& stop) {
  auto pause = kShortest;
  while (Round()) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, pause, [this] { return state_ != told_; });
    if (stop.stop_requested()) return;
    pause = std::min(2 * pause, kLongest);
  }
}

bool ProgramPeers::Round() {
  std::string own;
  {
    const std::lock_guard lock(mutex_);
    told_ = state_;
    own = char(state_) + std::to_string(at_);
  }
  const auto told = communicator_.AllGather(own);
  const std::lock_guard lock(mutex_);
  View view = told.ok() ? ViewOf(*told) : View{.status = told.status(), .first = {}, .over = true};
  const bool news = view.over || view.first != view_.first;
  view_ = std::move(view);
  if (news) ::eventfd_write(wake_, 1);
  return !view_.over;
}

ProgramPeers::View ProgramPeers::ViewOf(const std::vector<std::string>& told) const {
  View view{.over = true};
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (size_t rank = 0; rank < told.size(); ++rank) {
    const auto state = State(told[rank].empty() ? 'r' : told[rank][0]);
    if (state == State::kRuns) view.over = false;
    if (state != State::kFailed) continue;
    const int64_t at = std::strtoll(told[rank].c_str() + 1, nullptr, 10);
    if (at < earliest) earliest = at, view.first = int32_t(rank);
  }
  return view;
}

}  // namespace protium
