// SPDX-License-Identifier: Apache-2.0
// Where a program meets an engine: tables by name and SQL over them. Implemented by the room frame,
// Main() by the room app.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "protium/events.h"
#include "protium/frame.h"
#include "protium/status.h"
#include "protium/task.h"

namespace protium {

struct Catalogue;
class SessionState;

// One per run. Lives longer than its frames and models. Methods are for one thread.
class Session {
 public:
  explicit Session(std::unique_ptr<SessionState> state);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Reader Read() { return Reader(*this); }
  // Names a table for Sql(). A later table of that name takes its place.
  void Table(const std::string& name, const DataFrame& frame);
  // The table of that name; where there is none, the first action on it says so.
  DataFrame Table(const std::string& name);
  // A SELECT over the named tables, in Spark's dialect with double-quoted identifiers.
  DataFrame Sql(std::string text);

  // What --set gave for `name`, as text; else `fallback`. Ask before the first action: a setting
  // that nobody asked for until then is refused as a mistake.
  std::string Setting(const std::string& name, const std::string& fallback = {}) const;

  // The inside, for the rooms of the house: frame/session_state.h.
  SessionState& state() const { return *state_; }

 private:
  std::unique_ptr<SessionState> state_;
};

// What a program hands to Main.
struct Program {
  std::function<Status(Session&)> run;
  TaskTable tasks;  // The program's own tasks, by name; workers find them too.
  // Stages, nets, losses, metrics and optimizers of its own, or null; <protium/torch.h> makes nets.
  std::shared_ptr<const Catalogue> catalogue = nullptr;
  // Told of what happens in the run, beside progress and events.jsonl; any thread, one at a time;
  // must return soon. May be empty.
  std::function<void(const Event&)> watch = nullptr;
};

// The whole life of a process: the program's run with --set, --engine, --runs-dir and --json, or a
// worker when one was asked for. Gives the exit code.
int Main(int argc, char** argv, const Program& program);

}  // namespace protium
