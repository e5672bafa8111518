// SPDX-License-Identifier: Apache-2.0
#include "run/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "events/events.h"

namespace protium {
namespace {

constexpr size_t kMostIntervals = 2048;
constexpr size_t kLately = 30;  // Intervals: half a minute of a short training.
constexpr size_t kMostRanks = 4096, kMostKinds = 16;  // Only damaged files have more.
constexpr double kLeastSeconds = 1;                   // Less says nothing about a rank.
constexpr double kLeastShare = 0.05;  // Of the time: a smaller share is not worth reporting.

void AddTo(std::vector<double>& sums, const std::vector<double>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

// Returns nothing for anything but a list of seconds.
std::vector<double> ReadSeconds(const Json& json) {
  std::vector<double> seconds;
  if (!json.is_array() || json.size() > kMostRanks) return seconds;
  for (const Json& each : json) {
    const double value = each.is_number() ? each.get<double>() : 0;
    seconds.push_back(std::isfinite(value) && value > 0 && value < 1e9 ? value : 0);
  }
  return seconds;
}

int64_t ReadCount(const Json& json) {
  if (!json.is_number()) return 0;
  const double value = json.get<double>();
  return value > 0 && value < 1e15 ? int64_t(value) : 0;
}

LaneInterval ReadInterval(const Json& event) {
  LaneInterval read{.step = ReadCount(event.value("step", Json())),
                    .count = ReadCount(event.value("count", Json()))};
  read.times.seconds = ReadSeconds(event.value("seconds", Json()));
  read.times.wait = ReadSeconds(event.value("wait", Json()));
  read.times.held = ReadSeconds(event.value("held", Json()));
  const Json parts = event.value("parts", Json());
  if (!parts.is_object() || parts.size() > kMostKinds) return read;
  for (const auto& [name, seconds] : parts.items()) read.times.parts[name] = ReadSeconds(seconds);
  return read;
}

void Join(LaneInterval& into, const LaneInterval& next) {
  into.ended = next.ended;
  into.step = next.step;
  into.count += next.count;
  into.times.Add(next.times);
}

Json PartsToJson(const LaneTimes& times) {
  Json parts = Json::object();
  for (const auto& [name, seconds] : times.parts) parts[name] = seconds;
  return parts;
}

double At(const std::vector<double>& list, size_t rank) {
  return rank < list.size() ? list[rank] : 0;
}

// The median of the other ranks that took part.
double MedianOfOthers(const std::vector<double>& list, const std::vector<size_t>& ranks,
                      size_t but) {
  std::vector<double> others;
  for (const size_t rank : ranks) {
    if (rank != but) others.push_back(At(list, rank));
  }
  const auto middle = others.begin() + std::ptrdiff_t(others.size() / 2);
  std::ranges::nth_element(others, middle);
  return *middle;
}

// The time outside the measured parts.
std::vector<double> Unmeasured(const LaneTimes& times) {
  std::vector<double> rest = times.seconds;
  for (const auto& [name, seconds] : times.parts) {
    for (size_t r = 0; r < rest.size(); ++r) rest[r] = std::max(0.0, rest[r] - At(seconds, r));
  }
  return rest;
}

// Finds the part in which the rank exceeds the others most.
void FindPart(const LaneTimes& times, const std::vector<size_t>& ranks, SlowRank& slow) {
  double longest = 0;
  const auto look = [&](const std::string& name, const std::vector<double>& seconds) {
    const double own = At(seconds, slow.rank), others = MedianOfOthers(seconds, ranks, slow.rank);
    if (own - others <= longest) return;
    longest = own - others;
    slow.part = name;
    slow.ratio = others > 0 ? own / others : 0;
  };
  for (const auto& [name, seconds] : times.parts) {
    if (name != "reduce") look(name, seconds);
  }
  look("other", Unmeasured(times));
}

std::string Advice(const SlowRank& slow, size_t ranks, int64_t shards) {
  if (shards > 0 && shards % int64_t(ranks) != 0) {
    return fmt::format(
        "{} shards are no multiple of {} workers, so some own more: change "
        "train.shards",
        shards, ranks);
  }
  if (slow.part == "rows") {
    return "reading its rows is what takes it: look at the memory and the disk of its host";
  }
  if (slow.part == "checkpoint") {
    return "checkpoints follow each other faster than they are written: save less often "
           "(train.checkpoint; an epoch's end saves too, and more rows make epochs longer)";
  }
  return "look at what else its host runs, and at how many cores it has";
}

std::string InWords(const SlowRank& slow, size_t ranks, int64_t shards) {
  std::string where = slow.part == "other" ? "outside of the parts that are measured"
                                           : fmt::format("in the part \"{}\"", slow.part);
  if (slow.ratio >= 1.05) where += fmt::format(", {:.1f} times as long as the others", slow.ratio);
  return fmt::format("The others wait for rank {} for {:.0f}% of the time. It takes longer {}; {}.",
                     slow.rank, 100 * slow.share, where, Advice(slow, ranks, shards));
}

std::optional<SlowRank> SlowOf(const LaneTimes& times, int64_t shards) {
  std::vector<size_t> ranks;  // Those that own shards.
  for (size_t r = 0; r < times.seconds.size(); ++r) {
    if (times.seconds[r] > 0) ranks.push_back(r);
  }
  if (ranks.size() < 2) return std::nullopt;
  const auto held = [&](size_t rank) { return At(times.held, rank); };
  SlowRank slow{.rank = *std::ranges::max_element(ranks, {}, held)};
  const double seconds = times.seconds[slow.rank];
  double others = 0;
  for (const size_t rank : ranks) others += rank == slow.rank ? 0 : held(rank);
  // Ranks that are alike take turns at being the last.
  const double excess = held(slow.rank) - others / double(ranks.size() - 1);
  if (seconds < kLeastSeconds || excess < kLeastShare * seconds) return std::nullopt;
  slow.share = std::min(1.0, held(slow.rank) / seconds);
  FindPart(times, ranks, slow);
  slow.text = InWords(slow, ranks.size(), shards);
  return slow;
}

}  // namespace

void LaneTimes::Add(const LaneTimes& more) {
  AddTo(seconds, more.seconds);
  AddTo(wait, more.wait);
  AddTo(held, more.held);
  for (const auto& [name, list] : more.parts) {
    if (parts.contains(name) || parts.size() < kMostKinds) AddTo(parts[name], list);
  }
}

void RankLanes::On(const Json& event, double time_ms) {
  const bool begins = Is<TrainStarted>(event);
  if (begins) shards_ = ReadCount(event.value("shards", Json()));
  if (begins || Is<GangEntered>(event)) {
    total_ = {};
    lately_.clear();
  }
  if (!Is<RankSeconds>(event)) return;
  LaneInterval interval = ReadInterval(event);
  interval.ended = time_ms;
  total_.Add(interval.times);
  lately_.push_back(interval.times);
  if (lately_.size() > kLately) lately_.pop_front();
  intervals_.push_back(std::move(interval));
  if (intervals_.size() < kMostIntervals) return;
  for (size_t i = 0; i < kMostIntervals / 2; ++i) {
    if (i > 0) intervals_[i] = std::move(intervals_[2 * i]);
    Join(intervals_[i], intervals_[2 * i + 1]);
  }
  intervals_.resize(kMostIntervals / 2);
}

// The hours before must not hide a rank that has become slow.
std::optional<SlowRank> RankLanes::Slow() const {
  LaneTimes sum;
  for (const LaneTimes& each : lately_) sum.Add(each);
  std::optional<SlowRank> lately = SlowOf(sum, shards_), all = SlowOf(total_, shards_);
  if (!lately || (all && all->rank == lately->rank)) return all;
  lately->text = "Lately: " + lately->text;
  return lately;
}

Json RankLanes::ToJson(size_t most) const {
  const size_t joined =
      std::max<size_t>(1, (intervals_.size() + most - 1) / std::max<size_t>(most, 1));
  Json intervals = Json::array();
  for (size_t i = 0; i < intervals_.size(); i += joined) {
    LaneInterval sum = intervals_[i];
    const size_t end = std::min(intervals_.size(), i + joined);
    for (size_t j = i + 1; j < end; ++j) Join(sum, intervals_[j]);
    intervals.push_back({{"ended", sum.ended},
                         {"step", sum.step},
                         {"count", sum.count},
                         {"seconds", sum.times.seconds},
                         {"wait", sum.times.wait},
                         {"parts", PartsToJson(sum.times)}});
  }
  Json json = {{"intervals", std::move(intervals)},
               {"total",
                {{"seconds", total_.seconds},
                 {"wait", total_.wait},
                 {"held", total_.held},
                 {"parts", PartsToJson(total_)}}},
               {"slow", Json()}};
  if (const auto slow = Slow()) {
    json["slow"] = {{"rank", slow->rank},
                    {"share", slow->share},
                    {"part", slow->part},
                    {"ratio", slow->ratio},
                    {"text", slow->text}};
  }
  return json;
}

}  // namespace protium
