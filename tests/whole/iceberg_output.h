// SPDX-License-Identifier: Apache-2.0
// Jobs that write machines into the table sales.scores of an Iceberg catalogue, for tests.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "whole/iceberg_catalog.h"

namespace protium::whole {

class IcebergOutput : public testing::Test {
 protected:
  void SetUp() override { NEED_LAKES(); }

  // Writes the machines that `where` selects, each with `load`.
  std::string Job(const std::string& where, int load, const std::string& how) const {
    return fmt::format(
               "name = \"out\"\n[tables]\nmachines = {{ csv = \"machines.csv\" }}\n[etl]\nsql = "
               "\"SELECT id, kind, CAST({} AS DOUBLE) AS load FROM machines WHERE {}\"\n[outputs]\n"
               "out = {{ iceberg = \"sales.scores\", catalog = \"house\", {} }}\n",
               load, where, how) +
           catalog_->Section();
  }
  Outcome Write(const std::string& where, int load, const std::string& how) {
    own_.Write("job.toml", Job(where, load, how));
    std::filesystem::remove_all(own_ / "runs");
    return Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
  }
  std::map<std::string, std::string> Environment() const {
    std::map<std::string, std::string> environment;
    if (store_ != nullptr) environment = store_->Environment();
    environment["TOKEN"] = kStoreCanary;
    return environment;
  }
  Outcome Protium(std::vector<std::string> words) const {
    return AtStore(own_, Environment(), std::move(words));
  }
  void Start(const ObjectServer* store) {
    store_ = store;
    catalog_ = std::make_unique<IcebergCatalog>(
        store == nullptr ? "file://" + own_.path().string() : "s3://lake/written", store);
  }
  // Rows, distinct ids and the sum of loads, as pyiceberg reads them, and what `more` prints.
  std::string Rows(const std::string& more = "") const {
    return catalog_->Read(
        "print(rows.num_rows, len(set(rows['id'].to_pylist())), sum(rows['load'].to_pylist()))\n" +
        more);
  }
  // Rows and the sum of loads, as DuckDB reads them.
  std::string RowsByDuckDb() const {
    own_.Write("count.toml",
               "name = \"count\"\n[tables]\nt = { iceberg = \"sales.scores\", catalog = \"house\" "
               "}\n[etl]\nsql = \"SELECT count(*) AS n, sum(load) AS loads FROM t\"\n[outputs]\n"
               "counted = \"" +
                   (own_ / "counted.csv").string() + "\"\n" + catalog_->Section());
    const Outcome run =
        Protium({"run", own_ / "count.toml", "--runs-dir", own_ / "counts", "--force"});
    return run.exit == 0 ? own_.Text("counted.csv") : run.err;
  }
  // Starts to write ten rows and kills that when `seen` says so; then resumes it.
  Outcome KillAndResume(const std::string& how, const std::filesystem::path& watched,
                        const std::function<bool()>& seen) {
    own_.Write("job.toml", Job("id < 10", 1, how));
    std::filesystem::remove_all(own_ / "runs");
    Running run({ProtiumCommand(), "run", own_ / "job.toml", "--runs-dir", own_ / "runs"},
                own_.path(), Environment());
    EXPECT_TRUE(run.AwaitChange(watched, seen));
    run.Signal(SIGKILL);
    run.Wait();
    return Protium({"resume", FirstRun(own_)});
  }

  const OwnJob own_{MachinesTable(100)};
  const ObjectServer* store_ = nullptr;
  std::unique_ptr<IcebergCatalog> catalog_;
};

}  // namespace protium::whole
