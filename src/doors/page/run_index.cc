// SPDX-License-Identifier: Apache-2.0
#include "page/run_index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "run/summary.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostRuns = 5000;
constexpr size_t kMostStories = 24;
constexpr auto kListAge = std::chrono::milliseconds(900);

// Changes when a file that a summary is made from does.
std::string StampOf(const RunEntry& entry) {
  std::string stamp = entry.state();
  for (const char* name : {"run.json", "result.json", "labels.json", "job.json"}) {
    struct stat info {};
    if (stat((entry.folder / name).c_str(), &info) != 0) continue;
    stamp +=
        fmt::format(" {}:{}:{}:{}", name, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  return stamp;
}

// "local" or the address of a cluster.
Json EngineOf(const fs::path& run) {
  const Json plan = ReadJson(run / "job.json").value("plan", Json());
  return plan.is_object() ? plan.value("engine", Json()) : Json();
}

}  // namespace

std::shared_ptr<const Json> RunIndex::List() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!list_ || now - listed_ > kListAge) {
    list_ = std::make_shared<const Json>(MakeList());
    listed_ = std::chrono::steady_clock::now();
  }
  return list_;
}

Json RunIndex::MakeList() {
  std::vector<RunEntry> entries = ListRuns(runs_);
  std::ranges::reverse(entries);
  const size_t count = std::min(entries.size(), kMostRuns);
  Json runs = Json::array();
  for (size_t i = 0; i < count; ++i) runs.push_back(SummaryOf(entries[i]));
  std::erase_if(kept_,
                [&](const auto& each) { return !fs::exists(runs_ / each.first / "run.json"); });
  std::error_code ignored;
  return {{"folder", fs::absolute(runs_, ignored).lexically_normal().string()},
          {"runs", std::move(runs)},
          {"left_out", entries.size() - count}};
}

// The progress of a running run comes from its story, which reads only what is new.
Json RunIndex::SummaryOf(const RunEntry& entry) {
  const std::string name = entry.folder.filename().string();
  const bool running = entry.state() == "running";
  Kept& kept = kept_[name];
  const std::string stamp = StampOf(entry);
  if (kept.stamp != stamp) {
    RunEntry read = entry;
    if (running) read.header.state = RunState::kDone;  // Otherwise all events would be read here.
    kept.summary = SummaryOfRun(read);
    kept.summary["state"] = entry.state();
    kept.summary["engine"] = EngineOf(entry.folder);
    kept.stamp = stamp;
  }
  Json summary = kept.summary;
  const auto run = running ? Find(name) : nullptr;
  if (run == nullptr) return summary;
  const auto progress =
      run->WithStory([](const RunStory& story, int64_t) { return ProgressOf(story.view()); });
  if (progress.ok() && !progress->is_null()) summary["progress"] = *progress;
  return summary;
}

std::shared_ptr<LiveRun> RunIndex::Find(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
      name.find('\0') != name.npos) {
    return nullptr;
  }
  std::error_code error;
  if (!fs::is_regular_file(runs_ / name / "run.json", error)) return nullptr;
  const std::lock_guard lock(stories_mutex_);
  const auto found = std::ranges::find_if(
      stories_, [&](const auto& each) { return each->folder().filename() == name; });
  if (found != stories_.end()) {
    stories_.splice(stories_.begin(), stories_, found);
  } else {
    stories_.push_front(std::make_shared<LiveRun>(runs_ / name));
    if (stories_.size() > kMostStories) stories_.pop_back();
  }
  return stories_.front();
}

}  // namespace protium
