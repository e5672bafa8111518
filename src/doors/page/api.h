// SPDX-License-Identifier: Apache-2.0
// The requests that the page responds to under /api/v1, using only the folders of runs and streams;
// docs/page.md lists them. Any thread.
//
// Respond() changes nothing. Act() does, and is refused if the page was started without a token.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "page/changes.h"
#include "page/run_index.h"

namespace protium {

struct ApiFolders {
  std::filesystem::path runs;
  std::filesystem::path streams = {};
  bool changes = false;  // Whether Act() is allowed.
};

class PageApi {
 public:
  explicit PageApi(ApiFolders folders)
      : folder_(folders.runs),
        streams_(std::move(folders.streams)),
        changes_(folders.changes),
        runs_(std::move(folders.runs)) {}

  // Whether a path is a data request: all that begin with "/api/", and "/metrics".
  static bool IsData(const std::string& path);

  // Responds to GET requests for data. Damaged or missing data becomes a refusal with a clear
  // message, or an empty response.
  HttpResponse Respond(const HttpRequest& request);

  // Responds to POST and DELETE requests for data. The caller has already checked that the sender
  // is allowed to.
  HttpResponse Act(const HttpRequest& request, const std::string& body);

  // Reads all runs once, so that the first request need not wait.
  void WarmUp() { (void)runs_.List(); }

 private:
  // "ID", "ID/WHAT" or "ID/WHAT/MORE"; `below` is what follows the ID. Null run: not found.
  struct Asked {
    std::string name;
    std::string_view below;
    std::shared_ptr<LiveRun> run;
  };
  Asked FindRun(std::string_view rest);
  HttpResponse ResponseOfRun(const HttpRequest& request, std::string_view rest);
  HttpResponse ResponseOfApplication(const HttpRequest& request, std::string_view rest);
  HttpResponse Applications(const HttpRequest& request);
  // Null if there is no such path.
  static Result<Json> OfApplication(LiveRun& run, std::string_view what);
  // Uses the run's overview.
  static Result<Json> ExecutorsOfRun(LiveRun& run, Json& overview);
  HttpResponse Streams();
  HttpResponse Stream(const std::string& name);
  // Names the runs that made its models, as far as they are here.
  void NameRuns(Json& status);
  HttpResponse Gangs();
  HttpResponse MachineOfPool();
  HttpResponse Prometheus();
  HttpResponse Compare(const HttpRequest& request);

  const std::filesystem::path folder_;
  const std::filesystem::path streams_;
  const bool changes_;
  RunIndex runs_;
  RunModels models_;
};

}  // namespace protium
