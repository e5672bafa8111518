// SPDX-License-Identifier: Apache-2.0
// `protium config import`: converts another tool's configuration to a job file. Starts nothing and
// reads no table.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "app/verb.h"
#include "base/fault.h"
#include "base/unknown_name.h"
#include "frame/outputs.h"
#include "job/read_job.h"
#include "ludwig/ludwig.h"
#include "os/file.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status CheckGiven(const Arguments& arguments, const fs::path& out) {
  const std::string what = arguments.operand(0);
  if (what != "import") {
    const std::string known[] = {"import"};
    return UnknownName("thing to do with a configuration", what, known);
  }
  std::error_code ignored;
  if (arguments.Has("--force") || !fs::exists(fs::symlink_status(out, ignored))) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = out.string() + " already exists",
               .fix = "choose another file with --output, or overwrite it with --force",
               .kept = "nothing was written"});
}

Status Config(const Arguments& arguments, const Invocation& invocation) {
  const fs::path file = arguments.operand(1);
  const fs::path out = arguments.Value("--output", file.stem().string() + ".toml");
  PT_TRY(CheckGiven(arguments, out));
  PT_TRY(RefuseRead(std::array{file}, out));
  PT_LET(const LudwigJob job,
         ImportLudwig({.file = file, .table = arguments.Value("--table", "data.csv")}));
  PT_TRY(WriteFile(out, job.text));
  // What is written here must be right; a bug of ours is better reported now than in the run.
  PT_TRY(ReadJob(out, {}).status());
  for (const std::string& note : job.notes) PrintNote("note: " + note + "\n");
  if (arguments.Has("--json")) {
    return PrintResult(Dump({{"job", out.string()}, {"notes", job.notes}}) + "\n");
  }
  return PrintResult(fmt::format("wrote {0}; next: {1} plan {0}\n", out.string(), invocation.name));
}

}  // namespace

CommandVerb ConfigVerb() {
  return {
      {.name = "config",
       .operands = {"import", "FILE"},
       .flags = {{"--table", "PATH", "the table to learn from, as the job names it (data.csv)", ""},
                 {"--output", "FILE", "the job file (FILE with .toml)", ""},
                 ForceFlag(),
                 JsonFlag()},
       .says = "makes a job file from a Ludwig configuration",
       .more = "FILE is the YAML of `ludwig train --config`. What has no counterpart is listed "
               "with its line,\n"
               "here and in comments of the job. Nothing is started, and no table is read.\n"
               "\n"
               "  protium config import ludwig.yaml --table rotten_tomatoes.csv\n"},
      Config};
}

}  // namespace protium
