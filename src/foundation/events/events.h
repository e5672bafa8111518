// SPDX-License-Identifier: Apache-2.0
// The events of include/protium/events.h as JSON, the form in which they cross processes and lie in
// events.jsonl, and those that only our own rooms read. Fields and events that are not declared
// survive, since what passes events on passes on their JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event.h"
#include "base/json.h"
#include "protium/events.h"

namespace protium {

// Never fails, since files of other versions are read as well: a field that is missing or of
// another type keeps its default, and what is no known event becomes an OtherEvent.
Event EventFromJson(const Json& json);

// Whether `json` is such an event.
template <IsEvent E>
bool Is(const Json& json) {
  return TextAt(json, "event") == E::kName;
}

// With its metrics as fields of its own.
Json EventToJson(const Validated& event);
// With its value.
Json EventToJson(const Reported& event);

// The plan stands, and its first rows are about to be read. The file has the fields of the preview
// (model/preview.h) beside these, and "search" where there is one.
struct PipelinePlaced {
  static constexpr std::string_view kName = "pipeline";
  Json preview = Json::object();  // Its fields are fields of the event.
  template <class Visit>
  void Fields(Visit&) {}
};
Json EventToJson(const PipelinePlaced& event);

// How an engine ran a query: its operators, and where more can be seen of it.
struct QueryRan {
  static constexpr std::string_view kName = "engine_plan";
  std::string name;                // As EtlProgress::name.
  Json measured = Json::object();  // "seconds", "operators" and more; fields of the event.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
  }
};
Json EventToJson(const QueryRan& event);

// EtlProgress of a cluster, which counts tasks.
struct ClusterProgress {
  static constexpr std::string_view kName = EtlProgress::kName;
  std::string name;
  std::optional<double> percent;
  int64_t tasks = 0;  // That are done,
  int64_t of_tasks = 0;
  int64_t running_tasks = 0;
  int64_t read_bytes = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("percent", percent);
    visit("tasks", tasks);
    visit("of_tasks", of_tasks);
    visit("running_tasks", running_tasks);
    visit("read_bytes", read_bytes);
  }
};

// A file is on its way to the cluster. Sent again as it gets on.
struct Uploading {
  static constexpr std::string_view kName = "upload";
  std::string name;
  int64_t bytes = 0;  // That are there,
  int64_t of_bytes = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("bytes", bytes);
    visit("of_bytes", of_bytes);
  }
};

// The cluster has what its workers lacked.
struct BundleSent {
  static constexpr std::string_view kName = "sent";
  std::string what;  // "the program", "LibTorch"
  int64_t bytes = 0;
  double seconds = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("what", what);
    visit("bytes", bytes);
    visit("seconds", seconds);
  }
};

// An elastic gang lost a member, or a newcomer before it came in.
struct RankLost {
  static constexpr std::string_view kName = "rank_lost";
  int32_t rank = 0;
  std::string why;
  bool newcomer = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("why", why);
    visit("newcomer", newcomer);
  }
};

// A newcomer to an elastic gang has its seat.
struct MemberStarted {
  static constexpr std::string_view kName = "member_start";
  int32_t rank = 0;
  int64_t pid = 0;
  std::string log;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("pid", pid);
    visit("log", log);
  }
};

// An elastic gang is called to a new generation.
struct GangChanged {
  static constexpr std::string_view kName = "gang_change";
  int64_t generation = 0;
  int64_t world = 0;
  std::vector<int32_t> members;
  bool cut = false;  // At once, and not after a step.
  std::string why;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("generation", generation);
    visit("world", world);
    visit("members", members);
    visit("cut", cut);
    visit("why", why);
  }
};

// The members of a generation have caught up with each other and go on.
struct GangEntered {
  static constexpr std::string_view kName = "gang_entered";
  int64_t step = 0;
  int32_t world = 0;
  bool after_death = false;
  double pause_seconds = 0;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("world", world);
    visit("after_death", after_death);
    visit("pause_seconds", pause_seconds);
  }
};

// Where the time of each rank went in the steps since the event before; lists have an entry a rank,
// in seconds.
struct RankSeconds {
  static constexpr std::string_view kName = "lanes";
  int64_t step = 0;   // The last one.
  int64_t count = 0;  // Steps.
  std::vector<double> seconds;
  Json parts = Json::object();  // A list for each of kStepParts (train/step_times.h).
  std::vector<double> wait;     // Of "reduce", what a rank waited for others.
  std::vector<double> held;     // That others waited for this rank, the mean over them.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("step", step);
    visit("count", count);
    visit("seconds", seconds);
    visit("parts", parts);
    visit("wait", wait);
    visit("held", held);
  }
};

// Scored, with what its metrics are made of: states that can be merged over partitions.
struct ScoredStates {
  static constexpr std::string_view kName = Scored::kName;
  Json model;
  Json diagnostics;
  std::optional<Json> baseline;
  std::optional<int64_t> unseen_rows;  // Of classes that were never learned.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("model", model);
    visit("diagnostics", diagnostics);
    visit("baseline", baseline);
    visit("unseen_rows", unseen_rows);
  }
};

// A rank that is a program has printed whole lines, safe to print again.
struct Printed {
  static constexpr std::string_view kName = "printed";
  int32_t rank = 0;
  int32_t stream = 1;  // 1 or 2.
  std::string text;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rank", rank);
    visit("stream", stream);
    visit("text", text);
  }
};
Printed PrintedOf(const Json& event);

}  // namespace protium
