// SPDX-License-Identifier: Apache-2.0
// The servers of this program, and commands that know their password.
#pragma once

#include <string>
#include <vector>

#include "whole/source_jobs.h"

namespace protium::whole {

// Runs the command with SHOP_PASSWORD in its environment.
Outcome RunWithPassword(const OwnJob& own, const std::string& password,
                        std::vector<std::string> words);
Outcome RunJob(const OwnJob& own, const std::string& password = kCanary);

// One server of each kind serves all tests of this program; null, with the reason, without one.
DatabaseServer* Postgres(std::string& why);
DatabaseServer* MariaDb(std::string& why);

#define NEED_SERVER(kind)                   \
  std::string why;                          \
  DatabaseServer* const server = kind(why); \
  if (server == nullptr) GTEST_SKIP() << why

}  // namespace protium::whole
