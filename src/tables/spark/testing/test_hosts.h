// SPDX-License-Identifier: Apache-2.0
// For tests: two hosts with names and networks of their own, joined by a connection that can be
// cut. Files and processes are this machine's.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "os/fd.h"

namespace protium {

class TestHosts {
 public:
  // Fails if this process may not have networks of its own, or lacks ip(8).
  static Result<std::unique_ptr<TestHosts>> Make();
  // Moves the calling thread, and what it starts later, to host 0 or 1, "host-0" or "host-1".
  void Enter(int host) const;
  void Cut() const;
  void Join() const;

 private:
  struct Host {
    UniqueFd network;
    UniqueFd name;
  };
  static Result<Host> MakeHost(int number);
  Status Run(int host, const std::string& command) const;

  std::vector<Host> hosts_;
};

}  // namespace protium
