// SPDX-License-Identifier: Apache-2.0
// The paths below /api/v1/applications, as Spark's monitoring has them.
#include <utility>

#include "page/api.h"
#include "page/executors.h"
#include "page/run_responses.h"
#include "page/spark_rest.h"

namespace protium {

// "?status=running" or "completed", and "?limit=N", as Spark has them.
HttpResponse PageApi::Applications(const HttpRequest& request) {
  const std::string& status = request.Parameter("status");
  const std::string& limit = request.Parameter("limit");
  const bool is_number = limit.find_first_not_of("0123456789") == limit.npos && limit.size() < 9;
  if (!is_number) return Refusal(400, {.what = "\"limit\" must be a whole number"});
  const size_t most = limit.empty() ? size_t(-1) : size_t(std::stoul(limit));
  Json list = Json::array();
  const auto runs = runs_.List();
  for (const Json& each : (*runs)["runs"]) {
    const bool running = TextAt(each, "state") == "running";
    if (!status.empty() && (status == "running") != running) continue;
    if (list.size() < most) list.push_back(SparkApplication(each));
  }
  return JsonResponse(list);
}

Result<Json> PageApi::ExecutorsOfRun(LiveRun& run, Json& overview) {
  PT_LET(overview, OverviewOf(run));
  PT_LET(const Json gangs,
         run.WithStory([](const RunStory& story, int64_t) { return story.Gangs(); }));
  return ExecutorsOf(gangs, overview);
}

Result<Json> PageApi::OfApplication(LiveRun& run, std::string_view what) {
  if (what == "environment") return SparkEnvironment(SettingsOf(run.folder()));
  Json overview;
  PT_LET(const Json executors, ExecutorsOfRun(run, overview));
  if (what.empty()) return SparkApplication(overview);
  if (what == "jobs") return SparkJobs(overview, executors);
  if (what == "stages") return SparkStages(overview, executors);
  if (what == "executors") return SparkExecutors(overview, executors, false);
  if (what == "allexecutors") return SparkExecutors(overview, executors, true);
  return Json();
}

}  // namespace protium
