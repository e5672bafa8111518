// SPDX-License-Identifier: Apache-2.0
// `protium search --ask`: the search of a job file for an objective in any language, by lines of
// JSON on stdin and stdout (search/asked_lines.h).
#include <cstdio>
#include <optional>
#include <string>

#include "app/verb.h"
#include "base/fault.h"
#include "job/file_terms.h"
#include "job/settings.h"
#include "search/asked_lines.h"
#include "terminal/printing.h"

namespace protium {

namespace {

constexpr size_t kMostLineBytes = 1 << 20;

// The next line of stdin without its end; nullopt after the last one. A longer one than any request
// is read to its end and cut, so that it is answered as malformed.
std::optional<std::string> NextLine() {
  std::string line;
  int c = std::getc(stdin);
  if (c == EOF) return std::nullopt;
  for (; c != EOF && c != '\n'; c = std::getc(stdin)) {
    if (line.size() < kMostLineBytes) line.push_back(char(c));
  }
  return line;
}

Status Answer(AskedSearch search) {
  while (const auto line = NextLine()) {
    if (line->find_first_not_of(" \t\r") == line->npos) continue;
    PT_TRY(PrintResult(Dump(AnswerLine(search, *line)) + "\n"));
  }
  return Status::OK();
}

Result<AskedSearch> Open(const Job& job, const Arguments& arguments) {
  if (!job.settings.tree.contains("search")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "there is no [search] in " + job.settings.file.string(),
                 .fix = "write one: docs/choosing-a-model.md says what it may have"});
  }
  Json options = job.settings.tree["search"];
  const std::vector<std::string> higher = arguments.Values("--higher-is-better");
  if (!higher.empty()) options["higher_is_better"] = higher;
  if (arguments.Has("--save")) options["save"] = arguments.Value("--save");
  return OpenAsked(options);
}

Status RunSearch(const Arguments& arguments, const Invocation& invocation) {
  if (!arguments.Has("--ask")) {
    return Fail({.exit = Exit::kUsage,
                 .what = "search needs --ask: it proposes trials, and you measure them",
                 .fix = invocation.name + " run " + arguments.operand(0) +
                        "  runs a job's search over its own tables"});
  }
  Job job;
  PT_LET(job.settings, ReadToml(arguments.operand(0)));
  for (const std::string& set : arguments.Values("--set")) {
    PT_LET(const Assignment said, ReadAssignment(set));
    PT_TRY(Override(job.settings, said));
  }
  PT_LET(AskedSearch search, InFileTerms(job, Open(job, arguments), "nothing was asked for"));
  return Answer(std::move(search));
}

}  // namespace

CommandVerb SearchVerb() {
  return {
      {.name = "search",
       .operands = {"JOB"},
       .flags = {{"--ask", "", "answers requests on stdin, one JSON object per line", ""},
                 {"--higher-is-better", "METRIC",
                  "a metric that is better when higher; \"value\" unless search.metric has names; "
                  "may be repeated",
                  ""},
                 {"--save", "FILE", "records the search in this file, and continues from it", ""},
                 SetFlag()},
       .says = "proposes trials for an objective of your own",
       .more = "Uses only [search] of a job file, which may have any paths and metrics. Each line "
               "on stdin is a\n"
               "request, and gets one line in response:\n"
               "\n"
               "  {\"ask\": {}}                                         {\"trial\": 1, \"values\": "
               "{...}}\n"
               "  {\"report\": {\"trial\": 1, \"step\": 3, \"value\": 0.4}}   {\"trial\": 1, "
               "\"should_prune\": false}\n"
               "  {\"tell\": {\"trial\": 1, \"value\": 0.3}}                {\"trial\": 1, "
               "\"best\": 1}\n"
               "  {\"table\": {}}                                       all finished trials\n"
               "\n"
               "After the last trial, \"trial\" is null. Tell \"measured\" in place of \"value\" "
               "with several metrics,\n"
               "\"error\" if the trial failed, and neither if it was stopped. The response to a "
               "line that is not a\n"
               "valid request is {\"error\": ...}.\n"
               "\n"
               "  protium search space.toml --ask --higher-is-better value\n"},
      RunSearch};
}

}  // namespace protium
