// SPDX-License-Identifier: Apache-2.0
// Spark's own page: where it is, and what it reports about an operation beyond Spark Connect: its
// jobs, stages and SQL executions, and the operators of a write.
//
// 1. A page is trusted to be this server's only if its monitoring names the server's application:
//    Spark uses another port than the one in its settings if that is taken.
// 2. Nothing depends on the page: if it is not found or does not respond, nothing is reported. A
//    page that failed to respond twice in a row is not asked again.
// 3. On a busy machine the page learns of an execution seconds after its client does, so it is
//    asked again until it knows. Waiting for what it never learns costs a session at most its
//    patience.
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
  std::string application;         // Its id, such as "local-1795543649133".
  std::string session;             // The id of the Spark Connect session.
  std::string given;               // The user's address of the page; empty: it is looked for.
  std::vector<std::string> hosts;  // Hosts to try, each from `port` on.
  int32_t port = 0;                // 0: nowhere.
  // The longest wait for what the page does not know yet, in one call of Read() and in all.
  std::chrono::milliseconds wait{8000};
  std::chrono::milliseconds patience{20000};
};

// Reads the server's settings; `host` is where it was reached. Leaves out hosts and ports if the
// page is off, behind a proxy or encrypted.
Result<PageHints> AskPageHints(SparkSession& session, const std::string& host,
                               const std::string& given, const Call& call);

// Thread-safe.
class OwnPage {
 public:
  explicit OwnPage(PageHints hints);
  ~OwnPage();  // Waits for a search in progress.

  // Starts the search in a thread of its own, unless it has started. Not called if only a plan is
  // wanted: resolving an unknown host name may take seconds.
  void Begin();

  // Returns what an event of the operation with this id adds: {"page": {"address", "application",
  // "session"}, "jobs": [id], "stages": [id], "executions": [id]} and, if requested, its
  // "operators". Empty if the page is not known. Waits for what is late, see PageHints.
  Json Read(const std::string& operation, bool operators);

 private:
  class Client;
  static std::unique_ptr<Client> Look(const PageHints& where);
  Json Ask(const std::string& operation, bool operators, Deadline end);
  // What the page says of an operation at one time.
  struct Found {
    Json execution;        // Null: no execution of this operation is known.
    bool without = false;  // A new execution ran no job, so nothing is late.
  };
  Found FindExecution(const std::string& operation);
  Json AwaitFound(const std::string& operation, Deadline end);
  bool IsNewWithoutJobs(const Json& execution);
  Json StagesOf(const std::vector<int64_t>& jobs);
  std::optional<Json> AwaitExecution(const std::string& id, Deadline end);

  const PageHints hints_;
  std::mutex mutex_;
  // Guards the members below.
  bool begun_ = false;
  std::future<std::unique_ptr<Client>> looking_;
  std::unique_ptr<Client> client_;        // Null: not found, or not found yet.
  std::map<int64_t, std::string> known_;  // By execution, its operation.
  std::set<int64_t> without_jobs_;        // Executions that have ended and ran no job.
  size_t first_ = 0;                      // The offset from which executions are requested.
  std::chrono::milliseconds patience_;    // What is left of hints_.patience.
};

}  // namespace protium
