// SPDX-License-Identifier: Apache-2.0
// `protium ui`: serves the page of runs until Ctrl-C. Without a token it only reads run folders.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/run/named_run.h"
#include "app/run/server_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "os/signals.h"
#include "page/page.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Prints the address as the first line, for people and for scripts. A token is only ever in a part
// of the address that is never sent: browsers do not send what follows "#".
Status PrintAddress(const Page& page, const std::string& token) {
  PT_TRY(PrintResult(page.address() + "\n"));
  if (token.empty()) return Status::OK();
  return PrintResult(fmt::format("with the token: {}#token={}\n", page.address(), token));
}

// Keeps the copies of runs on a store up to date while the page shows them.
class KeptFresh {
 public:
  explicit KeptFresh(const ObjectPlace& runs)
      : thread_([runs](const std::stop_token& stop) { Work(runs, stop); }) {}

 private:
  static void Work(const ObjectPlace& runs, const std::stop_token& stop) {
    constexpr std::chrono::seconds kEvery{5};
    std::mutex mutex;
    std::condition_variable_any ended;
    bool away = false;
    while (true) {
      std::unique_lock lock(mutex);
      ended.wait_for(lock, stop, kEvery, [] { return false; });
      if (stop.stop_requested()) return;
      std::vector<std::string> warnings;
      const Status status = BringRuns(runs, warnings).status();
      if (!status.ok() && !away) PrintNote("warning: " + FaultOf(status).what + "\n");
      away = !status.ok();
    }
  }
  std::jthread thread_;
};

// The folder of runs to show; on a store, its place.
Result<std::optional<ObjectPlace>> PlaceToShow(const Arguments& arguments) {
  const std::string asked = arguments.operand(0);
  if (asked.empty()) return RunsPlace(arguments);
  if (!IsOnStore(asked)) return std::optional<ObjectPlace>();
  PT_LET(ObjectPlace place, ObjectPlace::Parse(asked));
  return std::optional(std::move(place));
}

Status Serve(const Arguments& arguments, const Invocation&) {
  PageOptions options{.runs = arguments.operand(0)};
  PT_LET(const std::optional<ObjectPlace> on_store, PlaceToShow(arguments));
  if (on_store) {
    std::vector<std::string> warnings;
    PT_LET(options.runs, BringRuns(*on_store, warnings));
  }
  if (options.runs.empty()) options.runs = RunsDir(arguments);
  options.streams = arguments.Value("--streams-dir", "streams");
  PT_LET(const ServerPlace place, ReadServerPlace(arguments));
  options.host = place.host;
  options.port = place.port;
  options.token = place.token;
  std::error_code ignored;
  if (fs::exists(options.runs, ignored) && !fs::is_directory(options.runs, ignored)) {
    return Fail({.exit = Exit::kInput,
                 .what = options.runs.string() + " is not a folder of runs",
                 .fix = "protium ui RUNS_DIR"});
  }
  // Before there are threads.
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  PT_LET(const std::unique_ptr<Page> page, OpenPage(options));
  PT_TRY(PrintAddress(*page, options.token));
  if (!Terminal::Of(STDERR_FILENO).quiet) {
    const std::string shown =
        on_store ? on_store->text() : fs::absolute(options.runs).lexically_normal().string();
    PrintNote(fmt::format("showing the runs in {}; Ctrl-C stops it\n", shown));
  }
  std::optional<KeptFresh> fresh;
  if (on_store) fresh.emplace(*on_store);
  return page->Serve(signals->token());
}

}  // namespace

CommandVerb UiVerb() {
  std::vector<Flag> flags = ServerPlaceFlags(4040);
  flags.push_back(RunsDirFlag());
  flags.push_back({"--streams-dir", "DIR", "where streams keep their logs (streams)", ""});
  return {{.name = "ui",
           .operands = {"[RUNS_DIR]"},
           .flags = std::move(flags),
           .says = "shows runs and streams in the browser, while they run and later",
           .more = "The first line that it prints is its address. Runs are not disturbed: the page "
                   "reads their files.\n"
                   "With --host other machines can reach it: it then makes a token, prints it once "
                   "and requires it of\n"
                   "everyone. Whoever has a token can also tag and delete runs, and try models.\n"
                   "\n"
                   "  protium ui\n"
                   "  protium ui /data/runs --port 8080\n"},
          Serve};
}

}  // namespace protium
