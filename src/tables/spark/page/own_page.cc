// SPDX-License-Identifier: Apache-2.0
#include "spark/page/own_page.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "base/web_address.h"
#include "http/library.h"
#include "spark/page/page_plan.h"

namespace protium {

namespace {

constexpr const char* kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
constexpr int32_t kFirstPort = 4040;  // Unless spark.ui.port says otherwise.
constexpr int32_t kMostPorts = 16;    // Spark itself tries this many.
constexpr int kMostFailures = 2;
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr time_t kConnectSeconds = 1, kReadSeconds = 5;
constexpr size_t kMostExecutions = 100'000;
constexpr size_t kMostJobs = 10;  // Jobs of an operation whose stages are requested.
constexpr size_t kNewest = 30;    // Executions to look at again; others run beside this.
constexpr size_t kLargestAnswer = 32 << 20;

std::string Authority(const std::string& host, int32_t port) {
  const bool six = host.find(':') != host.npos;
  return six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

int32_t PortOf(const std::optional<std::string>& text) {
  if (!text) return kFirstPort;
  int32_t port = 0;
  std::from_chars(text->data(), text->data() + text->size(), port);
  return port > 0 && port < 65536 ? port : 0;
}

}  // namespace

// One page. Used only by the thread that holds it.
class OwnPage::Client {
 public:
  explicit Client(std::string address)
      : address_(std::move(address)), library_(address_.substr(0, PathBegin(address_))) {
    library_.set_connection_timeout(kConnectSeconds);
    library_.set_read_timeout(kReadSeconds);
    library_.set_keep_alive(true);
  }

  const std::string& address() const { return address_; }
  bool connected() const { return connected_; }
  bool gone() const { return failures_ >= kMostFailures; }

  // Returns null if it does not exist or there is no response.
  Json Get(const std::string& path) {
    if (gone()) return {};
    std::string body;
    const auto take = [&](const char* bytes, size_t size) {
      body.append(bytes, size);
      return body.size() <= kLargestAnswer;
    };
    const std::string whole = address_.substr(PathBegin(address_)) + "/api/v1/applications/" + path;
    const auto answer = library_.Get(whole.c_str(), take);
    connected_ = answer || answer.error() != httplib::Error::Connection;
    failures_ = answer ? 0 : failures_ + 1;
    if (!answer || answer->status != 200) return {};
    return ParseJson(body).ValueOr(Json());
  }

  bool Shows(const std::string& application) {
    return TextAt(Get(application), "id") == application;
  }

 private:
  static size_t PathBegin(const std::string& address) {
    return std::min(address.find('/', address.find("://") + 3), address.size());
  }

  std::string address_;
  httplib::Client library_;
  bool connected_ = false;
  int failures_ = 0;  // In a row.
};

Result<PageHints> AskPageHints(SparkSession& session, const std::string& host,
                               const std::string& given, const Call& call) {
  PageHints hints{.session = session.id(), .given = given};
  while (hints.given.ends_with('/')) hints.given.pop_back();
  if (!given.empty() && !IsWebAddress(hints.given)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + given + "\" is not an address of a page",
                 .where = "engine.spark.page",
                 .fix = "http://host:port or https://host/path, without a password"});
  }
  PT_LET(auto conf,
         session.GetConf({"spark.app.id", "spark.ui.enabled", "spark.ui.port", "spark.driver.host",
                          "spark.ui.reverseProxy", "spark.ssl.ui.enabled", "spark.ssl.enabled"},
                         call));
  hints.application = conf["spark.app.id"].value_or("");
  // It becomes part of paths.
  if (hints.application.find_first_not_of(kLetters) != std::string::npos) hints.application.clear();
  const bool plain = conf["spark.ui.enabled"] != "false" &&
                     conf["spark.ui.reverseProxy"] != "true" &&
                     conf["spark.ssl.ui.enabled"] != "true" && conf["spark.ssl.enabled"] != "true";
  if (!plain) return hints;
  hints.port = PortOf(conf["spark.ui.port"]);
  hints.hosts = {host};
  const std::string driver = conf["spark.driver.host"].value_or(host);
  if (driver != host) hints.hosts.insert(hints.hosts.begin(), driver);
  return hints;
}

OwnPage::OwnPage(PageHints hints) : hints_(std::move(hints)), patience_(hints_.patience) {}

std::unique_ptr<OwnPage::Client> OwnPage::Look(const PageHints& where) {
  if (where.application.empty()) return nullptr;
  if (!where.given.empty()) {
    auto client = std::make_unique<Client>(where.given);
    (void)client->Shows(where.application);  // From now on it is known whether it responds.
    return client;
  }
  for (const std::string& host : where.hosts) {
    for (int32_t port = where.port; port > 0 && port < where.port + kMostPorts; ++port) {
      const std::string address = "http://" + Authority(host, port);
      if (!IsWebAddress(address)) break;
      auto client = std::make_unique<Client>(address);
      if (client->Shows(where.application)) return client;
      // If nobody listens here, neither does Spark further on: it skips only ports that are taken.
      if (!client->connected()) break;
    }
  }
  return nullptr;
}

