// SPDX-License-Identifier: Apache-2.0
// What a program hands to Main. Public API.
#pragma once

#include <functional>
#include <memory>

#include "frame/session.h"
#include "gang/task.h"

namespace protium {

struct Program {
  std::function<Status(Session&)> run;
  TaskTable tasks;  // The program's own tasks, by name; workers find them too.
  // Stages, nets, losses, metrics and optimizers of its own (learn/catalogue.h), or null.
  std::shared_ptr<const Catalogue> catalogue = nullptr;
};

// The whole life of a process: the program's run with --set, --engine, --runs-dir and --json, or a
// worker when one was asked for. Gives the exit code.
int Main(int argc, char** argv, const Program& program);

}  // namespace protium
