// SPDX-License-Identifier: Apache-2.0
#include "page/spark_rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "run/event_log.h"

namespace protium {

namespace {

Json Member(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

// "2015-02-03T16:42:40.000GMT"
std::string SparkTime(double millis) {
  std::string text = TimeText(static_cast<int64_t>(millis));
  text.pop_back();  // "Z", for which Spark has another word.
  return text + "GMT";
}

void AddTime(Json& json, const char* key, const Json& millis) {
  if (millis.is_number() && millis.get<double>() > 0) json[key] = SparkTime(millis.get<double>());
}

// Returns the status of a part: the last one is still going or is what failed, like the run.
std::string StageStatus(const Json& part, bool last, const std::string& state) {
  if (!last || state == "done") return "COMPLETE";
  if (state == "running") return part.contains("ended") ? "COMPLETE" : "ACTIVE";
  return "FAILED";
}

std::string JobStatus(const std::string& state) {
  if (state == "running") return "RUNNING";
  if (state == "done") return "SUCCEEDED";
  return state == "failed" || state == "cut off" || state == "stopped" ? "FAILED" : "UNKNOWN";
}

// How the tasks of a stage, or of an executor, ended.
struct TaskCounts {
  int64_t all = 0, active = 0, complete = 0, failed = 0;
  double millis = 0;  // For tasks that have ended.

  void Add(const Json& task) {
    ++all;
    if (!task.contains("ended")) {
      ++active;
      return;
    }
    ++(task.value("done", false) ? complete : failed);
    millis += NumberAt(task, "ended", 0) - NumberAt(task, "began", 0);
  }
};

// Counts the ranks that ran in a part; a part that no gang ran has none.
TaskCounts TasksOfPart(const Json& part, const Json& executors) {
  constexpr double kNow = 1e18;
  TaskCounts counts;
  const double began = NumberAt(part, "began", 0), ended = NumberAt(part, "ended", kNow);
  for (const Json& executor : executors) {
    for (const Json& task : executor["tasks"]) {
      if (TextAt(task, "task") != TextAt(part, "name")) continue;
      const bool before = NumberAt(task, "ended", kNow) < began;
      if (!before && NumberAt(task, "began", 0) <= ended) counts.Add(task);
    }
  }
  return counts;
}

}  // namespace

Json SparkApplication(const Json& summary) {
  const double began = ReadTimeText(TextAt(summary, "started")).value_or(0);
  const bool completed = TextAt(summary, "state") != "running";
  const double ended = completed ? ReadTimeText(TextAt(summary, "ended")).value_or(0) : 0;
  Json attempt = {{"completed", completed}, {"startTimeEpoch", int64_t(began)}};
  AddTime(attempt, "startTime", Json(began));
  if (ended > 0) {
    AddTime(attempt, "endTime", Json(ended));
    attempt["endTimeEpoch"] = int64_t(ended);
    attempt["duration"] = int64_t(ended - began);
  }
  return {{"id", TextAt(summary, "run")},
          {"name", TextAt(summary, "run")},
          {"attempts", Json::array({std::move(attempt)})}};
}

Json SparkStages(const Json& overview, const Json& executors) {
  const Json parts = Member(overview, "parts");
  const std::string state = TextAt(overview, "state");
  Json stages = Json::array();
  if (!parts.is_array()) return stages;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Json& part = parts[i];
    const std::string status = StageStatus(part, i + 1 == parts.size(), state);
    Json stage = {{"status", status}, {"stageId", i}, {"attemptId", 0}, {"name", part["name"]}};
    AddTime(stage, "submissionTime", Member(part, "began"));
    AddTime(stage, "completionTime", Member(part, "ended"));
    // A part reads the rows that it works on; ETL is described by the rows it makes.
    if (part.contains("rows")) {
      stage[part["name"] == "etl" ? "outputRecords" : "inputRecords"] = part["rows"];
    }
    if (part["name"] == "etl") stage["inputBytes"] = Member(overview, "input_bytes");
    if (const TaskCounts tasks = TasksOfPart(part, executors); tasks.all > 0) {
      stage.update({{"numTasks", tasks.all},
                    {"numActiveTasks", tasks.active},
                    {"numCompleteTasks", tasks.complete},
                    {"numFailedTasks", tasks.failed},
                    {"executorRunTime", int64_t(tasks.millis)}});
    }
    if (status == "FAILED") stage["failureReason"] = TextAt(Member(overview, "failure"), "what");
    stages.push_back(std::move(stage));
  }
  std::reverse(stages.begin(), stages.end());  // The latest first, as in Spark.
  return stages;
}

Json SparkJobs(const Json& overview, const Json& executors) {
  const Json stages = SparkStages(overview, executors);
  Json ids = Json::array();
  int64_t active = 0, complete = 0, failed = 0;
  TaskCounts tasks;
  for (const Json& stage : stages) {
    ids.push_back(stage["stageId"]);
    active += stage["status"] == "ACTIVE";
    complete += stage["status"] == "COMPLETE";
    failed += stage["status"] == "FAILED";
    tasks.all += stage.value("numTasks", 0);
    tasks.active += stage.value("numActiveTasks", 0);
    tasks.complete += stage.value("numCompleteTasks", 0);
    tasks.failed += stage.value("numFailedTasks", 0);
  }
  Json job = {{"jobId", 0},
              {"name", TextAt(overview, "run")},
              {"stageIds", std::move(ids)},
              {"status", JobStatus(TextAt(overview, "state"))},
              {"numActiveStages", active},
              {"numCompletedStages", complete},
              {"numFailedStages", failed},
              {"numTasks", tasks.all},
              {"numActiveTasks", tasks.active},
              {"numCompletedTasks", tasks.complete},
              {"numFailedTasks", tasks.failed}};
  AddTime(job, "submissionTime", Json(ReadTimeText(TextAt(overview, "started")).value_or(0)));
  AddTime(job, "completionTime", Json(ReadTimeText(TextAt(overview, "ended")).value_or(0)));
  return Json::array({std::move(job)});
}

Json SparkExecutors(const Json& overview, const Json& executors, bool all) {
  Json list = Json::array();
  for (const Json& each : executors) {
    const bool active = each.value("active", false);
    if (!all && !active) continue;
    TaskCounts tasks;
    for (const Json& task : each["tasks"]) tasks.Add(task);
    Json facts = {{"id", each["id"]},
                  {"hostPort", TextAt(each, "host")},
                  {"isActive", active},
                  {"maxTasks", 1},
                  {"activeTasks", active ? tasks.active : 0},
                  {"completedTasks", tasks.complete},
                  {"failedTasks", tasks.failed},
                  {"totalTasks", tasks.all},
                  {"totalDuration", int64_t(tasks.millis)},
                  {"attributes", {{"pid", Dump(Member(each, "pid"))}}}};
    if (Member(each, "peak_bytes").is_number_integer()) {
      facts["peakMemoryMetrics"] = {{"ProcessTreeOtherRSSMemory", each["peak_bytes"]}};
    }
    if (Member(each, "cores").is_number_integer()) facts["totalCores"] = each["cores"];
    AddTime(facts, "addTime", Member(each, "began"));
    AddTime(facts, "removeTime", Member(each, "ended"));
    if (each.contains("why")) facts["removeReason"] = each["why"];
    if (const Json gpus = Member(each, "gpus"); gpus.is_array() && !gpus.empty()) {
      facts["resources"] = {{"gpu", {{"name", "gpu"}, {"addresses", gpus}}}};
    }
    const std::string log = TextAt(each, "log");
    if (const size_t at = log.rfind('/'); !log.empty()) {
      const std::string name = at == log.npos ? log : log.substr(at + 1);
      facts["executorLogs"] = {
          {"stdout", fmt::format("/api/v1/runs/{}/files/logs/{}", TextAt(overview, "run"), name)}};
    }
    list.push_back(std::move(facts));
  }
  return list;
}

Json SparkEnvironment(const Json& settings) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : Dump(value);
  };
  Json properties = Json::array(), versions = Json::array();
  for (const Json& each : Member(settings, "settings")) {
    if (!each.is_object()) continue;
    properties.push_back({TextAt(each, "key"), text(Member(each, "value"))});
  }
  if (const Json all = Member(settings, "versions"); all.is_object()) {
    for (const auto& [name, version] : all.items()) versions.push_back({name, text(version)});
  }
  return {{"sparkProperties", std::move(properties)}, {"systemProperties", std::move(versions)}};
}

}  // namespace protium
