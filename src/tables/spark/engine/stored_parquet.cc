// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/stored_parquet.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/digest.h"
#include "base/fault.h"
#include "events/events.h"
#include "spark/engine/lowering.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "spark_table";
// Whoever has waited so long makes the table for itself.
constexpr auto kLongestWait = std::chrono::minutes(10);

std::string WhyNothingIsKept(const EngineRequest& request) {
  if (request.store.empty()) return "there is no store";
  if (request.folder.empty()) return {};
  return request.transit.empty() ? "" : "executors exchange files through an object store";
}

Json MarksToJson(const std::vector<KeptMark>& marks) {
  Json list = Json::array();
  for (const KeptMark& mark : marks) {
    list.push_back({mark.by, fmt::format("{:a}", mark.part), mark.seed, mark.column});
  }
  return list;
}

}  // namespace

StoredParquet::StoredParquet(SparkSession& session, Embedded& embedded,
                             const EngineRequest& request)
    : session_(session),
      embedded_(embedded),
      has_store_(!request.store.empty()),
      refused_(WhyNothingIsKept(request)),
      run_(request.folder.empty() ? "sql" : request.folder.filename().string()),
      fresh_(request.fresh) {}

void StoredParquet::Say(const Status& status, const Call& call) {
  if (status.IsCancelled()) return;
  const Fault fault = FaultOf(status);
  std::string text = "tables of Spark are not kept: " + fault.what;
  if (!fault.where.empty()) text += ", " + fault.where;
  if (!fault.fix.empty()) text += "; " + fault.fix;
  call.Send(Note{std::move(text)});
}

Result<Engine*> StoredParquet::Opened() {
  PT_LET(Engine* const embedded, embedded_.Open());
  if (embedded->Kept() != nullptr) return embedded;
  return Fail({.exit = Exit::kEnvironment, .what = "the store cannot be opened"});
}

// The settings of the session and the server that may decide rows, as a hash: there may be secrets
// among them.
Result<std::string> StoredParquet::Settings(const Call& call) {
  if (!settings_.empty()) return settings_;
  PT_LET(const BatchStreamPtr stream,
         session_.Execute(connect::Sql("SET"), {.name = "settings"}, call));
  std::map<std::string, std::string> settings;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (batch == nullptr) break;
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      PT_LET(const auto key, batch->column(0)->GetScalar(i));
      PT_LET(const auto value, batch->column(1)->GetScalar(i));
      if (key->ToString().starts_with("spark.sql.")) settings[key->ToString()] = value->ToString();
    }
  }
  return settings_ = Sha256Hex(Dump(settings));
}

// The embedded engine knows what files hold and which places of a text another engine may answer
// otherwise: Spark may, there, from run to run. What it computes itself is not asked for.
Result<RowsCause> StoredParquet::Ask(const Plan& kept, const Call& call) {
  PT_LET(Engine* const embedded, Opened());
  PT_LET(const EnginePlan plan, embedded->Explain(kept, call));
  if (!plan.kept.is_array() || plan.kept.size() != 1) {
    return RowsCause{.refused = "it is made of another kept table"};
  }
  const Json& about = plan.kept.front();
  if (about.contains("not")) return RowsCause{.refused = TextAt(about, "not")};
  if (!plan.not_exact.empty()) return RowsCause{.refused = plan.not_exact.front()};
  RowsCause cause{.causes = about.at("causes")};
  for (const Json& each : about.value("inputs", Json::array())) {
    cause.inputs.push_back({TextAt(each, "path"), TextAt(each, "hash")});
  }
  return cause;
}

RowsCause StoredParquet::CauseOf(const Plan& kept, const SparkTable& table,
                                 const std::vector<KeptMark>& marks, const Call& call) {
  if (!refused_.empty()) return {.refused = refused_};
  for (const std::string& each : table.not_exact) {
    if (each != kNotExamined) return {.refused = each};
  }
  const std::lock_guard lock(asking_);
  Call quiet = call;
  quiet.events = nullptr;
  const auto settings = Settings(quiet);
  // With its notes: of an object that was damaged, for one.
  auto cause = settings.ok() ? Ask(kept, call) : settings.status();
  if (!cause.ok()) return {.refused = FaultOf(cause.status()).what};
  if (!cause->refused.empty()) return std::move(*cause);
  cause->causes["spark"] = session_.version();
  cause->causes["spark_settings"] = *settings;
  cause->causes["marks"] = MarksToJson(marks);
  cause->causes["columns"] = table.schema->ToString();
  return std::move(*cause);
}

