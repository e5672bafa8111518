// SPDX-License-Identifier: Apache-2.0
#include "local/stored_tables.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "events/events.h"

// The database of a query may open no file but those that were admitted, and an object's name is
// not known by then. So tables are made in a private folder of the store and get their second name
// in an object when they are finished; an object's file gets a name in the private folder before it
// is attached. Names are links: nothing is copied. The folder goes with the process.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "table";
constexpr const char* kPart = "table.duckdb";
// Whoever has waited so long makes the table for itself.
constexpr auto kLongestWait = std::chrono::minutes(10);

Json MarksToJson(const std::vector<KeptMark>& marks) {
  Json list = Json::array();
  for (const KeptMark& mark : marks) {
    list.push_back(
        {{"by", mark.by}, {"part", mark.part}, {"seed", mark.seed}, {"column", mark.column}});
  }
  return list;
}

// The facts of an object, as Keep() writes them.
struct StoredMark {
  std::vector<std::string> by;
  double part = 0;
  int64_t seed = 0;
  std::string column;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("by", by);
    visit("part", part);
    visit("seed", seed);
    visit("column", column);
  }
};
struct StoredRows {
  int64_t rows = 0;
  std::vector<std::string> columns;
  std::vector<StoredMark> marks;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows);
    visit("columns", columns);
    visit("marks", marks);
  }
};

Result<StoredRows> RowsOf(const StoredObject& object) {
  StoredRows rows;
  PT_TRY(FieldsFromJson(object.manifest().facts, "facts", rows));
  return rows;
}

}  // namespace

std::unique_ptr<StoredTables> StoredTables::Open(const fs::path& folder, std::string run,
                                                 bool fresh) {
  if (folder.empty()) return nullptr;
  return std::unique_ptr<StoredTables>(new StoredTables(folder, std::move(run), fresh));
}

StoredTables::StoredTables(const fs::path& folder, std::string run, bool fresh)
    : run_(std::move(run)), fresh_(fresh) {
  const Status opened = OpenStore(folder);
  if (!opened.ok()) Say(opened, {});
}

Status StoredTables::OpenStore(const fs::path& folder) {
  PT_LET(store_, LocalStore::Open({.folder = folder,
                                   .shared = {.folder = SharedStoreFolder()},
                                   .note = [this](const auto& text) {
                                     const std::lock_guard lock(mutex_);
                                     notes_.push_back(text);
                                   }}));
  PT_LET(TemporaryFolder open, TemporaryFolder::MakeIn(store_->folder() / "open"));
  open_.emplace(std::move(open));
  return Status::OK();
}

std::string StoredTables::folder() const { return open_ ? open_->path().string() + "/" : ""; }

void StoredTables::Say(const Status& status, const Call& call) {
  const Fault fault = FaultOf(status);
  std::string text = "kept tables are not used: " + fault.what;
  if (!fault.where.empty()) text += ", " + fault.where;
  if (!fault.fix.empty()) text += "; " + fault.fix;
  {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(text));
  }
  SayNotes(call);
}

void StoredTables::SayNotes(const Call& call) {
  if (!call.events) return;
  std::vector<std::string> notes;
  {
    const std::lock_guard lock(mutex_);
    notes.swap(notes_);
  }
  for (std::string& text : notes) call.Send(Note{std::move(text)});
}

fs::path StoredTables::NewFile() {
  const std::lock_guard lock(mutex_);
  return open_->path() / fmt::format("{}.duckdb", ++last_file_);
}

TableCause StoredTables::CauseOf(const Plan& kept, const SourceNames& sources, const Call& call) {
  SayNotes(call);
  if (!open_) return {.refused = "the store cannot be opened"};
  auto cause = FindCause(kept, store_->inputs(), sources);
  if (cause.ok()) return std::move(*cause);
  Say(cause.status(), call);
  return {.refused = FaultOf(cause.status()).what};
}

std::optional<StoredObject> StoredTables::Look(const TableCause& cause, const Call& call) {
  if (!cause.refused.empty() || fresh_) return {};
  auto found = store_->Find(CauseName(kKind, cause.causes));
  SayNotes(call);
  if (found.ok()) return std::move(*found);
  Say(found.status(), call);
  return {};
}

std::optional<KeptTables::Made> StoredTables::Find(const std::shared_ptr<Database>& database,
                                                   const TableCause& cause, const std::string& name,
                                                   const Call& call) {
  auto object = Look(cause, call);
  if (!object) return {};
  const std::string run = object->manifest().run;
  const int64_t bytes = object->manifest().bytes;
  const auto rows = RowsOf(*object);
  auto made = Attach(database, std::move(*object));
  if (!made.ok() || !rows.ok()) {
    Say(made.ok() ? rows.status() : made.status(), call);
    return {};
  }
  call.Send(TableTaken{.name = name, .run = run, .rows = rows->rows, .bytes = bytes});
  return std::move(*made);
}

