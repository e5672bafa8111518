// SPDX-License-Identifier: Apache-2.0
// Writes a trace in Chrome's JSON, which Perfetto opens: the parts of the job as slices, ranks from
// their start to the end of the gang, curves as counters, one-time happenings as instants. Times
// are microseconds on the clock of the driver, which wrote down the events of all hosts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "events/events.h"
#include "export/formats.h"
#include "run/lanes.h"
#include "run/phases.h"

namespace protium {

namespace {

constexpr int kJob = 1, kGang = 2;      // Processes of the trace; those of a gang are its ranks.
constexpr int kParts = 1, kEngine = 2;  // Lanes of the job.

double Micros(double seconds) { return seconds * 1e6; }

Json Name(const char* what, int process, int64_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json Slice(const std::string& name, int process, int64_t thread, double from, double to,
           Json more) {
  return {{"ph", "X"},
          {"name", name},
          {"pid", process},
          {"tid", thread},
          {"ts", Micros(from)},
          {"dur", Micros(std::max(0.0, to - from))},
          {"args", std::move(more)}};
}

class TraceMaker {
 public:
  explicit TraceMaker(const RunFacts& facts) : facts_(facts) {
    for (const Json& event : facts.events) {
      end_ = std::max(end_, SecondsOf(TextAt(event, "time")));
    }
  }

  Json Make() {
    list_ = {Name("process_name", kJob, 0, "run " + facts_.id),
             Name("thread_name", kJob, kParts, "parts of the job"),
             Name("thread_name", kJob, kEngine, "engine"), Name("process_name", kGang, 0, "gang")};
    AddParts();
    for (const Json& event : facts_.events) Take(event);
    CloseRanks(end_);
    AddCounters();
    return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list_)}};
  }

 private:
  void AddParts() {
    for (const Json& event : facts_.events) parts_.On(event);
    for (const RunPart& part : parts_.parts()) {
      Json more = Json::object();
      if (part.rows > 0) more["rows"] = part.rows;
      list_.push_back(Slice(std::string(part.name()), kJob, kParts, part.began / 1000,
                            part.ended / 1000, more));
    }
  }

  void Take(const Json& event) {
    const std::string& name = TextAt(event, "event");
    const double time = SecondsOf(TextAt(event, "time"));
    if (name == GangPlaced::kName) PlaceRanks(event, time);
    if (name == RunEnded::kName || name == AttemptStarted::kName) CloseRanks(time);
    if (name == RankSeconds::kName) AddLanes(event, time);
    if (name == QueryRan::kName) AddEnginePlan(event, time);
    static const std::set<std::string> kOnce = {"checkpoint",  "restart",   "note",
                                                "warning",     "failed",    "output",
                                                "gang_change", "rank_lost", "rank_taken_over"};
    if (!kOnce.contains(name)) return;
    Json more = event;
    more.erase("event");
    more.erase("time");
    list_.push_back({{"ph", "i"},
                     {"name", name},
                     {"pid", kJob},
                     {"tid", kParts},
                     {"ts", Micros(time)},
                     {"s", "p"},
                     {"args", std::move(more)}});
  }

  void PlaceRanks(const Json& event, double time) {
    CloseRanks(time);
    const Json ranks = event.value("ranks", Json());
    task_ = TextAt(event, "task");
    if (ranks.is_array()) ranks_ = ranks;
    began_ = time;
  }

  // Shows what the engine executed as one slice that ends when the engine reported it, with the
  // seconds of its operators; the report does not say when each of these ran.
  void AddEnginePlan(const Json& event, double time) {
    const Json seconds = event.value("seconds", Json());
    const Json operators = event.value("operators", Json());
    if (!seconds.is_number() || !operators.is_array()) return;
    Json sums = Json::object();
    for (const Json& each : operators) {
      const Json taken = each.is_object() ? each.value("seconds", Json()) : Json();
      if (!taken.is_number()) continue;
      const std::string& name = TextAt(each, "name");
      sums[name] = sums.value(name, 0.0) + taken.get<double>();
    }
    const double begin = std::max(engine_free_, time - seconds.get<double>());
    list_.push_back(Slice(TextAt(event, "name"), kJob, kEngine, std::min(begin, time), time,
                          {{"operator_seconds", std::move(sums)}}));
    engine_free_ = time;
  }

