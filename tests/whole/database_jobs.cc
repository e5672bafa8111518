// SPDX-License-Identifier: Apache-2.0
#include "whole/database_jobs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

namespace protium::whole {

namespace fs = std::filesystem;

std::string JobOver(const std::string& table, const std::string& more) {
  return With(kMachinesJob, "machines = { csv = \"machines.csv\" }", "machines = " + table) + more;
}

// The statements that make the table of OwnJob, in any database's SQL.
std::string MachinesSql(int rows) {
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

constexpr const char* kRenamed = "SELECT id, kind, age, load1 AS load, hours FROM machines";

std::string JobWithLoad(const std::string& table, const std::string& more) {
  return With(JobOver(table, more), "SELECT * FROM machines", kRenamed);
}

void MakeSqlite(const fs::path& file, const std::string& statements) {
  std::ofstream(file.string() + ".sql") << statements;
  const std::string script =
      "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n"
      "c.executescript(open(sys.argv[1] + '.sql').read())\nc.commit()\n";
  Running python({"/usr/bin/env", "python3", "-c", script, file.string()}, file.parent_path());
  const Outcome made = python.Wait();
  ASSERT_EQ(made.exit, 0) << made.err;
}

std::string WeightsOf(const OwnJob& own) { return ReadWeightsHash(own.Model(), own.path()); }

// All texts below the folder, and the names of its files.
bool AnyFileHas(const fs::path& folder, const std::string& secret) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && Has(ReadText(entry.path()), secret)) return true;
  }
  return false;
}

Outcome RunWithPassword(const OwnJob& own, const std::string& password,
                        std::vector<std::string> words) {
  words.insert(words.begin(), ProtiumCommand());
  Running command(std::move(words), own.path(), {{"SHOP_PASSWORD", password}});
  return command.Wait();
}

Outcome RunJob(const OwnJob& own, const std::string& password) {
  return RunWithPassword(own, password,
                         {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
}

std::string Shop(const DatabaseServer& server) {
  return "[connections.shop]\nurl = \"" + server.url() +
         "\"\npassword = { env = \"SHOP_PASSWORD\" }\n";
}

// One server of each kind serves all tests of this program.
DatabaseServer* Postgres(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<DatabaseServer> server = DatabaseServer::StartPostgres(reason);
  why = reason;
  return server.get();
}

DatabaseServer* MariaDb(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<DatabaseServer> server = DatabaseServer::StartMariaDb(reason);
  why = reason;
  return server.get();
}

bool HasExtension(const std::string& name) {
  return fs::exists(fs::path(PROTIUM_REPOSITORY) / ".deps/duckdb/lib/extensions" /
                    (name + ".duckdb_extension"));
}

}  // namespace protium::whole