Result<KeptTables::Made> StoredTables::Attach(const std::shared_ptr<Database>& database,
                                              StoredObject object) {
  PT_LET(const StoredRows stored, RowsOf(object));
  const fs::path file = NewFile();
  std::error_code error;
  fs::create_hard_link(object.Path(kPart), file, error);
  if (error) return SystemFault("link " + file.string(), error.value());
  auto lease = std::make_shared<StoredObject>(std::move(object));
  Remember(lease->manifest());
  const std::string content = lease->manifest().content;
  KeptTables::Made made{KeptTable::Open(database, file, std::move(lease)),
                        {.columns = stored.columns, .content = content}};
  for (const StoredMark& mark : stored.marks) {
    made.rows.marks.push_back({mark.by, mark.part, mark.seed, mark.column});
  }
  return made;
}

std::optional<TableDraft> StoredTables::Begin(const TableCause& cause, const Call& call) {
  if (!cause.refused.empty()) return {};
  DraftRequest request{.kind = kKind, .causes = cause.causes, .run = run_.empty() ? "sql" : run_};
  for (const CauseFile& each : cause.files) {
    request.inputs.push_back({each.of, each.content.hash});
  }
  if (fresh_) {
    const auto removed = store_->Remove(CauseName(kKind, cause.causes));
    if (!removed.ok()) Say(removed.status(), call);
  }
  Call wait = call;
  wait.deadline = std::min(call.deadline, Clock::now() + kLongestWait);
  auto begun = store_->FindOrBegin(std::move(request), wait, [&](const DraftHolder& holder) {
    call.Send(Note{fmt::format("waiting for {} (pid {}), which makes the same table", holder.who,
                               holder.pid)});
  });
  if (!begun.ok()) {
    if (!begun.status().IsCancelled()) Say(begun.status(), call);
    return {};
  }
  auto* const draft = std::get_if<Draft>(&*begun);
  if (draft == nullptr) return {};
  return TableDraft(std::move(*draft), cause, NewFile());
}

bool StoredTables::Keep(TableDraft draft, const KeptRows& rows, const TableFacts& facts,
                        const Call& call) {
  for (const CauseFile& each : draft.cause_.files) {
    const auto same = store_->inputs().IsUnchanged(each.path, each.content);
    if (same.ok() && *same) continue;
    call.Send(Note{each.of + " changed while it was read: the table is not kept"});
    return false;
  }
  const Json written = {
      {"rows", facts.rows}, {"columns", rows.columns}, {"marks", MarksToJson(rows.marks)}};
  const auto keep = [&]() -> Result<StoredObject> {
    PT_TRY(draft.draft_.TakePart(kPart, draft.file_));
    return draft.draft_.Commit(
        {.content = facts.content, .seconds = facts.seconds, .facts = written});
  };
  const auto kept = keep();
  if (kept.ok()) {
    Remember(kept->manifest());
  } else {
    Say(kept.status(), call);
  }
  SayNotes(call);
  return kept.ok();
}

void StoredTables::Remember(const Manifest& manifest) {
  const std::lock_guard lock(mutex_);
  if (!manifest.content.empty()) inputs_[manifest.content] = manifest.inputs;
}

RowsName StoredTables::NameRows(const Plan& plan, const TableContents& contents) {
  if (store_ == nullptr) return {};
  TableCause cause = CauseOver(plan, contents);
  if (!cause.refused.empty()) return {};
  RowsName name{.causes = std::move(cause.causes)};
  const std::lock_guard lock(mutex_);
  for (const auto& [node, content] : contents) {
    const auto& inputs = inputs_[content];
    name.inputs.insert(name.inputs.end(), inputs.begin(), inputs.end());
  }
  return name;
}

void StoredTables::GiveWay(int64_t bytes) {
  if (store_ != nullptr) (void)store_->GiveWay(bytes);
}

Json StoredTables::Describe(const Plan& kept, const SourceNames& sources,
                            const std::vector<std::string>& varies, const Call& call) {
  Json about = {{"name", std::get<Materialize>(kept->verb).name}};
  const TableCause cause = CauseOf(kept, sources, call);
  if (!cause.refused.empty() || !varies.empty()) {
    about["not"] = cause.refused.empty() ? varies.front() : cause.refused;
    return about;
  }
  about["cause"] = CauseName(kKind, cause.causes);
  about["causes"] = cause.causes;
  about["inputs"] = Json::array();
  for (const CauseFile& each : cause.files) {
    about["inputs"].push_back({{"path", each.of}, {"hash", each.content.hash}});
  }
  const std::string name = CauseName(kKind, cause.causes);
  auto object = fresh_ ? std::nullopt : store_->Peek(name);
  if (!object && !fresh_) {
    object = store_->PeekShared(name);
    about["shared"] = object.has_value();
    SayNotes(call);
  }
  if (!object) return about;
  about["from"] = object->run;
  about["made"] = object->made;
  about["bytes"] = object->bytes;
  about["rows"] = WholeAt(object->facts, "rows");
  return about;
}

}  // namespace protium
