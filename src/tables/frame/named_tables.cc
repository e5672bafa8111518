// SPDX-License-Identifier: Apache-2.0
#include "frame/named_tables.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "engine/kind.h"
#include "format/csv_options.h"
#include "format/file_form.h"
#include "frame/session_state.h"
#include "frame/table_writer.h"
#include "frame/verbs.h"
#include "os/file.h"
#include "os/temporary_folder.h"
#include "protium/events.h"
#include "protium/kept.h"
#include "run/terminal.h"
#include "sources/source.h"
#include "store/blocks.h"
#include "store/local_store.h"

// An object is named by its name and the bytes of its file, so that rows which come out the same
// are the same version. Its file is written in a private folder of the store and gets its second
// name in the object: nothing is copied.

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRowsPart = "rows.parquet";
constexpr size_t kLongestName = 100;
constexpr size_t kLongestPlan = 16 << 10;
constexpr int kTries = 10;  // To read a ref and then its object.

Status CheckName(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, fits)) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("a table cannot be kept as \"{}\"", name),
               .fix = "take at most 100 letters, digits, '.', '_' and '-'"});
}

// The store of the session, opened for this call where the engine does not have it open. One who
// says a name asks for the store, also in a session that was opened without.
Result<std::shared_ptr<LocalStore>> StoreOf(SessionState& session) {
  if (LocalStore* const open = session.engine().Kept()) {
    return std::shared_ptr<LocalStore>(std::shared_ptr<void>(), open);
  }
  const fs::path& own = session.options().store;
  const fs::path folder = own.empty() ? DefaultStoreFolder() : own;
  if (folder.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "no table is kept under a name: there is no store",
                 .why = "PROTIUM_STORE is \"off\", or neither XDG_CACHE_HOME nor HOME is set",
                 .fix = "unset PROTIUM_STORE"});
  }
  PT_LET(auto store, LocalStore::Open({.folder = folder, .note = [&session](const auto& text) {
                                         session.call().Send(Note{text});
                                       }}));
  return std::shared_ptr<LocalStore>(std::move(store));
}

Status RefuseElsewhere(const SessionState& session) {
  const std::string& address = session.options().engine;
  if (KindOf(address).name == std::string("local")) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the engine " + address + " keeps no table under a name",
               .why = "its executors write where this machine's store is not",
               .fix = "write a table with frame.write(...), or keep it in a session on \"local\""});
}

// Everything that a plan reads, and its texts of SQL.
void ListReads(const Plan& plan, std::set<const Node*>& seen, std::vector<const Scan*>& scans,
               SnapshotFacts& facts) {
  if (!seen.insert(plan.get()).second) return;
  if (const auto* const scan = std::get_if<Scan>(&plan->verb)) scans.push_back(scan);
  if (const auto* const table = std::get_if<NamedTable>(&plan->verb)) {
    facts.others.push_back(table->source ? DescribeSource(*table->source) : "table " + table->name);
  }
  const auto* const sql = std::get_if<Sql>(&plan->verb);
  if (sql != nullptr && sql->verb.empty()) facts.plan += sql->text + "\n";
  for (const Plan& input : plan->inputs) ListReads(input, seen, scans, facts);
}

bool LiesBelow(const fs::path& file, const fs::path& folder) {
  const fs::path inside = file.lexically_relative(folder);
  return !folder.empty() && !inside.empty() && *inside.begin() != "..";
}

struct Made {
  SnapshotFacts facts;
  std::vector<StoredInput> inputs;
  std::vector<InputContent> contents;  // Of these.
};

// Files of the session itself, rows that a program has given, are gone with it.
Result<Made> DescribeReads(SessionState& session, LocalStore& store, const Plan& plan) {
  Made made;
  std::set<const Node*> seen;
  std::vector<const Scan*> scans;
  ListReads(plan, seen, scans, made.facts);
  for (const Scan* const scan : scans) {
    for (const std::string& path : scan->brought_from.empty() ? scan->paths : scan->brought_from) {
      if (LiesBelow(path, session.folder()) || !IsRegularFile(path)) {
        made.facts.others.push_back(
            LiesBelow(path, session.folder()) ? scan->table + ", given by a program" : path);
        continue;
      }
      PT_LET(InputContent content, store.inputs().Hash(path));
      made.inputs.push_back({path, content.hash});
      made.contents.push_back(std::move(content));
    }
  }
  made.facts.plan = (made.facts.plan + Explain(plan)).substr(0, kLongestPlan);
  return made;
}

