// SPDX-License-Identifier: Apache-2.0
// The query runs in the server, whether we look at it or not. An executor that lacks our program
// ends it; then the program is sent, and the query goes on from its checkpoint.
#include "spark/stream/spark_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/fault.h"
#include "connect/streaming.h"
#include "spark/engine/tasks_run.h"
#include "spark/ship/tables.h"
#include "spark/sources/delta.h"
#include "spark/stream/topics.h"

namespace protium {
namespace {

using std::chrono::milliseconds;

constexpr const char* kDoing = "the stream";
constexpr const char* kCountedRows = "pt_rows";
// Files that one batch reads at most, so that a full folder is not one batch.
constexpr const char* kMostFiles = "1000";
// Spark ignores, in silence, files that are older than this compared with the newest; and forgets
// which it has read.
constexpr const char* kForgetAfter = "36500d";
constexpr std::chrono::seconds kStopWithin{60};

std::string FormatName(Format format) {
  if (format == Format::kCsv) return "csv";
  return format == Format::kJsonLines ? "json" : "parquet";
}

void SetSink(const QueryFiles& sink, connect::StreamWrite& write) {
  write.format = FormatName(sink.format);
  write.path = FileUri(sink.folder.string());
  if (sink.format == Format::kCsv) write.options["header"] = "true";
}
void SetSink(const Source& lake, connect::StreamWrite& write) {
  write.format = "delta";
  write.path = FileUri(lake.file);
}
void SetSink(const QueryMessages& sink, connect::StreamWrite& write) {
  write.format = "kafka";
  write.options = MessageOptions(sink.topic);
}

connect::StreamWrite WriteOf(const StreamQuerySpec& spec) {
  connect::StreamWrite write{.name = spec.name};
  std::visit([&](const auto& sink) { SetSink(sink, write); }, spec.sink);
  write.options["checkpointLocation"] = FileUri(spec.checkpoint.string());
  if (!spec.once) write.every = spec.every;
  return write;
}

// What the query writes, with its rows counted before they become messages.
connect::Relation Written(const SparkTable& table, const QuerySink& sink) {
  auto rows = connect::Observe(table.relation, kCountedRows, {"count(1) AS rows"});
  const auto* const messages = std::get_if<QueryMessages>(&sink);
  if (messages == nullptr) return rows;
  return AsMessages(std::move(rows), *table.schema, *messages);
}

// Whatever keeps rows between batches (sums, joins of streams, DISTINCT, LIMIT) says in Spark's
// plan where it does.
Status CheckStateless(SparkSession& session, const SparkTable& table, const Call& call) {
  PT_LET(const std::string plan, session.Explain(table.relation, call));
  if (plan.find("state info [") == std::string::npos) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the SQL does not treat each event by itself",
               .where = "etl.sql",
               .why = "Spark would keep rows of earlier batches for it",
               .fix = "leave out GROUP BY, DISTINCT, LIMIT and joins of events with themselves; or "
                      "engine = \"local\", where the SQL sees one batch",
               .kept = "nothing was started"});
}

// The innermost exception of a stack trace, without its class; empty if there is none.
std::string InnermostCause(std::string_view trace) {
  constexpr std::string_view kCause = "\nCaused by: ";
  const size_t at = trace.rfind(kCause);
  if (at == trace.npos) return {};
  trace.remove_prefix(at + kCause.size());
  const size_t behind = trace.find(": ");
  if (behind < trace.find('\n')) trace.remove_prefix(behind + 2);
  return std::string(trace);
}

// Spark's message of a query that failed, without its frame: the exception's class, and the query
// behind the text.
SparkError ErrorOf(const connect::proto::StreamingQueryCommandResult::ExceptionResult& exception) {
  constexpr std::string_view kBefore = "StreamingQueryException: ";
  constexpr std::string_view kBehind = "\n=== Streaming Query ===";
  std::string_view text = exception.exception_message();
  if (const size_t at = text.find(kBefore); at < text.find('\n')) {
    text.remove_prefix(at + kBefore.size());
  }
  text = text.substr(0, text.find(kBehind));
  SparkError error{.code = 13, .message = std::string(text)};
  if (std::string cause = InnermostCause(exception.stack_trace()); !cause.empty()) {
    error.causes.push_back({.message = std::move(cause)});
  }
  return error;
}

Json PartOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : Json::object();
}

int64_t RowsRead(const Json& progress) {
  int64_t rows = 0;
  const auto sources = progress.find("sources");
  if (sources == progress.end() || !sources->is_array()) return rows;
  for (const Json& each : *sources) rows += WholeAt(each, "numInputRows");
  return rows;
}

// Spark writes a row of observed values with its schema, or as an object, by its release.
int64_t RowsWritten(const Json& observed) {
  const auto values = observed.find("values");
  const bool listed = values != observed.end() && values->is_array() && values->size() == 1;
  return WholeAt(listed ? Json{{"rows", values->front()}} : observed, "rows");
}

StreamQueryBatch BatchOf(const Json& progress) {
  const Json times = PartOf(progress, "durationMs");
  return {.number = WholeAt(progress, "batchId", -1),
          .read = RowsRead(progress),
          .written = RowsWritten(PartOf(PartOf(progress, "observedMetrics"), kCountedRows)),
          .took = milliseconds(WholeAt(times, "triggerExecution"))};
}

class SparkStream : public StreamQuery {
 public:
  SparkStream(SparkSession& session, Deployment& deployment, StreamQuerySpec spec,
              connect::Command start)
      : session_(session),
        deployment_(deployment),
        spec_(std::move(spec)),
        start_(std::move(start)) {}
  ~SparkStream() override { (void)Stop(); }