  // Shows a rank's seconds of each part, which are sums over the steps of the interval, as one
  // slice per part, one after another, within the interval's time.
  void AddLanes(const Json& event, double time) {
    RankLanes lanes;
    lanes.On(event, time * 1000);
    for (const LaneInterval& interval : lanes.intervals()) {
      for (size_t rank = 0; rank < interval.times.seconds.size(); ++rank) {
        AddLane(interval, rank, time);
      }
    }
  }

  void AddLane(const LaneInterval& interval, size_t rank, double time) {
    double& free = lane_ends_[rank];
    double at = std::max(free, time - interval.times.seconds[rank]);
    for (const auto& [name, seconds] : interval.times.parts) {
      if (rank >= seconds.size() || seconds[rank] <= 0 || at >= time) continue;
      const double end = std::min(time, at + seconds[rank]);
      Json more = {{"steps", interval.count}, {"seconds", seconds[rank]}};
      if (name == "reduce" && rank < interval.times.wait.size()) {
        more["waiting_seconds"] = interval.times.wait[rank];
      }
      list_.push_back(Slice(name, kGang, int64_t(rank) + 1, at, end, std::move(more)));
      at = end;
    }
    free = at;
  }

  // When the ranks ended their task. No event reports that for training: scoring follows it.
  double TaskEnd(double time) const {
    for (const RunPart& part : parts_.parts()) {
      const double ended = part.ended / 1000;
      if (part.name() == task_ && part.over && ended > began_ && ended < time) return ended;
    }
    return time;
  }

  void CloseRanks(double at) {
    const double time = TaskEnd(at);
    for (const Json& rank : ranks_) {
      const Json number = rank.is_object() ? rank.value("rank", Json()) : Json();
      const int64_t thread = number.is_number() ? number.get<int64_t>() + 1 : 1;
      list_.push_back(Name("thread_name", kGang, thread,
                           fmt::format("rank {} on {}", thread - 1, TextAt(rank, "host"))));
      const auto lane = lane_ends_.find(size_t(thread) - 1);
      const double last = lane == lane_ends_.end() ? time : std::max(time, lane->second);
      list_.push_back(Slice(task_, kGang, thread, began_, std::min(at, last), rank));
    }
    ranks_ = Json::array();
  }

  void AddCounters() {
    for (const auto& [name, points] : facts_.series) {
      for (const SeriesPoint& point : points) {
        if (!std::isfinite(point.value)) continue;
        list_.push_back({{"ph", "C"},
                         {"name", name},
                         {"pid", kJob},
                         {"tid", 0},
                         {"ts", Micros(point.time)},
                         {"args", {{"value", point.value}}}});
      }
    }
  }

  const RunFacts& facts_;
  RunPhases parts_;
  Json list_ = Json::array();
  Json ranks_ = Json::array();  // Of the gang that is placed.
  std::string task_;
  double began_ = 0;
  double end_ = 0;
  double engine_free_ = 0;              // The engine's lane is occupied up to here.
  std::map<size_t, double> lane_ends_;  // By rank: its lane is occupied up to here.
};

}  // namespace

Exported WriteTrace(const RunFacts& facts) {
  return {.bytes = Dump(TraceMaker(facts).Make()) + "\n",
          .left_out = {
              "when each operator of the engine ran: it tells their seconds, which stand in its "
              "slices",
              "single steps of ranks: the run keeps sums of a second and more, so "
              "within such a slice the order of parts is not what it was"}};
}

}  // namespace protium
