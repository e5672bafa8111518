// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/spark_session.h"

#include <string_view>
#include <utility>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

// Settings for the meaning of SQL and for sending rows to workers.
const SparkSession::Settings& Always() {
  static const SparkSession::Settings settings = {
      {"spark.sql.ansi.enabled", "true"},
      {"spark.sql.ansi.doubleQuotedIdentifiers", "true"},
      {"spark.sql.session.timeZone", "UTC"},
      // With any smaller limit, the server computes a batch's size after every row, which halves
      // its speed or worse; 0 and -1 are refused.
      {"spark.sql.execution.arrow.maxBytesPerBatch", "2147483647"},
      // Makes Spark add a crashed worker's own message to its message (spark_worker/crash.h).
      {"spark.sql.execution.pyspark.udf.faulthandler.enabled", "true"}};
  return settings;
}

// A rule of Spark's optimiser that drops the FLOAT from CAST(CAST(x AS FLOAT) AS DOUBLE) for any
// whole x, so that nothing is rounded; even across subqueries, if it chooses to merge them. Without
// the rule, a value depends only on the text of a query. Other rules that a server excludes stay
// excluded.
constexpr std::string_view kLossyRule = "org.apache.spark.sql.catalyst.optimizer.SimplifyCasts";

Status LeaveOutLossyRule(SparkSession& session) {
  static const std::string kKey = "spark.sql.optimizer.excludedRules";
  PT_LET(auto settings, session.GetConf({kKey}, {}));
  std::string rules = settings[kKey].value_or("");
  if (rules.find(kLossyRule) != std::string::npos) return Status::OK();
  rules += (rules.empty() ? "" : ",") + std::string(kLossyRule);
  return session.SetConf({{kKey, rules}}, {});
}

// Unknown before 4.2. Batches must be uncompressed, whatever the server's default is.
constexpr const char* kCompression = "spark.sql.execution.arrow.compression.codec";

Status CheckVersion(const SparkSession& session) {
  const std::string& version = session.version();
  for (const char* known : {"4.0.", "4.1.", "4.2.", "4.3."}) {
    if (version.starts_with(known)) return Status::OK();
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "the server at " + session.address() + " is Spark " + version,
               .why = "protium supports Spark 4.0, 4.1, 4.2 and 4.3",
               .fix = "use a server of one of these releases, or the engine \"local\""});
}

bool IsUuid(const std::string& text) {
  return text.size() == 36 &&
         text.find_first_not_of("0123456789abcdefABCDEF-") == std::string::npos;
}

Status EndLeftovers(SparkAddress address, const std::filesystem::path& note) {
  std::error_code ignored;
  if (note.empty() || !std::filesystem::exists(note, ignored)) return Status::OK();
  PT_LET(std::string id, ReadFile(note, 64));
  while (!id.empty() && id.back() == '\n') id.pop_back();
  if (!IsUuid(id) || !address.session_id.empty()) return Status::OK();
  return SparkSession::EndLeftover(std::move(address), id, {});
}

}  // namespace

Result<std::unique_ptr<SparkSession>> OpenSession(const std::string& address,
                                                  const std::filesystem::path& note) {
  PT_LET(SparkAddress parsed, ParseSparkAddress(address));
  PT_TRY(EndLeftovers(parsed, note));
  // Seven tries wait about two minutes in all; a server that stays away longer is given up.
  PT_LET(auto session, SparkSession::Open(std::move(parsed), {}, {.retry = {.tries = 7}}));
  // Before anything else runs in the session: otherwise a driver that is killed now would leave it
  // unnoticed.
  if (!note.empty()) PT_TRY(WriteFile(note, session->id() + "\n"));
  PT_TRY(CheckVersion(*session));
  PT_TRY(session->SetConf(Always(), {}));
  PT_TRY(LeaveOutLossyRule(*session));
  const auto compression = session->IsModifiable(kCompression, {});
  if (compression.ok() && *compression) PT_TRY(session->SetConf({{kCompression, "none"}}, {}));
  return session;
}

}  // namespace protium
