// SPDX-License-Identifier: Apache-2.0
#include "whole/lake_jobs.h"

#include <memory>
#include <utility>

namespace protium::whole {

namespace fs = std::filesystem;

ObjectServer* Store(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<ObjectServer> server = ObjectServer::Start(0, reason);
  why = reason;
  return server.get();
}

Outcome AtStore(const OwnJob& own, const std::map<std::string, std::string>& environment,
                std::vector<std::string> words) {
  words.insert(words.begin(), ProtiumCommand());
  Running command(std::move(words), own.path(), environment);
  return command.Wait();
}

Outcome RunAtStore(const OwnJob& own, const ObjectServer& store) {
  return AtStore(own, store.Environment(),
                 {"run", (own / "job.toml").string(), "--runs-dir", own / "runs"});
}

std::string FirstRun(const OwnJob& own) { return fs::path(own.Model()).parent_path().string(); }

std::string CountOf(const OwnJob& own, const ObjectServer* store, const std::string& table) {
  own.Write("job.toml", "name = \"count\"\n[tables]\nt = " + table +
                            "\n[etl]\nsql = \"SELECT count(*) AS n, sum(id) AS ids FROM t\"\n"
                            "[outputs]\ncounted = \"" +
                            (own / "counted.csv").string() + "\"\n");
  const std::map<std::string, std::string> none;
  const Outcome run =
      AtStore(own, store == nullptr ? none : store->Environment(),
              {"run", (own / "job.toml").string(), "--runs-dir", own / "runs", "--force"});
  return run.exit == 0 ? own.Text("counted.csv") : run.err;
}

}  // namespace protium::whole
