// SPDX-License-Identifier: Apache-2.0
// Real database servers for tests: Debian's, in a temporary folder, on a free port of the loopback
// address. A server ends with its object.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "whole/command.h"

namespace protium::whole {

// The password of every server; a test that looks for secrets looks for this.
inline constexpr const char* kCanary = "canary-7c1d-pw";

class DatabaseServer {
 public:
  // Null, with the reason in `why`, where the server is not installed or does not start.
  static std::unique_ptr<DatabaseServer> StartPostgres(std::string& why);
  static std::unique_ptr<DatabaseServer> StartMariaDb(std::string& why);
  ~DatabaseServer();

  // "postgresql://reader@127.0.0.1:40123/shop", without the password.
  std::string url() const;
  // Runs statements as the owner and returns what the client prints, without decoration.
  std::string Sql(const std::string& text) const;
  // All that the server has logged, with every statement.
  std::string Log() const;
  // Ends the server now.
  void Stop();
  // Starts PostgreSQL again, on the same port and with the same data; false if it does not start.
  bool StartAgain();

 private:
  DatabaseServer() = default;
  std::filesystem::path folder_;
  int port_ = 0;
  bool postgres_ = true;
  std::vector<std::string> words_;  // That it is started with.
  std::unique_ptr<Running> server_;
};

}  // namespace protium::whole
