// SPDX-License-Identifier: Apache-2.0
#include "app/run/requests.h"

#include <memory>
#include <utility>

#include "base/fault.h"
#include "job/frames.h"
#include "os/file.h"
#include "pipeline/estimator_kind.h"
#include "protium/session.h"
#include "store/store_folder.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// What prepare() leaves for run(): they are called one after the other, and the frames belong to
// the session passed to prepare().
struct Prepared {
  Job job;
  std::optional<JobFrames> frames;
};

// Ranks' deadline also applies to workers that fit stages or score.
double WorkerDeadline(const Job& job) {
  const GangSpec none;
  if (!job.estimator) return none.deadline;
  const auto found = FindEstimator(job.pipeline->stages(), job.catalogue);
  return found.ok() ? (*found)->options.gang.deadline : none.deadline;
}

// Adds the files named by texts in `json`, such as weights to start from or a net; their paths
// start at `base`.
void AddFilesNamed(const Json& json, const fs::path& base, std::vector<fs::path>& files) {
  if (json.is_structured()) {
    for (const Json& each : json) AddFilesNamed(each, base, files);
  }
  if (!json.is_string() || json.get_ref<const std::string&>().empty()) return;
  const fs::path path = base / json.get_ref<const std::string&>();
  if (IsRegularFile(path)) files.push_back(path);
}

// The files that a run reads besides its tables. The models of its SQL add themselves when they are
// loaded.
std::vector<fs::path> FilesOf(const Job& job) {
  std::vector<fs::path> files = {fs::absolute(job.settings.file)};
  files.insert(files.end(), job.file.extensions.begin(), job.file.extensions.end());
  if (!job.file.engine.discovery.empty()) files.emplace_back(job.file.engine.discovery);
  AddFilesNamed(job.file.pipeline, job.file.data, files);
  return files;
}

// The settings of --set are not passed on: they are already part of the job. A program's settings
// are passed on, since only its run can ask for them.
SessionOptions MakeSessionOptions(const Job& job) {
  SessionOptions options;
  options.engine = job.file.engine.address;
  options.base = job.file.data;
  options.memory_bytes = job.memory_bytes;
  options.rows_memory_bytes = job.rows_memory_bytes;
  options.spill = job.file.engine.spill;
  options.discovery = job.file.engine.discovery;
  options.profile = job.file.run.profile;
  options.engine_options = SettingsFor(options.engine, job.file.engine.own);
  options.worker_deadline = WorkerDeadline(job);
  options.read = FilesOf(job);
  options.store = DefaultStoreFolder();
  return options;
}

// Lists a program's settings in the form of a job's: all that is known of them is what --set gave.
Json ListGivenSettings(const Json& settings) {
  Json list = Json::array();
  for (const auto& [key, value] : settings.items()) {
    list.push_back({{"key", key}, {"value", value}, {"from", "--set"}});
  }
  return list;
}

}  // namespace

Result<RunRequest> RequestForJob(Job job, const Invocation& invocation, const Json& said) {
  RunRequest request{.name = job.file.name, .argv = invocation.argv};
  request.session = MakeSessionOptions(job);
  request.session.catalogue = job.catalogue;
  request.description = {{"kind", "job"},
                         {"file", fs::absolute(job.settings.file).lexically_normal().string()},
                         {"job", job.ToJson()}};
  const auto prepared = std::make_shared<Prepared>(Prepared{.job = std::move(job)});
  request.prepare = [prepared, said](Session& session, Json& description) -> Status {
    PT_LET(prepared->frames, OpenJob(session, prepared->job));
    PT_LET(description["plan"], PlanJob(session, prepared->job, *prepared->frames));
    if (description["plan"].contains("kept")) {
      for (Json& each : description["plan"]["kept"]) each.erase("causes");
    }
    description["settings"] =
        said.is_array()
            ? said
            : ListSettings(prepared->job, description["plan"].value("pipeline", Json()));
    description["versions"] = Versions();
    return Status::OK();
  };
  request.run = [prepared](Session& session) {
    return RunJob(session, prepared->job, *prepared->frames);
  };
  return request;
}

RunRequest RequestForProgram(const Invocation& invocation, const Json& settings,
                             const fs::path& base, const std::string& engine) {
  RunRequest request{.name = invocation.name, .argv = invocation.argv};
  request.resume_command = invocation.argv[0] + " resume";
  request.session.engine = engine;
  request.session.base = base;
  request.session.store = DefaultStoreFolder();
  request.session.catalogue = invocation.program->catalogue;
  for (const auto& [key, value] : settings.items()) request.session.settings[key] = value;
  request.description = {{"kind", "program"},     {"program", invocation.argv[0]},
                         {"engine", engine},      {"base", base.string()},
                         {"values", settings},    {"settings", ListGivenSettings(settings)},
                         {"versions", Versions()}};
  request.prepare = [](Session&, Json&) { return Status::OK(); };
  request.run = invocation.program->run;
  request.watch = invocation.program->watch;
  return request;
}

Result<Json> SettingsFrom(const std::vector<std::string>& sets) {
  Json settings = Json::object();
  for (const std::string& words : sets) {
    PT_LET(const Assignment assignment, ReadAssignment(words));
    // A folder called 2013 is a path, not a number.
    settings[assignment.path] =
        assignment.path == "data" ? Json(assignment.text) : assignment.value;
  }
  return settings;
}

}  // namespace protium
