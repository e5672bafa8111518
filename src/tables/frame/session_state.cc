// SPDX-License-Identifier: Apache-2.0
// How a session opens: the run folder is made, then the inputs of an earlier attempt are compared
// with the disk (so a resumed run is refused before anything starts), and then the engine is
// opened. Settings are checked late, when something runs, because it is not known before which of
// them anything asks for.
#include "frame/session_state.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/open.h"
#include "frame/outputs.h"
#include "os/file.h"

namespace protium {
namespace {

// [{"task", "ranks": [{"rank", "host", "cores", "gpus"}], "note"}], one entry per gang.
Json ListGangs(const Json& placement) {
  Json gangs = Json::array();
  for (const Json& each : placement) {
    Json gang = {{"task", each.value("task", "")}};
    const Json seats = each.value("ranks", Json());
    if (seats.is_object()) gang.update(seats);
    gangs.push_back(std::move(gang));
  }
  return gangs;
}

}  // namespace

// Settings come flat ("train.epochs") and as tables ("train" = {...}); the map's order puts "train"
// first, so the flat ones override the table.
Json CollectSettings(const SessionOptions& options, const std::string& group) {
  Json all = Json::object();
  for (const auto& [key, value] : options.settings) {
    if (key == group && value.is_object()) {
      for (const auto& [inner, each] : value.items()) PlaceAt(all, inner) = each;
    } else if (key.starts_with(group + ".")) {
      PlaceAt(all, std::string_view(key).substr(group.size() + 1)) = value;
    }
  }
  return all;
}

SessionState::SessionState(SessionOptions options, std::unique_ptr<Engine> engine,
                           InputRecord inputs, SourceRecord sources)
    : options_(std::move(options)),
      inputs_(std::move(inputs)),
      sources_(std::move(sources)),
      brought_(options_.folder),
      record_(options_.started),
      engine_(std::move(engine)) {}

Json SessionState::Settings(const std::string& group) const {
  Ask(group);
  return CollectSettings(options_, group);
}

Status SessionState::CheckSettings() const {
  for (const auto& [key, value] : options_.settings) {
    const auto covers = [&key = key](const std::string& asked) {
      return key == asked || key.starts_with(asked + ".");
    };
    if (std::any_of(asked_.begin(), asked_.end(), covers)) continue;
    // OpenEngine() reads it before there is a session.
    const auto covers_own = [&](const EngineKind& kind) {
      return kind.settings != nullptr && covers(std::string("engine.") + kind.name);
    };
    if (std::ranges::any_of(EngineKinds(), covers_own)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown setting \"" + key + "\"",
                 .where = "--set " + key + "=" + Dump(value),
                 .fix = Suggest(key, std::vector<std::string>(asked_.begin(), asked_.end())),
                 .kept = "nothing was started"});
  }
  return Status::OK();
}

std::filesystem::path SessionState::OutputPath(const std::filesystem::path& path) const {
  return (options_.folder / path).lexically_normal();
}

Status SessionState::CheckOutput(const std::filesystem::path& path) const {
  PT_TRY(RefuseUpward(path));
  const std::filesystem::path target = OutputPath(path);
  PT_TRY(RefuseInputs(inputs_, target));
  PT_TRY(RefuseRead(options_.read, target));
  if (!options_.folder.empty()) {
    const std::filesystem::path inside = target.lexically_relative(options_.folder);
    if (!inside.empty() && *inside.begin() != "..") return RefuseOwnFiles(inside);
  }
  return options_.force || record_.Wrote(target.string()) ? Status::OK() : RefuseExisting(target);
}

Call SessionState::call() {
  Call call = options_.call;
  call.events = [this](const Json& event) {
    record_.On(event);
    options_.call.Forward(event);
  };
  return call;
}

Result<std::unique_ptr<Session>> OpenSession(SessionOptions options,
                                             std::unique_ptr<Engine> engine) {
  if (!options.folder.empty()) {
    options.folder = std::filesystem::absolute(options.folder).lexically_normal();
    PT_TRY(MakeFolder(options.folder));
  }
  const auto in_folder = [&](const char* name) {
    return options.folder.empty() ? std::filesystem::path() : options.folder / name;
  };
  PT_LET(InputRecord inputs, InputRecord::Open(in_folder("inputs.json"), options.resume));
  PT_LET(SourceRecord sources, SourceRecord::Open(in_folder("sources.json"), options.resume));
  if (engine == nullptr) {
    PT_LET(engine, OpenEngine(options));
  }
  return std::make_unique<Session>(std::make_unique<SessionState>(
      std::move(options), std::move(engine), std::move(inputs), std::move(sources)));
}

Result<Json> Describe(Engine& engine, const Plan& plan, const Call& call) {
  PT_LET(const EnginePlan explained, engine.Explain(plan, call));
  Json description = {{"engine", engine.address()},
                      {"tree", Explain(plan)},
                      {"sql", explained.sql},
                      {"not_exact", explained.not_exact},
                      {"placement", ListGangs(explained.placement)},
                      {"reads", explained.reads}};
  if (!explained.kept.is_null()) description["kept"] = explained.kept;
  return description;
}

}  // namespace protium
