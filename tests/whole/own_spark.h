// SPDX-License-Identifier: Apache-2.0
// A Spark server of a test's own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

// Ends with this object. `flags` are more of scripts/spark-server.
class OwnServer {
 public:
  // On local[2] the server is its own executor. Port 0: any that is free.
  explicit OwnServer(const std::string& version, const std::string& port = "0",
                     const std::string& master = "local[2]",
                     const std::vector<std::string>& settings = {},
                     const std::vector<std::string>& flags = {}) {
    std::vector<std::string> words = {(Repository() / "scripts" / "spark-server").string(),
                                      "start",
                                      "--version",
                                      version,
                                      "--master",
                                      master,
                                      "--port",
                                      port,
                                      "--brief",
                                      "--state",
                                      (scratch_.path() / "server").string(),
                                      "--lifetime",
                                      "900"};
    for (const std::string& each : settings) words.insert(words.end(), {"--conf", each});
    words.insert(words.end(), flags.begin(), flags.end());
    starting_ = std::make_unique<Running>(std::move(words), scratch_.path());
    const Outcome outcome = starting_->Wait(std::chrono::seconds(300));
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    address_ = outcome.out.substr(0, outcome.out.find('\n'));
  }

  const std::string& address() const { return address_; }
  // Where it writes all that it writes.
  std::filesystem::path state() const { return scratch_.path() / "server"; }
  std::string port() const { return address_.substr(address_.rfind(':') + 1); }

 private:
  const Scratch scratch_;
  std::unique_ptr<Running> starting_;
  std::string address_;
};

}  // namespace protium::whole
