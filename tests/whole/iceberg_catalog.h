// SPDX-License-Identifier: Apache-2.0
// A catalogue of Iceberg tables for tests, on a free port of the loopback address.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "whole/free_port.h"
#include "whole/lake_jobs.h"

namespace protium::whole {

// Ends with its object. The token that it asks for is kStoreCanary.
class IcebergCatalog {
 public:
  // With its tables below `warehouse`, "file:///..." or "s3://lake/...", of which `store` is then
  // the store.
  IcebergCatalog(const std::string& warehouse, const ObjectServer* store)
      : store_(store), port_(FreePort()) {
    std::vector<std::string> words = {"/usr/bin/env",
                                      "python3",
                                      (Repository() / "tests/whole/iceberg_catalog.py").string(),
                                      folder_.path().string(),
                                      warehouse,
                                      std::to_string(port_),
                                      kStoreCanary};
    if (store != nullptr) words.push_back(store->url());
    server_ = StartServer(std::move(words), folder_.path(),
                          {{"PYTHONPATH", (Repository() / ".deps/lakes").string()}});
    EXPECT_TRUE(AwaitAnswer(port_, *server_));
  }

  // The connection "house" of a job; the token is in the environment variable TOKEN.
  std::string Section() const {
    return fmt::format(
        "[connections.house]\nurl = \"http://127.0.0.1:{}\"\npassword = {{ env = \"TOKEN\" }}\n",
        port_);
  }
  // The next commit is disturbed as iceberg_catalog.py says of this word.
  void Disturb(const std::string& how) const { std::ofstream(folder_.path() / how) << "\n"; }
  bool Has(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
  // Waits until the catalogue has made the file of its folder.
  bool Await(const std::string& name) const {
    return server_->AwaitChange(folder_.path(), [&] { return Has(name); });
  }
  std::string Text(const std::string& name) const { return ReadText(folder_.path() / name); }
  std::filesystem::path folder() const { return folder_.path(); }

  // What a Python program prints of `table` and `rows`, all of sales.scores; else what went wrong.
  std::string Read(const std::string& program) const {
    const Outcome read =
        RunLakePython(
            R"(import os, sys
from pyiceberg.catalog.sql import SqlCatalog
folder, endpoint = sys.argv[1:3]
store = {"s3.endpoint": endpoint, "s3.access-key-id": "k", "s3.secret-access-key": "s",
         "s3.region": "us-east-1"} if endpoint else {}
catalog = SqlCatalog("c", uri="sqlite:///" + folder + "/catalog.db", **store)
table = catalog.load_table("sales.scores")
rows = table.scan().to_arrow()
)" + program + "\nsys.stdout.flush()\nos._exit(0)\n",
            {folder_.path().string(), store_ == nullptr ? "" : store_->url()}, folder_.path());
    return read.exit == 0 ? read.out : read.err;
  }

 private:
  const ObjectServer* const store_;
  Scratch folder_;
  const int port_;
  std::unique_ptr<Running> server_;
};

}  // namespace protium::whole
