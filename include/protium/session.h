// SPDX-License-Identifier: Apache-2.0
// Where a program meets an engine: tables by name, SQL over them, and the settings given on the
// command line. A program describes itself in a Program and passes it to Main(), which opens the
// session. Session is implemented by the room frame, Main() by the room app.
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

// One per run; must outlive its frames and models. Call it from one thread.
class Session {
 public:
  explicit Session(std::unique_ptr<SessionState> state);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Reader Read() { return Reader(*this); }
  // Names a table for Sql(). A later table of the same name replaces it for later calls of Sql().
  void Table(const std::string& name, const DataFrame& frame);
  // Returns the table of that name. An unknown name is reported by the first action on it.
  DataFrame Table(const std::string& name);
  // A SELECT over the tables named so far, in Spark's dialect with double-quoted identifiers. The
  // text is checked when the result is first used.
  DataFrame Sql(std::string text);

  // Returns the value of --set name=... as text, or `fallback`. Call it before the first action,
  // which refuses every setting that no code has asked for, as probably misspelt.
  std::string Setting(const std::string& name, const std::string& fallback = {}) const;

 private:
  // The implementation, for our own rooms: frame/session_state.h.
  friend SessionState& StateOf(const Session& session);

  std::unique_ptr<SessionState> state_;
};

// A program, as passed to Main().
struct Program {
  // The job. Runs in the driver; the status it returns decides the exit code. `plan` runs it too,
  // on an engine that moves no rows.
  std::function<Status(Session&)> run;
  // The program's own tasks, by the names that MapTask::task uses. Workers are new processes of
  // this same program and find the tasks here; a task therefore shares no memory with `run`.
  TaskTable tasks;
  // The program's own stages, nets, losses and metrics, or null; <protium/torch.h> makes their
  // rows.
  std::shared_ptr<const Catalogue> catalogue = nullptr;
  // Receives the run's events, in addition to the progress display and events.jsonl. Called in the
  // driver on any thread, one call at a time; must return soon, because the run waits. May be
  // empty.
  std::function<void(const Event&)> watch = nullptr;
};

// Runs the whole process: as a worker if a launcher started it as one, otherwise as a command line
// with the verbs and flags of `protium` (--set, --engine, --runs-dir, --json, ...). Returns the
// exit code (Exit). Call it first in main(), and do nothing before it that a worker should not do
// too.
int Main(int argc, char** argv, const Program& program);

}  // namespace protium
