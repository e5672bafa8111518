// SPDX-License-Identifier: Apache-2.0
// The page of runs beside a run: `protium ui` as a separate process, so that neither can hold up
// the other. It ends with this process.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "os/subprocess.h"

namespace protium {

class PageBeside {
 public:
  // Waits until the page has its address, at most 20 seconds.
  static Result<std::unique_ptr<PageBeside>> Start(const std::filesystem::path& runs);

  const std::string& address() const { return address_; }  // "http://127.0.0.1:4040/"

  // Leaves the page up until Ctrl-C, for somebody who watches the terminal.
  Status StayUntilCtrlC() const;

 private:
  PageBeside() = default;
  Status AwaitAddress();

  Spawner spawner_;
  Subprocess page_;
  UniqueFd said_;  // Its stdout.
  std::string address_;
};

}  // namespace protium
