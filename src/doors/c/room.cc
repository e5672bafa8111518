// SPDX-License-Identifier: Apache-2.0
#include "c/room.h"

#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/json.h"
#include "base/units.h"
#include "c/options.h"
#include "catalogue/extension.h"
#include "frame/session_state.h"
#include "job/job.h"
#include "job/read_job.h"
#include "os/library.h"
#include "protium/fields.h"
#include "store/store_folder.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

thread_local bool listening = false;

struct RoomOptions {
  JobEngineOrAddress engine;
  std::string folder;
  std::string base;
  bool force = false;
  bool store = false;
  std::vector<std::string> extensions;
  std::string program;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("engine", engine);
    visit("folder", folder);
    visit("base", base);
    visit("force", force);
    visit("store", store);
    visit("extensions", extensions);
    visit("program", program);
  }
};

// A process that is not Protium's own program cannot be started again as a worker.
Result<fs::path> FindProgram(const std::string& given) {
  const fs::path program =
      given.empty() ? OwnLibraryFolder().parent_path() / "bin" / "protium" : fs::absolute(given);
  if (IsRegularFile(program)) return program;
  return Fail({.exit = Exit::kEnvironment,
               .what = "workers need the program " + program.string() + ", which does not exist",
               .fix = "name it in the session's options: \"program\": \"/usr/bin/protium\""});
}

Result<SessionOptions> OptionsFor(const RoomOptions& given) {
  SessionOptions options{.engine = given.engine.address};
  PT_LET(options.program, FindProgram(given.program));
  PT_LET(options.memory_bytes, SizeAt("engine.memory", given.engine.memory));
  PT_LET(options.rows_memory_bytes, SizeAt("engine.rows_memory", given.engine.rows_memory));
  options.spill = given.engine.spill;
  options.discovery = given.engine.discovery;
  options.engine_options = SettingsFor(options.engine, given.engine.own);
  options.force = given.force;
  if (given.store) options.store = DefaultStoreFolder();
  options.folder = given.folder;
  // The directory now: the host program may change its working directory later.
  options.base = fs::absolute(given.base.empty() ? "." : given.base).lexically_normal();
  std::vector<fs::path> extensions;
  for (const std::string& file : given.extensions) extensions.push_back(options.base / file);
  if (!extensions.empty()) {
    PT_LET(options.catalogue, WithExtensions(nullptr, extensions));
  }
  return options;
}

}  // namespace

void Listener::Set(pt_event_function function, void* user) {
  const std::lock_guard lock(mutex_);
  function_ = function;
  user_ = user;
}

void Listener::On(const Json& event) {
  const std::lock_guard lock(mutex_);
  if (function_ == nullptr) return;
  const std::string text = Dump(event);
  listening = true;
  function_(text.c_str(), user_);
  listening = false;
}

bool Listener::IsCalling() { return listening; }

Result<std::unique_ptr<Room>> Room::Open(const std::string& text) {
  PT_TRY(RefuseListeners());
  RoomOptions given;
  PT_LET(const Json json, ReadOptions(text));
  PT_TRY(FieldsFromJson(json, "", given));
  PT_LET(SessionOptions options, OptionsFor(given));
  std::unique_ptr<Room> room(new Room);
  room->open_ = std::make_shared<OpenRoom>();
  if (options.folder.empty()) {
    PT_LET(TemporaryFolder made, TemporaryFolder::Make());
    room->open_->scratch.emplace(std::move(made));
    options.folder = room->open_->scratch->path();
  }
  options.call.stop = room->stop_.get_token();
  options.call.events = [listener = room->listener_](const Json& event) { listener->On(event); };
  PT_LET(room->open_->session, OpenSession(std::move(options)));
  return room;
}

Status Room::RefuseListeners() {
  if (!Listener::IsCalling()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a function that receives events has called a session",
               .why = "the session waits for it to return",
               .fix = "note what is to be done, and do it when the call has returned"});
}

Status Room::Begin() {
  if (open_ == nullptr) return Fail({.exit = Exit::kUsage, .what = "the session is closed"});
  const std::lock_guard lock(stop_mutex_);
  if (!stop_.stop_requested()) return Status::OK();
  stop_ = std::stop_source();
  StateOf(*open_->session).StopWith(stop_.get_token());
  return Status::OK();
}

std::filesystem::path Room::fits() const { return StateOf(*open_->session).folder() / "fits"; }

// Requested under the lock, so that a call that begins meanwhile sees either the old source, and
// ends, or a new one.
void Room::Cancel() {
  const std::lock_guard lock(stop_mutex_);
  stop_.request_stop();
}

void Room::Close() {
  Cancel();
  const std::lock_guard lock(mutex_);
  open_.reset();
}

}  // namespace protium
