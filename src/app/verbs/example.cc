// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/example/flights_example.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "run/terminal.h"

namespace protium {

namespace {

Status MakeExample(const Arguments& arguments, const Invocation& invocation) {
  const std::string name = arguments.operand(0);
  if (name != "flights") {
    const std::vector<std::string> known = {"flights"};
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("there is no example \"{}\"", name),
                 .fix = Suggest(name, known)});
  }
  FlightsExample options;
  PT_LET(options.rows, arguments.Number("--rows", options.rows));
  PT_LET(options.seed, arguments.Number("--seed", options.seed));
  const std::string folder = arguments.operand(1);
  PT_TRY(WriteFlightsExample(folder, options));
  return PrintResult(
      fmt::format("{} flights and four more tables in {}\n", Grouped(options.rows), folder));
}

}  // namespace

CommandVerb ExampleVerb() {
  return {{.name = "example",
           .operands = {"NAME", "DIR"},
           .flags = {{"--rows", "N", "how many flights (32735)", ""},
                     {"--seed", "S", "another seed, other tables (1)", ""}},
           .says = "writes tables to try a job on",
           .more = "flights: five CSV files of the shape of nycflights13, all invented. The same "
                   "seed\ngives the same bytes.\n\n  protium example flights data --rows 100000\n"},
          MakeExample};
}

}  // namespace protium
