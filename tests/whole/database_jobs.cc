// SPDX-License-Identifier: Apache-2.0
#include "whole/database_jobs.h"

#include <memory>
#include <utility>

namespace protium::whole {

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

}  // namespace protium::whole