void OwnPage::Begin() {
  const std::lock_guard lock(mutex_);
  if (begun_) return;
  begun_ = true;
  looking_ = std::async(std::launch::async, Look, hints_);
}

OwnPage::~OwnPage() = default;

Json OwnPage::Read(const std::string& operation, bool operators) {
  const std::lock_guard lock(mutex_);
  const auto since = Clock::now();
  const Deadline end = since + std::min(hints_.wait, patience_);
  Json told = Json::object();
  if (looking_.valid() && looking_.wait_until(end) == std::future_status::ready) {
    client_ = looking_.get();
  }
  if (client_ != nullptr) told = Ask(operation, operators, end);
  const bool whole = client_ != nullptr && (!operators || told.contains("operators"));
  if (!whole) {
    const auto spent = std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - since);
    patience_ -= std::min(spent, patience_);
  }
  return told;
}

Json OwnPage::Ask(const std::string& operation, bool operators, Deadline end) {
  Json told = {{"page",
                {{"address", client_->address()},
                 {"application", hints_.application},
                 {"session", hints_.session}}},
               {"jobs", Json::array()},
               {"stages", Json::array()},
               {"executions", Json::array()}};
  const Json execution = AwaitFound(operation, end);
  if (!execution.is_object()) return told;
  const Json id = execution.value("id", Json());
  told["jobs"] = JobsOfExecution(execution);
  told["stages"] = StagesOf(JobsOfExecution(execution));
  told["executions"].push_back(id);
  if (!operators) return told;
  if (const auto whole = AwaitExecution(Dump(id), end)) {
    told["operators"] = OperatorsOfExecution(*whole);
  }
  return told;
}

// An old server has a thousand executions and jobs: only the newest executions are requested, and
// for each of this session's, once, the operation that it belongs to.
OwnPage::Found OwnPage::FindExecution(const std::string& operation) {
  const Json list =
      client_->Get(fmt::format("{}/sql?details=false&planDescription=false&offset={}&length={}",
                               hints_.application, first_, kMostExecutions));
  if (!list.is_array()) return {};
  // An empty list means that the server has dropped its oldest, and counts from another one.
  first_ = list.empty() ? 0 : first_ + list.size();
  first_ -= std::min(first_, kNewest);
  Found found;
  for (size_t i = list.size(); i-- > 0;) {
    const Json& execution = list[i];
    if (!IsOfSession(execution, hints_.session)) continue;
    found.without = found.without || IsNewWithoutJobs(execution);
    const std::vector<int64_t> jobs = JobsOfExecution(execution);
    const Json id = execution.is_object() ? execution.value("id", Json()) : Json();
    if (jobs.empty() || !id.is_number_integer()) continue;
    // Empty as long as the page does not know the job.
    std::string& whose = known_[id.get<int64_t>()];
    if (whose.empty()) {
      whose =
          OperationOfJob(client_->Get(fmt::format("{}/jobs/{}", hints_.application, jobs.front())));
    }
    if (whose != operation) continue;
    found.execution = execution;
    break;
  }
  return found;
}

// An execution that has ended has all its jobs.
bool OwnPage::IsNewWithoutJobs(const Json& execution) {
  const std::string& status = TextAt(execution, "status");
  const Json id = execution.value("id", Json());
  return (status == "COMPLETED" || status == "FAILED") && JobsOfExecution(execution).empty() &&
         id.is_number_integer() && without_jobs_.insert(id.get<int64_t>()).second;
}

// Null: the operation ran no job, or the page does not learn of it in time.
Json OwnPage::AwaitFound(const std::string& operation, Deadline end) {
  while (true) {
    Found found = FindExecution(operation);
    const bool known = found.execution.is_object() || found.without;
    if (known || client_->gone() || Clock::now() > end) return std::move(found.execution);
    std::this_thread::sleep_for(kPause);
  }
}

Json OwnPage::StagesOf(const std::vector<int64_t>& jobs) {
  std::set<int64_t> stages;
  for (size_t i = 0; i < std::min(jobs.size(), kMostJobs); ++i) {
    const Json job = client_->Get(fmt::format("{}/jobs/{}", hints_.application, jobs[i]));
    const Json ids = job.is_object() ? job.value("stageIds", Json()) : Json();
    for (const Json& id : ids.is_array() ? ids : Json::array()) {
      if (id.is_number_integer()) stages.insert(id.get<int64_t>());
    }
  }
  return stages;
}

// The page learns of the end of an execution a little after its client does.
std::optional<Json> OwnPage::AwaitExecution(const std::string& id, Deadline end) {
  while (true) {
    Json execution = client_->Get(
        fmt::format("{}/sql/{}?details=true&planDescription=false", hints_.application, id));
    if (IsExecutionOver(execution)) return execution;
    if (client_->gone() || Clock::now() > end) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace protium
