// SPDX-License-Identifier: Apache-2.0
// Jobs over tables of databases, and the servers of this program.
#pragma once

#include <string>
#include <vector>

#include "whole/own_job.h"
#include "whole/servers.h"

namespace protium::whole {

// The job of OwnJob with its table at `table`, and with `more` at its end.
std::string JobOver(const std::string& table, const std::string& more = "");
// The same where the column "load" is called load1, since MySQL knows that word.
std::string JobWithLoad(const std::string& table, const std::string& more = "");

// The statements that make the table of OwnJob, in any database's SQL.
std::string MachinesSql(int rows);
void MakeSqlite(const std::filesystem::path& file, const std::string& statements);

std::string WeightsOf(const OwnJob& own);
// Whether a file below the folder holds the text.
bool AnyFileHas(const std::filesystem::path& folder, const std::string& secret);

// Runs the command with SHOP_PASSWORD in its environment.
Outcome RunWithPassword(const OwnJob& own, const std::string& password,
                        std::vector<std::string> words);
Outcome RunJob(const OwnJob& own, const std::string& password = kCanary);
// The connection "shop" of a job file.
std::string Shop(const DatabaseServer& server);

// One server of each kind serves all tests of this program; null, with the reason, without one.
DatabaseServer* Postgres(std::string& why);
DatabaseServer* MariaDb(std::string& why);

bool HasExtension(const std::string& name);

#define NEED_EXTENSION(name, source) \
  if (!HasExtension(name)) GTEST_SKIP() << "not here: ./dev setup --sources " source

#define NEED_SERVER(kind)                   \
  std::string why;                          \
  DatabaseServer* const server = kind(why); \
  if (server == nullptr) GTEST_SKIP() << why

}  // namespace protium::whole
