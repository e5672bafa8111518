// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rank_signs.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdio>
#include <set>
#include <utility>

#include "base/fault.h"
#include "os/file.h"

namespace protium {

namespace {

// Names are one of these, the rank, a dash and the number of the task.
constexpr char kReady[] = "here-";
constexpr char kSign[] = "sign-";
// How often a rank that is ready looks for the others.
constexpr std::chrono::milliseconds kLook{10};

std::vector<std::string> NamesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone))
    names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

std::optional<int32_t> SeenSigns::RankIn(const std::string& name, const std::string& prefix) const {
  int rank = 0;
  long task = 0;
  const bool read = name.starts_with(prefix) &&
                    std::sscanf(name.c_str() + prefix.size(), "%d-%ld", &rank, &task) == 2;
  const bool ours = task > options_.task - options_.world && rank >= 0 && rank < options_.world;
  return read && ours ? std::optional(rank) : std::nullopt;
}

int32_t SeenSigns::CountReady() const {
  std::set<int32_t> ranks;
  for (const std::string& name : NamesIn(options_.folder)) {
    if (const auto rank = RankIn(name, kReady)) ranks.insert(*rank);
  }
  return static_cast<int32_t>(ranks.size());
}

// File times would be on another machine's clock, so a change is detected by reading again.
std::optional<int32_t> SeenSigns::FindSilent(Deadline now) {
  for (const std::string& name : NamesIn(options_.folder)) {
    const auto rank = RankIn(name, kSign);
    if (!rank || *rank == options_.rank) continue;
    const auto text = ReadFile(options_.folder / name, 64);
    if (!text.ok()) continue;
    const auto [at, first] = seen_.try_emplace(name, Sign{*text, now});
    if (!first && *text != at->second.text) at->second = {*text, now};
    if (now - at->second.changed >= options_.deadline) return rank;
  }
  return std::nullopt;
}

RankSigns::RankSigns(SeenSigns::Options options, std::stop_token stop,
                     std::chrono::milliseconds period)
    : options_(std::move(options)),
      stopped_(std::move(stop), [this] { over_.request_stop(); }),
      others_(options_),
      thread_([this, period](const std::stop_token& ended) { Watch(ended, period); }) {}

bool RankSigns::AwaitReady(Deadline latest) {
  const std::string name = fmt::format("{}{}-{}", kReady, options_.rank, options_.task);
  if (!WriteFile(options_.folder / name, "").ok()) return false;
  while (others_.CountReady() < options_.world) {
    if (over().stop_requested() || Clock::now() >= latest) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

Status RankSigns::silence() const {
  const std::scoped_lock lock(mutex_);
  if (!silent_) return Status::OK();
  return Fail({.exit = Exit::kStalled,
               .what = fmt::format("rank {} has given no sign of life for {:g} s", *silent_,
                                   double(options_.deadline.count()) / 1000),
               .where = "before the ranks met",
               .fix = "set gang.deadline to a longer time if its machine is that busy"});
}

void RankSigns::Watch(const std::stop_token& ended, std::chrono::milliseconds period) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  do {
    Change();
    Look();
  } while (!wake.wait_for(lock, ended, period, [&] { return ended.stop_requested(); }));
}

// Not written under another name first: a reader that sees half of it sees a change, which it is.
void RankSigns::Change() {
  const std::string name = fmt::format("{}{}-{}", kSign, options_.rank, options_.task);
  (void)WriteFile(options_.folder / name, std::to_string(++changes_));
}

void RankSigns::Look() {
  const auto rank = others_.FindSilent(Clock::now());
  if (!rank) return;
  {
    const std::scoped_lock lock(mutex_);
    silent_ = rank;
  }
  over_.request_stop();
}

}  // namespace protium
