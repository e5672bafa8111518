// SPDX-License-Identifier: Apache-2.0
#include "run/summary.h"

#include <string>
#include <utility>

namespace protium {

namespace fs = std::filesystem;

namespace {

Json ReadProgress(const RunEntry& entry) {
  if (entry.header.state == RunState::kDone) return {};
  const auto events = ReadEvents(entry.folder / "events.jsonl");
  return events.ok() ? ProgressOf(MakeRunView(*events)) : Json();
}

}  // namespace

Json ReadJson(const fs::path& file) {
  Result<std::string> text = ReadTextFile(file);
  if (!text.ok()) return Json::object();
  Result<Json> json = ParseJson(*text);
  return json.ok() && json->is_object() ? json.MoveValueUnsafe() : Json::object();
}

Json ReadResult(const fs::path& run) { return ReadJson(run / "result.json"); }

Json RunAsJson(const fs::path& run) {
  Json json = ReadJson(run / "run.json");
  json["folder"] = run.string();
  if (json.value("state", "") == "running" && !IsLocked(run)) json["state"] = "cut off";
  json["result"] = ReadResult(run);
  json["job"] = ReadJson(run / "job.json");
  return json;
}

Json ProgressOf(const RunView& view) {
  if (view.steps == 0) return {};
  Json progress = {{"step", view.step},
                   {"steps", view.steps},
                   {"epoch", view.epoch},
                   {"epochs", view.epochs},
                   {"checkpoint", view.checkpoint}};
  if (view.trees) progress["trees"] = true;
  return progress;
}

Json SummaryOfRun(const RunEntry& entry) {
  Json json = {{"run", entry.folder.filename().string()},
               {"state", entry.state()},
               {"started", entry.header.started},
               {"ended", entry.header.ended},
               {"folder", entry.folder.string()},
               {"tags", entry.labels.tags},
               {"note", entry.labels.note}};
  Json progress = ReadProgress(entry);
  if (!progress.is_null()) json["progress"] = std::move(progress);
  const Json result = ReadResult(entry.folder);
  json["metrics"] = result.value("metrics", Json::object());
  const Json seconds = result.value("seconds", Json());
  json["seconds"] = seconds.is_object() ? seconds.value("total", Json()) : Json();
  return json;
}

}  // namespace protium