// Checks the plan, too.
Result<std::string> WhyItVaries(SessionState& session, const Plan& plan) {
  const Plan kept = MakePlan(Materialize{"kept"}, {plan});
  PT_LET(const EnginePlan about, session.engine().Explain(kept, session.call()));
  if (!about.kept.is_array() || about.kept.empty()) return std::string();
  return TextAt(about.kept.back(), "not");
}

Status CheckUnchanged(LocalStore& store, const Made& made, const std::string& name) {
  for (size_t i = 0; i < made.inputs.size(); ++i) {
    const auto same = store.inputs().IsUnchanged(made.inputs[i].path, made.contents[i]);
    if (same.ok() && *same) continue;
    return Fail({.exit = Exit::kInput,
                 .what = made.inputs[i].path + " changed while it was read",
                 .fix = fmt::format("keep {} again", name),
                 .kept = "nothing new is kept under the name"});
  }
  return Status::OK();
}

Result<StoredObject> Put(SessionState& session, LocalStore& store, const Made& made,
                         const fs::path& file, double seconds) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::error_code error;
  const auto bytes = int64_t(fs::file_size(file, error));
  if (!fd || error) return SystemFault("read " + file.string(), errno);
  PT_LET(const std::string hash, HashBytesOf(fd.get(), bytes));
  std::string run = session.folder().filename().string();
  // A session of Python or C that was given no folder has a temporary one.
  if (run.empty() || run.starts_with("protium-tmp-")) run = "a session";
  PT_LET(FoundOrDraft begun,
         store.FindOrBegin({.kind = kSnapshotKind,
                            .causes = {{"name", made.facts.name}, {"xxh3", hash}},
                            .run = run,
                            .inputs = made.inputs},
                           session.call()));
  if (auto* const found = std::get_if<StoredObject>(&begun)) return std::move(*found);
  Draft& draft = std::get<Draft>(begun);
  PT_TRY(draft.TakePart(kRowsPart, file));
  return draft.Commit({.content = hash,
                       .seconds = seconds,
                       .facts = FieldsToJson(made.facts),
                       .synced = true,
                       .own = true});
}

// Lets the name stand for the object, unless somebody else has changed it since it was `before`.
Result<int64_t> SetName(LocalStore& store, const std::string& name,
                        const std::optional<Ref>& before, const std::string& object) {
  const std::string ref = kTableRef + name;
  if (before && before->object == object) return before->version;
  PT_LET(const bool set, store.refs().CompareAndSet(ref, before ? before->version : 0, object));
  PT_LET(const std::optional<Ref> now, store.refs().Get(ref));
  if (set && now && now->object == object) return now->version;
  const auto theirs = now ? store.Peek(now->object) : std::nullopt;
  return Fail({.what = fmt::format("{} has kept another table as {} since this one began",
                                   theirs ? theirs->run : "another session", name),
               .fix = "keep this one again, or under another name",
               .kept = "the other table"});
}

DataFrame OpenObject(Session& session, StoredObject object, const std::string& name) {
  return BuildFrame(session, [&]() -> Result<Plan> {
    const DataFrame rows = session.Read().Parquet(object.Path(kRowsPart).string());
    PT_TRY(FirstError(rows.plan()));
    Scan scan = std::get<Scan>(rows.plan()->verb);
    scan.table = name;
    return Holding(MakePlan(std::move(scan)), std::make_shared<StoredObject>(std::move(object)));
  });
}

// The object that an earlier attempt of this run has read under the name; else empty.
std::string RecordedObject(SessionState& session, LocalStore& store, const std::string& name) {
  for (const auto& [path, file] : session.inputs().files()) {
    const fs::path folder = fs::path(path).parent_path();
    const std::string cause = folder.filename().string();
    if (!LiesBelow(path, store.folder() / "objects") || !IsHexName(cause, 64)) continue;
    const auto manifest = store.Peek(cause);
    if (manifest && manifest->kind == kSnapshotKind && TextAt(manifest->facts, "name") == name) {
      return cause;
    }
  }
  return {};
}

Status Unknown(LocalStore& store, const std::string& name) {
  std::vector<std::string> names;
  for (const Ref& ref : store.refs().List()) {
    if (ref.name.starts_with(kTableRef)) {
      names.push_back(ref.name.substr(std::string_view(kTableRef).size()));
    }
  }
  return Fail({.exit = Exit::kInput,
               .what = "no table is kept as \"" + name + "\"",
               .fix = names.empty() ? fmt::format("session.sql(...).keep(\"{}\") keeps one", name)
                                    : Suggest(name, names)});
}

