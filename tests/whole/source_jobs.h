// SPDX-License-Identifier: Apache-2.0
// The job of own_job.h over a table of a database.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "whole/own_job.h"
#include "whole/servers.h"
#include "whole/table_jobs.h"

namespace protium::whole {

// The statements that make the table of OwnJob, in any database's SQL.
inline std::string MachinesSql(int rows) {
  std::string text =
      "CREATE TABLE machines (id bigint, kind varchar(20), age bigint, load1 double precision, "
      "hours double precision);\nINSERT INTO machines VALUES ";
  std::istringstream lines(MachinesTable(rows));
  std::string line;
  std::getline(lines, line);
  for (int i = 0; std::getline(lines, line); ++i) {
    std::vector<std::string> cells(1);
    for (const char c : line) c == ',' ? (void)cells.emplace_back() : cells.back().push_back(c);
    text += fmt::format("{}({}, '{}', {}, {}, {})", i == 0 ? "" : ",", cells[0], cells[1], cells[2],
                        cells[3].empty() ? "NULL" : cells[3], cells[4]);
  }
  return text + ";\n";
}

inline constexpr const char* kRenamed = "SELECT id, kind, age, load1 AS load, hours FROM machines";

inline std::string JobWithLoad(const std::string& table, const std::string& more = "") {
  return With(JobOver(table, more), "SELECT * FROM machines", kRenamed);
}

inline void MakeSqlite(const std::filesystem::path& file, const std::string& statements) {
  std::ofstream(file.string() + ".sql") << statements;
  const std::string script =
      "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n"
      "c.executescript(open(sys.argv[1] + '.sql').read())\nc.commit()\n";
  Running python({"/usr/bin/env", "python3", "-c", script, file.string()}, file.parent_path());
  const Outcome made = python.Wait();
  ASSERT_EQ(made.exit, 0) << made.err;
}

inline std::string Shop(const DatabaseServer& server) {
  return "[connections.shop]\nurl = \"" + server.url() +
         "\"\npassword = { env = \"SHOP_PASSWORD\" }\n";
}

}  // namespace protium::whole
