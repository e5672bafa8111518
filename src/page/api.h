// SPDX-License-Identifier: Apache-2.0
// The requests that the page answers under /api/v1, each from the folders of runs alone;
// docs/page.md lists them. Any thread.
#pragma once

#include <filesystem>

#include "page/exchange.h"
#include "page/run_index.h"

namespace protium {

class PageApi {
 public:
  explicit PageApi(std::filesystem::path runs) : runs_(std::move(runs)) {}

  // Answers GET requests whose path begins with "/api/". What is damaged or missing is a refusal
  // with clear words, or empty.
  PageAnswer Answer(const PageRequest& request);

  // Reads all runs once, so that the first who asks need not wait.
  void WarmUp() { (void)runs_.List(); }

 private:
  PageAnswer AnswerOfRun(const PageRequest& request, std::string_view rest);
  PageAnswer Gangs();
  PageAnswer Compare(const PageRequest& request);

  RunIndex runs_;
};

}  // namespace protium