// Counts the rows: files that executors do not reach fail here, and not in the middle of the job.
Status StoredParquet::Probe(const WrittenRows& rows, const Call& call) {
  Call quiet = call;
  quiet.events = nullptr;
  PT_LET(const BatchStreamPtr stream,
         session_.Execute(connect::Sql("SELECT count(*) AS n FROM kept", {{"kept", rows.relation}}),
                          {.name = "kept"}, quiet));
  PT_LET(const auto batch, stream->Next());
  if (batch == nullptr || batch->num_rows() != 1) return Status::IOError("Spark counts no rows");
  PT_LET(const auto count, batch->column(0)->GetScalar(0));
  if (count->ToString() == std::to_string(rows.files.rows)) return Status::OK();
  return Status::IOError("Spark counts ", count->ToString(), " rows of ", rows.files.rows);
}

std::optional<TakenParquet> StoredParquet::Find(const RowsCause& cause, const std::string& name,
                                                const SchemaPtr& schema, const Call& call) {
  if (!cause.refused.empty() || fresh_) return {};
  const auto find = [&]() -> Result<std::optional<TakenParquet>> {
    PT_LET(Engine* const embedded, Opened());
    PT_LET(auto object, embedded->Kept()->Find(CauseName(kKind, cause.causes)));
    if (!object) return std::nullopt;
    TakenParquet rows{.written = {.schema = schema, .files = {.schema = schema}}};
    rows.written.files.rows = WholeAt(object->manifest().facts, "rows", -1);
    std::vector<std::string> addresses;
    for (const StoredPart& part : object->manifest().parts) {
      rows.written.files.paths.push_back(object->Path(part.name).string());
      addresses.push_back(FileUri(rows.written.files.paths.back()));
    }
    PT_LET(rows.written.relation, connect::ReadParquet(std::move(addresses), schema));
    rows.lease = std::make_shared<const StoredObject>(std::move(*object));
    PT_TRY(Probe(rows.written, call));
    return rows;
  };
  auto found = find();
  if (!found.ok()) {
    Say(found.status(), call);
    return {};
  }
  if (!*found) return {};
  const Manifest& manifest = (*found)->lease->manifest();
  call.Send(TableTaken{.name = name,
                       .run = manifest.run,
                       .rows = (*found)->written.files.rows,
                       .bytes = manifest.bytes});
  return std::move(*found);
}

std::optional<Draft> StoredParquet::Begin(const RowsCause& cause, const Call& call) {
  if (!cause.refused.empty()) return {};
  Call wait = call;
  wait.deadline = std::min(call.deadline, Clock::now() + kLongestWait);
  const auto begin = [&]() -> Result<FoundOrDraft> {
    PT_LET(Engine* const embedded, Opened());
    if (fresh_) PT_TRY(embedded->Kept()->Remove(CauseName(kKind, cause.causes)).status());
    return embedded->Kept()->FindOrBegin(
        {.kind = kKind, .causes = cause.causes, .run = run_, .inputs = cause.inputs}, wait,
        [&](const DraftHolder& holder) {
          call.Send(Note{fmt::format("waiting for {} (pid {}), which makes the same table",
                                     holder.who, holder.pid)});
        });
  };
  auto begun = begin();
  if (!begun.ok()) {
    Say(begun.status(), call);
    return {};
  }
  auto* const draft = std::get_if<Draft>(&*begun);
  return draft == nullptr ? std::nullopt : std::optional<Draft>(std::move(*draft));
}

void StoredParquet::Keep(Draft draft, const RowsCause& cause, const RowsCause& again,
                         const WrittenRows& written, double seconds, const Call& call) {
  if (Dump(cause.causes) != Dump(again.causes)) {
    call.Send(Note{"a file changed while Spark read it: the table is not kept"});
    return;
  }
  const auto keep = [&]() -> Status {
    for (const std::string& path : written.files.paths) {
      PT_TRY(draft.TakePart(fs::path(path).filename().string(), path));
    }
    return draft.Commit({.seconds = seconds, .facts = {{"rows", written.files.rows}}}).status();
  };
  const Status kept = keep();
  if (!kept.ok()) Say(kept, call);
}

Json StoredParquet::Describe(const std::string& name, const RowsCause& cause) {
  Json about = {{"name", name}};
  const auto embedded = cause.refused.empty() ? Opened() : Result<Engine*>(nullptr);
  if (!cause.refused.empty() || !embedded.ok()) {
    about["not"] = embedded.ok() ? cause.refused : FaultOf(embedded.status()).what;
    return about;
  }
  about["cause"] = CauseName(kKind, cause.causes);
  about["causes"] = cause.causes;
  about["inputs"] = FieldsToJson(cause.inputs);
  const auto object = fresh_ ? std::nullopt : (*embedded)->Kept()->Peek(about["cause"]);
  if (!object) return about;
  about["from"] = object->run;
  about["made"] = object->made;
  about["bytes"] = object->bytes;
  about["rows"] = WholeAt(object->facts, "rows");
  return about;
}

}  // namespace protium
