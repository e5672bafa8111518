// SPDX-License-Identifier: Apache-2.0
// `protium example`: writes tables that a job can be tried on. Nothing is downloaded; what the
// tables are like is in app/example.
#include <fmt/format.h>

#include <filesystem>

#include "app/example/flights_example.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "run/terminal.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Refuses to replace files of the same names, which may be the user's own; dangling links count,
// since writing would go through them.
Status CheckPlaces(const fs::path& folder) {
  for (const std::string& name : FlightsExampleFiles()) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(folder / name, ignored))) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = (folder / name).string() + " already exists",
                 .fix = "choose another folder, or overwrite it with --force",
                 .kept = "nothing was written"});
  }
  return Status::OK();
}

Status MakeExample(const Arguments& arguments, const Invocation& invocation) {
  const std::string name = arguments.operand(0);
  if (name != "flights") {
    const std::vector<std::string> known = {"flights"};
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no example \"{}\"", name),
                 .fix = Suggest(name, known)});
  }
  FlightsExample options;
  // The text of --help below repeats these two defaults.
  PT_LET(options.rows, arguments.Number("--rows", options.rows));
  PT_LET(options.seed, arguments.Number("--seed", options.seed));
  const std::string folder = arguments.operand(1);
  // All places are looked at before the first file is written.
  if (!arguments.Has("--force")) PT_TRY(CheckPlaces(folder));
  PT_TRY(WriteFlightsExample(folder, options));
  return PrintResult(
      fmt::format("{} flights and four more tables in {}\n", Grouped(options.rows), folder));
}

}  // namespace

CommandVerb ExampleVerb() {
  return {{.name = "example",
           .operands = {"NAME", "DIR"},
           .flags = {{"--rows", "N", "how many flights (32735)", ""},
                     {"--seed", "S", "changes what is in the tables (1)", ""},
                     {"--force", "", "overwrite existing tables", ""}},
           .says = "writes tables to try jobs on",
           .more = "flights: five CSV files in the shape of nycflights13, all made up. The same "
                   "seed\ngives the same bytes.\n\n  protium example flights data --rows 100000\n"},
          MakeExample};
}

}  // namespace protium