  Status Begin(const Call& call) {
    sends_ = deployment_.sends();
    const auto started = session_.Command(start_, Options(), call);
    PT_TRY(AtEnds(started.status()));
    if (!started->query) return Status::UnknownError("Spark did not say which query it started");
    query_ = *started->query;
    active_ = true;
    return Status::OK();
  }

  Result<StreamQueryNow> Look(const Call& call) override {
    // First, so that nothing is missed of a query that has ended.
    PT_LET(const auto status, Ask(connect::AboutQuery::kStatus, call));
    StreamQueryNow now{.active = status.status().is_active(),
                       .doing = status.status().status_message()};
    PT_LET(const auto progress, Ask(connect::AboutQuery::kProgress, call));
    for (const std::string& each : progress.recent_progress().recent_progress_json()) {
      Take(each, now);
    }
    active_ = now.active;
    if (!now.active) PT_TRY(AfterEnd(now, call));
    return now;
  }

  Status Stop() override {
    if (!std::exchange(active_, false)) return Status::OK();
    Call call;
    call.deadline = Clock::now() + kStopWithin;
    return Ask(connect::AboutQuery::kStop, call).status();
  }

 private:
  ExecuteOptions Options() const {
    return {.name = kDoing, .explain = Explainer(kDoing, session_.address())};
  }

  Result<connect::proto::StreamingQueryCommandResult> Ask(connect::AboutQuery what,
                                                          const Call& call) {
    PT_LET(const CommandResult result,
           session_.Command(connect::AskQuery(query_, what), Options(), call));
    return result.about_query;
  }

  // A report of a trigger that found nothing has the number of the batch that will come.
  void Take(const std::string& text, StreamQueryNow& now) {
    const auto progress = ParseJson(text);
    if (!progress.ok() || !progress->is_object()) return;
    const StreamQueryBatch batch = BatchOf(*progress);
    if (batch.number <= taken_ || batch.read == 0) return;
    taken_ = batch.number;
    now.batches.push_back(batch);
  }

  // Words about the source or the sink in place of Spark's.
  Status AtEnds(const Status& status) const {
    if (status.ok()) return status;
    if (const auto* lake = std::get_if<Source>(&spec_.sink)) return DeltaFault(*lake, status);
    if (const auto* sink = std::get_if<QueryMessages>(&spec_.sink)) {
      PT_TRY(TopicFault(sink->topic, status));
    }
    return spec_.events.topic ? TopicFault(*spec_.events.topic, status) : status;
  }

  // Spark reads the files of a batch again and again until it has them; of the file that it cannot
  // read, only the innermost cause has the value.
  Status Explained(const SparkError& error) const {
    Fault fault = FaultOf(Options().explain(error));
    if (fault.exit != Exit::kInput) return AtEnds(Fail(std::move(fault)));
    if (!error.causes.empty()) {
      const std::string& cause = error.causes.front().message;
      fault.why = cause.substr(0, cause.find('\n'));
    }
    fault.fix = spec_.events.topic ? "engine = \"local\" makes a dead letter of such a message"
                                   : "repair the file in its place, and start again";
    return Fail(std::move(fault));
  }

  Status AfterEnd(StreamQueryNow& now, const Call& call) {
    PT_LET(const auto asked, Ask(connect::AboutQuery::kException, call));
    if (!asked.exception().has_exception_message()) return Status::OK();
    const Status failed = Explained(ErrorOf(asked.exception()));
    PT_LET(const bool again, deployment_.SendMissing(failed, sends_, call));
    if (!again) return failed;
    now.active = true;
    return Begin(call);
  }

  SparkSession& session_;
  Deployment& deployment_;
  const StreamQuerySpec spec_;
  const connect::Command start_;
  connect::proto::StreamingQueryInstanceId query_;
  int64_t sends_ = 0;   // Of bundles, when the query was started.
  int64_t taken_ = -1;  // The newest batch that was returned.
  bool active_ = false;
};

// How Spark reads files as they come, beside what every reader of such files says.
connect::Options FollowOptions(const QueryEvents& events, const Scan& scan) {
  connect::Options options = {{"maxFilesPerTrigger", kMostFiles},
                              {"maxFileAge", kForgetAfter},
                              {"pathGlobFilter", events.pattern}};
  if (scan.format != Format::kCsv) return options;
  // Spark takes columns by their positions, and lines that are too short, unless it is told to look
  // at the header and at whole lines.
  options["enforceSchema"] = "false";
  options["columnPruning"] = "false";
  return options;
}

}  // namespace

std::function<Result<connect::Relation>(const Scan&, connect::Relation)> FollowerOf(
    SparkSession& session, const QueryEvents& events, const Call& call) {
  return [&session, &events, call](const Scan& scan,
                                   connect::Relation files) -> Result<connect::Relation> {
    if (events.topic) return FollowTopic(session, events, *scan.schema, call);
    return connect::AsStream(std::move(files), FollowOptions(events, scan));
  };
}

Result<std::unique_ptr<StreamQuery>> StartSparkStream(SparkSession& session, Deployment& deployment,
                                                      const SparkTable& table,
                                                      const StreamQuerySpec& spec,
                                                      const Call& call) {
  PT_TRY(CheckStateless(session, table, call));
  auto query = std::make_unique<SparkStream>(
      session, deployment, spec, connect::WriteStream(Written(table, spec.sink), WriteOf(spec)));
  PT_TRY(query->Begin(call));
  return query;
}

}  // namespace protium
