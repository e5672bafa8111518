// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "run/list.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr auto kLook = std::chrono::milliseconds(200);  // How often --follow looks for more.
constexpr size_t kLongestLine = 64 << 10;

// The log files of a run, or those of one rank; `rank` is its number or the name of a file.
std::vector<fs::path> FindLogs(const fs::path& run, const std::string& rank) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& item : fs::directory_iterator(run / "logs", error)) {
    const std::string name = item.path().filename().string();
    const bool wanted =
        rank.empty() || name == rank || name == fmt::format("rank-{:0>3}.log", rank);
    if (item.is_regular_file(error) && wanted) files.push_back(item.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Prints whole lines from `offset` on and returns the new offset. While following, an unfinished
// last line waits for its end (`to_end` is false); a line beyond 64 KiB is printed in pieces.
Result<std::streamoff> PrintFrom(const fs::path& file, std::streamoff offset, bool to_end) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(offset);
  std::string line(kLongestLine, '\0');
  while (in.getline(line.data(), std::streamsize(line.size())) || in.gcount() > 0) {
    const bool piece = in.fail();
    if (in.eof() && !to_end) break;
    offset += in.gcount();
    const auto length = size_t(in.gcount()) - (piece || in.eof() ? 0 : 1);
    PT_TRY(PrintResult(file.stem().string() + "  " + line.substr(0, length) + "\n"));
    if (piece) in.clear();
  }
  return offset;
}

// The fault that ended the run: ranks that ended in good order have nothing in their logs.
std::string HowItFailed(const fs::path& run) {
  const Json error = ReadResult(run).value("error", Json());
  return error.is_object() ? Render(FaultOf(StatusFromJson(error))) : "";
}

// Polls. The writers are other processes; the lock of the folder says whether they may still write.
Status ShowLogs(const Arguments& arguments, const Invocation& invocation) {
  const std::string which = arguments.operand(0);
  PT_LET(const fs::path run, FindRun(RunsDir(arguments), which.empty() ? "last" : which));
  const std::string rank = arguments.Value("--rank");
  std::map<fs::path, std::streamoff> offsets;
  while (true) {
    // Asked before reading, so that what was written just before the run ended is still printed.
    const bool follow = arguments.Has("--follow") && IsLocked(run);
    const std::vector<fs::path> files = FindLogs(run, rank);
    if (files.empty() && !follow) {
      return Fail({.exit = Exit::kInput,
                   .what = rank.empty()
                               ? run.string() + " has no logs"
                               : fmt::format("{} has no log of rank {}", run.string(), rank)});
    }
    for (const fs::path& file : files) {
      PT_LET(offsets[file], PrintFrom(file, offsets[file], !follow));
    }
    if (!follow) {
      const bool silent = std::all_of(offsets.begin(), offsets.end(),
                                      [](const auto& each) { return each.second == 0; });
      if (silent) PrintNote(fmt::format("no rank of {} wrote anything\n", run.string()));
      if (silent) PrintNote(HowItFailed(run));
      return Status::OK();
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

CommandVerb LogsVerb() {
  return {{.name = "logs",
           .operands = {"[RUN]"},
           .flags = {{"--rank", "N", "only this worker's", ""},
                     {"--follow", "", "go on while the run does", "-f"},
                     RunsDirFlag()},
           .says = "what a run's workers wrote"},
          ShowLogs};
}

}  // namespace protium
