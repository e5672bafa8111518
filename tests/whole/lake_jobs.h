// SPDX-License-Identifier: Apache-2.0
// What tests of lakes and object stores share: a store, and jobs that read from it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "whole/object_server.h"
#include "whole/table_jobs.h"

namespace protium::whole {

// One store serves all tests of a program, each below a folder of its own; null, with the reason,
// without one.
ObjectServer* Store(std::string& why);

#define NEED_STORE(store)                 \
  NEED_EXTENSION("httpfs", "s3");         \
  std::string why;                        \
  ObjectServer* const store = Store(why); \
  if (store == nullptr) GTEST_SKIP() << why

Outcome AtStore(const OwnJob& own, const std::map<std::string, std::string>& environment,
                std::vector<std::string> words);
// Runs own / "job.toml".
Outcome RunAtStore(const OwnJob& own, const ObjectServer& store);

// The number of rows of a table and the sum of their ids, as the text of a CSV file; else what the
// command says. `store` may be null.
std::string CountOf(const OwnJob& own, const ObjectServer* store, const std::string& table);

// The folder of the last run of own / "runs".
std::string FirstRun(const OwnJob& own);

}  // namespace protium::whole