// Between two calls another session may keep its own, and the object before that may go.
Result<StoredObject> FindNamed(SessionState& session, LocalStore& store, const std::string& name) {
  const std::string recorded =
      session.options().resume ? RecordedObject(session, store, name) : std::string();
  for (int tries = 0; tries < kTries; ++tries) {
    PT_LET(const std::optional<Ref> ref, store.refs().Get(kTableRef + name));
    if (recorded.empty() && !ref) return Unknown(store, name);
    // Whole: perhaps nobody can make it again.
    const std::string& object_name = recorded.empty() ? ref->object : recorded;
    PT_TRY(store.Verify(object_name).status());
    PT_LET(auto object, store.Find(object_name));
    if (object) return std::move(*object);
  }
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("the table kept as {} is damaged or gone", name),
       .fix = fmt::format("keep it again, or give up the name: protium cache rm {}", name)});
}

void NoteChanges(SessionState& session, LocalStore& store, const Manifest& manifest,
                 const std::string& name) {
  for (const StoredInput& each : manifest.inputs) {
    const auto now = store.inputs().Hash(each.path);
    if (!now.ok() || now->hash == each.hash) continue;
    session.call().Send(
        Note{fmt::format("{} holds rows of {} as it was when {} kept them: the file "
                         "has changed since",
                         name, each.path, manifest.run)});
  }
}

}  // namespace

Plan Holding(Plan plan, std::shared_ptr<const void> held) {
  const Node* const node = plan.get();
  return Plan(std::make_shared<std::pair<Plan, std::shared_ptr<const void>>>(std::move(plan),
                                                                             std::move(held)),
              node);
}

bool IsKeptPlace(std::string_view place) { return place.starts_with(kKeptPlace); }

DataFrame OpenKeptPlace(Session& session, const std::string& place, const CsvOptions& options,
                        const Columns& partitions) {
  Status fits = CheckOptionsFit(Format::kParquet, options);
  if (fits.ok() && !partitions.empty()) {
    fits = Fail({.exit = Exit::kUsage,
                 .what = "a kept table has no folders with values of columns",
                 .where = place,
                 .fix = "leave partitions out"});
  }
  if (!fits.ok()) return session.Read().Refused(fits);
  return Kept(session, place.substr(kKeptPlace.size()));
}

Result<DataFrame> Keep(const DataFrame& frame, const std::string& name) {
  SessionState& session = StateOf(frame.session());
  PT_TRY(FirstError(frame.plan()));
  PT_TRY(session.CheckSettings());
  PT_TRY(CheckName(name));
  PT_TRY(RefuseElsewhere(session));
  PT_LET(const auto store, StoreOf(session));
  PT_LET(const std::optional<Ref> before, store->refs().Get(kTableRef + name));
  PT_LET(Made made, DescribeReads(session, *store, frame.plan()));
  made.facts.name = name;
  PT_LET(made.facts.varies, WhyItVaries(session, frame.plan()));
  PT_LET(const TemporaryFolder open, TemporaryFolder::MakeIn(store->folder() / "open"));
  const fs::path file = open.path() / kRowsPart;
  const auto since = Clock::now();
  PT_LET(made.facts.rows, WriteFrame(session, frame.plan(), {Format::kParquet}, file.string(), {}));
  // An engine that only plans writes nothing.
  if (!IsRegularFile(file)) return frame;
  PT_TRY(CheckUnchanged(*store, made, name));
  const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
  PT_LET(StoredObject object, Put(session, *store, made, file, seconds));
  PT_LET(const int64_t version, SetName(*store, name, before, object.manifest().cause));
  session.call().Send(Note{
      fmt::format("kept as {}, version {}: {} rows", name, version, Grouped(made.facts.rows))});
  return OpenObject(frame.session(), std::move(object), name);
}

DataFrame Kept(Session& session, const std::string& name) {
  const auto find = [&]() -> Result<DataFrame> {
    PT_TRY(CheckName(name));
    SessionState& state = StateOf(session);
    PT_LET(const auto store, StoreOf(state));
    PT_LET(StoredObject object, FindNamed(state, *store, name));
    NoteChanges(state, *store, object.manifest(), name);
    return OpenObject(session, std::move(object), name);
  };
  auto found = find();
  return found.ok() ? *std::move(found) : session.Read().Refused(found.status());
}

}  // namespace protium
