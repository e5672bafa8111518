// SPDX-License-Identifier: Apache-2.0
// The requests that the page answers under /api/v1, each from the folders of runs alone;
// docs/page.md lists them. Any thread.
#pragma once

#include <filesystem>

#include "http/exchange.h"
#include "page/run_index.h"

namespace protium {

class PageApi {
 public:
  explicit PageApi(std::filesystem::path runs) : runs_(std::move(runs)) {}

  // Whether a path asks for data: all that begin with "/api/", and "/metrics".
  static bool IsData(const std::string& path);

  // Answers GET requests for data. What is damaged or missing is a refusal with clear words, or
  // empty.
  HttpAnswer Answer(const HttpRequest& request);

  // Reads all runs once, so that the first who asks need not wait.
  void WarmUp() { (void)runs_.List(); }

 private:
  HttpAnswer AnswerOfRun(const HttpRequest& request, std::string_view rest);
  HttpAnswer Gangs();
  HttpAnswer Prometheus();
  HttpAnswer Compare(const HttpRequest& request);

  RunIndex runs_;
};

}  // namespace protium
