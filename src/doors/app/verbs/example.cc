// SPDX-License-Identifier: Apache-2.0
// `protium example`: writes tables to try a job on. Nothing is downloaded; the tables are described
// in the room examples.
#include "examples/example.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "run/terminal.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Refuses to replace files of the same names, which may be the user's own; dangling links count,
// since writing would follow them.
Status CheckPlaces(const Example& example, const fs::path& folder) {
  for (const std::string& name : example.files) {
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(folder / name, ignored))) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = (folder / name).string() + " already exists",
                 .fix = "choose another folder, or overwrite it with --force",
                 .kept = "nothing was written"});
  }
  return Status::OK();
}

Result<const Example*> FindExample(const std::string& name) {
  std::vector<std::string> known;
  for (const Example& each : ListExamples()) {
    if (each.name == name) return &each;
    known.push_back(each.name);
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("there is no example \"{}\"", name),
               .fix = Suggest(name, known)});
}

// Only one example has ids.
Status ReadIds(const Arguments& arguments, const Example& example, ExampleSize& size) {
  if (!arguments.Has("--ids")) return Status::OK();
  if (std::string_view(example.name) != "clicks") {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("the example {} has no ids", example.name),
                 .where = "--ids",
                 .fix = "leave it out, or write the example clicks",
                 .kept = "nothing was written"});
  }
  PT_LET(size.ids, arguments.Number("--ids", size.ids));
  return Status::OK();
}

Status MakeExample(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(const Example* const example, FindExample(arguments.operand(0)));
  ExampleSize size{.rows = example->rows};
  // The text of --help below repeats these defaults.
  PT_LET(size.rows, arguments.Number("--rows", size.rows));
  PT_LET(size.seed, arguments.Number("--seed", size.seed));
  PT_TRY(ReadIds(arguments, *example, size));
  const std::string folder = arguments.operand(1);
  // Checks all paths before writing the first file.
  if (!arguments.Has("--force")) PT_TRY(CheckPlaces(*example, folder));
  PT_LET(const int64_t rows, example->write(folder, size));
  return PrintResult(
      fmt::format("{} {}{} in {}\n", Grouped(rows), example->noun, example->also, folder));
}

}  // namespace

CommandVerb ExampleVerb() {
  return {
      {.name = "example",
       .operands = {"NAME", "DIR"},
       .flags = {{"--rows", "N", "rows of the largest table", ""},
                 {"--ids", "N", "for clicks: how many ids all columns have together (100000)", ""},
                 {"--seed", "S", "the random seed (1)", ""},
                 {"--force", "", "overwrites existing tables", ""}},
       .says = "writes sample tables to try jobs on",
       .more = "flights: 32,735 flights and four more tables, in the shape of nycflights13\n"
               "stores:  what 1,115 shops sold on up to 942 days, and six more tables: regions,\n"
               "         weather, searches, and days to forecast\n"
               "digits:  5,000 images of handwritten digits, and their labels\n"
               "visits:  60,000 visits to an online shop, few of which end with an order\n"
               "clicks:  100,000 advertisements, clicked or not, with 26 columns of ids\n"
               "\n"
               "All of it is synthetic, and the same seed gives the same bytes.\n"
               "\n"
               "  protium example flights data --rows 100000\n"},
      MakeExample};
}

}  // namespace protium
