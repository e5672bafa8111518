// SPDX-License-Identifier: Apache-2.0
// Run folders for tests, written as runs write them.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "os/file.h"
#include "run/folder.h"

namespace protium {

struct TestRuns {
  TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();

  const std::filesystem::path& path() const { return folder.path(); }

  // A run that goes on while the returned object lives.
  std::unique_ptr<RunFolder> Begin() const {
    return RunFolder::Create(path(), "made", {"protium", "run"}).ValueOrDie();
  }

  // A finished run, with a step for each of `steps`.
  std::filesystem::path Done(int steps) const {
    auto run = Begin();
    (void)run->events().Append({{"event", "start"}, {"run", run->id()}, {"resumed", false}});
    (void)run->events().Append({{"event", "etl_done"}, {"rows", 1000}});
    (void)run->events().Append(
        {{"event", "train_start"}, {"rows", 100}, {"steps", steps}, {"epochs", 1}, {"step", 0}});
    for (int step = 1; step <= steps; ++step) {
      (void)run->events().Append({{"event", "step"},
                                  {"step", step},
                                  {"steps", steps},
                                  {"epoch", 1},
                                  {"loss", 1.0 / step},
                                  {"learning_rate", 0.1}});
    }
    (void)run->events().Append({{"event", "end"}, {"state", "done"}});
    (void)run->WriteFile("result.json", R"({"metrics":{"test":{"rmse":2.5,"rows":10}},)"
                                        R"("seconds":{"etl":0.5,"train":1.5,"total":2.5}})");
    (void)run->Finish(RunState::kDone);
    return run->path();
  }
};

}  // namespace protium
