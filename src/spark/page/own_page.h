// SPDX-License-Identifier: Apache-2.0
// Spark's own page: where it is, and what it tells of an operation beyond what Spark Connect does:
// its jobs, stages and SQL executions, and the operators of a write.
//
// 1. A page is believed to be this server's only if its monitoring names the server's application:
//    Spark takes another port than the one of its settings where that is taken.
// 2. Nothing depends on it: where it is not found, or does not answer, nothing is told. A page that
//    failed to answer once is not asked again.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "spark/connect/session.h"

namespace protium {

// Where to look for the page of an application.
struct PageHints {
  std::string application;         // Its id, as "local-1795543649133".
  std::string session;             // Of Spark Connect.
  std::string given;               // The page's address from the user; empty: it is looked for.
  std::vector<std::string> hosts;  // On each of them from `port` on.
  int32_t port = 0;                // 0: nowhere.
};

// What the server's settings say; `host` is where it was reached. Hosts and ports are left out
// where the page is off, behind a proxy or encrypted.
Result<PageHints> AskPageHints(SparkSession& session, const std::string& host,
                               const std::string& given, const Call& call);

// Thread-safe.
class OwnPage {
 public:
  explicit OwnPage(PageHints hints);
  ~OwnPage();  // Waits for a look that goes on.

  // Begins to look, in a thread of its own, unless that was done. Whoever only asks for a plan
  // begins nothing: the name of a host that nobody knows may take seconds.
  void Begin();

  // What an event of the operation with this id says more: {"page": {"address", "application",
  // "session"}, "jobs": [id], "stages": [id], "executions": [id]} and, if they are asked for, its
  // "operators". Empty where the page is not known. Takes a few seconds at most.
  Json Tell(const std::string& operation, bool operators);

 private:
  class Client;
  static std::unique_ptr<Client> Look(const PageHints& where);
  Json Ask(const std::string& operation, bool operators);
  Json FindExecution(const std::string& operation);
  Json StagesOf(const std::vector<int64_t>& jobs);
  std::optional<Json> AwaitExecution(const std::string& id);

  const PageHints hints_;
  std::mutex mutex_;
  // Of what follows.
  bool begun_ = false;
  std::future<std::unique_ptr<Client>> looking_;
  std::unique_ptr<Client> client_;        // Null: not found, or not yet.
  std::map<int64_t, std::string> known_;  // Operations by the executions that they are.
  size_t first_ = 0;                      // Of the executions that are asked for.
};

}  // namespace protium
