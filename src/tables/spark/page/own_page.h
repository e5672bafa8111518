// SPDX-License-Identifier: Apache-2.0
// Spark's own page: where it is, and what it tells of an operation beyond what Spark Connect does:
// its jobs, stages and SQL executions, and the operators of a write.
//
// 1. A page is believed to be this server's only if its monitoring names the server's application:
//    Spark takes another port than the one of its settings where that is taken.
// 2. Nothing depends on it: where it is not found, or does not answer, nothing is told. A page that
//    failed to answer twice in a row is not asked again.
// 3. On a busy machine it hears of an execution seconds after its client does, so it is asked again
//    until it knows. What it never comes to know costs a session no more than its patience.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/call.h"
#include "connect/session.h"

namespace protium {

// Where to look for the page of an application.
struct PageHints {
  std::string application;         // Its id, as "local-1795543649133".
  std::string session;             // Of Spark Connect.
  std::string given;               // The page's address from the user; empty: it is looked for.
  std::vector<std::string> hosts;  // On each of them from `port` on.
  int32_t port = 0;                // 0: nowhere.
  // The longest wait for what the page does not know yet, in one call of Tell() and in all of them.
  std::chrono::milliseconds wait{8000};
  std::chrono::milliseconds patience{20000};
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
  // "operators". Empty where the page is not known. Waits for what is late, see PageHints.
  Json Tell(const std::string& operation, bool operators);

 private:
  class Client;
  static std::unique_ptr<Client> Look(const PageHints& where);
  Json Ask(const std::string& operation, bool operators, Deadline end);
  // What the page says of an operation at one time.
  struct Found {
    Json execution;        // Null: none of this operation is known.
    bool without = false;  // There is a new one that ran no job, so nothing is late.
  };
  Found FindExecution(const std::string& operation);
  Json AwaitFound(const std::string& operation, Deadline end);
  bool IsNewWithoutJobs(const Json& execution);
  Json StagesOf(const std::vector<int64_t>& jobs);
  std::optional<Json> AwaitExecution(const std::string& id, Deadline end);

  const PageHints hints_;
  std::mutex mutex_;
  // Of what follows.
  bool begun_ = false;
  std::future<std::unique_ptr<Client>> looking_;
  std::unique_ptr<Client> client_;        // Null: not found, or not yet.
  std::map<int64_t, std::string> known_;  // Operations by the executions that they are.
  std::set<int64_t> without_jobs_;        // Executions that are over and ran none.
  size_t first_ = 0;                      // Of the executions that are asked for.
  std::chrono::milliseconds patience_;    // What is left of it.
};

}  // namespace protium
