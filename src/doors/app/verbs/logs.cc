// SPDX-License-Identifier: Apache-2.0
// `protium logs`: prints what the ranks of a run wrote, one file for each rank, each line prefixed
// with its file's name. With --follow it continues until the run ends. The writers are other
// processes, so the files are polled.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "run/elsewhere.h"
#include "run/folder.h"
#include "run/summary.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// The intervals of --follow: of a run on this machine, and of one that is read from a store.
constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kLookElsewhere = std::chrono::milliseconds(3000);
// Bytes; a longer line is printed in pieces, so that a rank that writes no line breaks does not
// fill memory.
constexpr size_t kLongestLine = 64 << 10;

// Returns the log files of a run, sorted by name; with `rank`, a number or the name of a file, only
// that one.
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

// Prints whole lines from `offset` on and returns the offset after them. While the run goes on
// (`to_end` is false), an unfinished last line waits for its end.
Result<std::streamoff> PrintFrom(const fs::path& file, std::streamoff offset, bool to_end) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(offset);
  std::string line(kLongestLine, '\0');
  while (in.getline(line.data(), std::streamsize(line.size())) || in.gcount() > 0) {
    // getline() sets failbit when the buffer is full before the line ends.
    const bool piece = in.fail();
    if (in.eof() && !to_end) break;
    offset += in.gcount();
    // gcount() includes the line break, unless the line ended otherwise.
    const auto length = size_t(in.gcount()) - (piece || in.eof() ? 0 : 1);
    PT_TRY(PrintResult(file.stem().string() + "  " + line.substr(0, length) + "\n"));
    if (piece) in.clear();
  }
  return offset;
}

// Returns the fault that ended the run, for a run whose ranks wrote nothing about it.
std::string HowItFailed(const fs::path& run) {
  const Json error = ReadResult(run).value("error", Json());
  return error.is_object() ? Render(FaultOf(StatusFromJson(error))) : "";
}

// Prints what exists, then checks again until the folder is no longer locked, which means that
// nobody writes there.
Status ShowLogs(const Arguments& arguments, const Invocation& invocation) {
  const std::string which = arguments.operand(0);
  PT_LET(const NamedRun named,
         FindNamedRun(arguments, which.empty() ? "last" : which, Parts::kFacts));
  const fs::path& run = named.path;
  const std::string rank = arguments.Value("--rank");
  // How far each file has been printed. Files of later attempts are added as they appear.
  std::map<fs::path, std::streamoff> offsets;
  while (true) {
    // Checked before reading, so that what was written just before the run ended is still printed.
    const bool here = IsLocked(run);
    const bool follow = arguments.Has("--follow") && (here || WorksElsewhere(run));
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
      // A rank that ended cleanly may have written nothing.
      const bool silent = std::all_of(offsets.begin(), offsets.end(),
                                      [](const auto& each) { return each.second == 0; });
      if (silent) PrintNote(fmt::format("the workers of {} wrote no logs\n", run.string()));
      if (silent) PrintNote(HowItFailed(run));
      return Status::OK();
    }
    std::this_thread::sleep_for(here ? kLook : kLookElsewhere);
    if (!here && named.place) PT_TRY(BringRun(*named.place, Parts::kFacts));
  }
}

}  // namespace

CommandVerb LogsVerb() {
  return {{.name = "logs",
           .operands = {"[RUN]"},
           .flags = {{"--rank", "N", "only the log of this worker", ""},
                     {"--follow", "", "keeps printing during the run", "-f"},
                     RunsDirFlag()},
           .says = "shows what a run's workers wrote"},
          ShowLogs};
}

}  // namespace protium
