// SPDX-License-Identifier: Apache-2.0
// `protium sql`: a query over the tables of a folder, with the checks and spellings of a job's SQL,
// so that it can be tried here first. Shows the first rows, or writes all of them to a file. Leaves
// no run. With -i, a prompt (prompt/prompt.h).
#include <unistd.h>

#include <cstdio>

#include "app/verb.h"
#include "base/fault.h"
#include "inspect/place.h"
#include "job/csv_flags.h"
#include "prompt/prompt.h"
#include "prompt/query.h"

namespace protium {

namespace {

constexpr size_t kMostQueryBytes = 16 << 20;

// All of stdin.
Result<std::string> ReadStdin() {
  std::string text;
  char part[4096];
  while (const size_t read = std::fread(part, 1, sizeof(part), stdin)) {
    text.append(part, read);
    if (text.size() <= kMostQueryBytes) continue;
    return Fail({.exit = Exit::kUsage, .what = "the query on stdin is longer than 16 MiB"});
  }
  return text;
}

Status Interact(const Arguments& arguments) {
  if (arguments.num_operands() > 0 || arguments.Has("--output")) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = "sql -i reads its queries from the terminal or stdin, and prints their rows",
         .fix = "leave out -i to give a query and --output"});
  }
  if (isatty(STDIN_FILENO) == 1) return Prompt(arguments);
  PT_LET(const std::string text, ReadStdin());
  return RunStatements(text, arguments);
}

Status RunSql(const Arguments& arguments, const Invocation&) {
  if (arguments.Has("--interactive")) return Interact(arguments);
  const std::string query = arguments.operand(0);
  if (query.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "sql needs QUERY",
                 .fix = "protium sql \"SELECT 1\", or protium sql -i for a prompt"});
  }
  Queries queries(arguments);
  if (query != "-") return queries.Answer(query, false);
  PT_LET(const std::string text, ReadStdin());
  return queries.Answer(text, false);
}

}  // namespace

CommandVerb SqlVerb() {
  return {
      {.name = "sql",
       .operands = {"[QUERY]", "[PLACE]"},
       .flags = {{"--interactive", "", "a prompt, or the statements on stdin, one after another",
                  "-i"},
                 {"--data", "PLACE",
                  "the folder or the database of the tables (the working directory)", ""},
                 {"--table", "NAME=PLACE",
                  "a table that lies elsewhere; NAME alone: one of the database; may be repeated",
                  ""},
                 PasswordFlags()[0],
                 PasswordFlags()[1],
                 {"--null", "TEXT", "how CSV files write missing values; may be repeated", ""},
                 DelimiterFlag(),
                 CsvFlag(),
                 {"--rows", "N", "how many rows to show (20)", ""},
                 {"--output", "FILE",
                  "writes all rows there instead, .parquet, .csv, .jsonl or .arrow", ""},
                 EngineFlag(),
                 ForceFlag(),
                 JsonFlag()},
       .says = "runs a query over the tables in a folder",
       .more = "Tables have the names of their files, without the ending; a folder of files is a "
               "table, too.\n"
               "The SQL is that of jobs: Spark's dialect, with the same checks. A QUERY of - is "
               "read from stdin.\n"
               "PLACE, or --data, is a folder or a database: all of its tables can be queried.\n"
               "With -i, queries end with a semicolon; \\d shows the tables, \\d TABLE its "
               "columns, \\q quits.\n"
               "\n"
               "  protium sql \"SELECT origin, count(*) AS flights FROM flights GROUP BY origin\" "
               "--data data\n"
               "  protium sql \"SELECT count(*) FROM orders\" postgres://me@db.example/shop "
               "--password-env PW\n"
               "  protium sql -i --data data\n"},
      RunSql};
}

}  // namespace protium
