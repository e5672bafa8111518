// SPDX-License-Identifier: Apache-2.0
// The requests that the page answers under /api/v1, each from the folders of runs alone;
// docs/page.md lists them. Any thread.
//
// Answer() changes nothing. Act() does, and is refused where the page was started without a token.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "page/changes.h"
#include "page/run_index.h"

namespace protium {

class PageApi {
 public:
  explicit PageApi(std::filesystem::path runs, bool changes = false)
      : folder_(runs), changes_(changes), runs_(std::move(runs)) {}

  // Whether a path asks for data: all that begin with "/api/", and "/metrics".
  static bool IsData(const std::string& path);

  // Responses GET requests for data. What is damaged or missing is a refusal with clear words, or
  // empty.
  HttpResponse Respond(const HttpRequest& request);

  // Responses POST and DELETE requests for data. Whether somebody may ask is checked before.
  HttpResponse Act(const HttpRequest& request, const std::string& body);

  // Reads all runs once, so that the first who asks need not wait.
  void WarmUp() { (void)runs_.List(); }

 private:
  // "ID", "ID/WHAT" or "ID/WHAT/MORE", of which `below` is what comes behind the ID. No run: null.
  struct Asked {
    std::string name;
    std::string_view below;
    std::shared_ptr<LiveRun> run;
  };
  Asked FindRun(std::string_view rest);
  HttpResponse ResponseOfRun(const HttpRequest& request, std::string_view rest);
  HttpResponse ResponseOfApplication(const HttpRequest& request, std::string_view rest);
  HttpResponse Applications(const HttpRequest& request);
  // Null where there is no such path.
  static Result<Json> OfApplication(LiveRun& run, std::string_view what);
  // With the run's overview, which they are made of.
  static Result<Json> ExecutorsOfRun(LiveRun& run, Json& overview);
  HttpResponse Gangs();
  HttpResponse Prometheus();
  HttpResponse Compare(const HttpRequest& request);

  const std::filesystem::path folder_;
  const bool changes_;
  RunIndex runs_;
  RunModels models_;
};

}  // namespace protium
