// SPDX-License-Identifier: Apache-2.0
#include "store/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "store/blocks.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr int kWaitMs = 2000;
constexpr int64_t kMostFiles = 100'000;
constexpr int64_t kMostAnswers = 5'000;
constexpr size_t kLongestAnswer = 1 << 20;
constexpr double kMostBytes = 1e18;
// Of objects whose uses are not written yet.
constexpr size_t kMostUses = 64;
constexpr std::chrono::seconds kUsesWait{1};

constexpr const char* kTables = R"(
CREATE TABLE objects(cause TEXT PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL,
  bytes INTEGER NOT NULL, seconds REAL NOT NULL, uses INTEGER NOT NULL, worth REAL NOT NULL,
  checked TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX contents ON objects(kind, content);
CREATE TABLE ages(age REAL NOT NULL);
INSERT INTO ages VALUES (0);
)";
// Also of an index that was made before it had them; its hashes had no checksums.
constexpr const char* kLaterTables = R"(
CREATE TABLE IF NOT EXISTS answers(name TEXT PRIMARY KEY, answer TEXT NOT NULL,
  checksum TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS hashes(device INTEGER, inode INTEGER, bytes INTEGER NOT NULL,
  modified INTEGER NOT NULL, changed INTEGER NOT NULL, hash TEXT NOT NULL, checksum TEXT NOT NULL,
  PRIMARY KEY(device, inode));
DROP TABLE IF EXISTS files;
)";

Status Failed(sqlite3* database, std::string_view doing) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  return Fail({.exit = code == SQLITE_FULL ? Exit::kNoRoom : Exit::kEnvironment,
               .what = fmt::format("cannot {} the index of the store: {}", doing,
                                   database == nullptr ? "no memory" : sqlite3_errmsg(database))});
}

// One statement, from its text to its rows.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    failed_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) != SQLITE_OK;
  }
  // Keeps what was prepared in `kept`: reading the text takes longer than running it.
  Statement(sqlite3* database, const char* sql, sqlite3_stmt*& kept)
      : database_(database), kept_(&kept) {
    if (kept == nullptr)
      failed_ = sqlite3_prepare_v2(database, sql, -1, &kept, nullptr) != SQLITE_OK;
    statement_ = kept;
  }
  ~Statement() {
    if (kept_ == nullptr) {
      sqlite3_finalize(statement_);
    } else {
      sqlite3_reset(statement_);
    }
  }
  Statement(const Statement&) = delete;

  template <class... Values>
  Statement& Bind(const Values&... values) {
    int at = 0;
    (BindOne(++at, values), ...);
    return *this;
  }

  // Calls `visit` for each row.
  Status Run(const std::function<void(Statement&)>& visit = {}) {
    while (!failed_) {
      const int code = sqlite3_step(statement_);
      if (code == SQLITE_DONE) return Status::OK();
      if (code != SQLITE_ROW) break;
      if (visit) visit(*this);
    }
    return Failed(database_, "ask");
  }

  int64_t Whole(int column) { return sqlite3_column_int64(statement_, column); }
  double Number(int column) { return sqlite3_column_double(statement_, column); }
  std::string Text(int column) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? std::string()
                           : std::string(text, size_t(sqlite3_column_bytes(statement_, column)));
  }

 private:
  template <class T>
  void BindOne(int at, const T& value) {
    int code = SQLITE_OK;
    if constexpr (std::is_floating_point_v<T>) {
      code = sqlite3_bind_double(statement_, at, value);
    } else if constexpr (std::is_integral_v<T>) {
      code = sqlite3_bind_int64(statement_, at, value);
    } else {
      code = sqlite3_bind_text(statement_, at, value.data(), int(value.size()), SQLITE_TRANSIENT);
    }
    failed_ = failed_ || code != SQLITE_OK;
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  sqlite3_stmt** kept_ = nullptr;  // Null: it ends with this object.
  bool failed_ = false;
};

constexpr int kRowColumns = 8;

IndexRow RowIn(Statement& at) {
  return {at.Text(0),   at.Text(1),  at.Text(2),   at.Whole(3),
          at.Number(4), at.Whole(5), at.Number(6), at.Text(7)};
}

// Of an answer with its name, so that one in another's row is noticed, too.
std::string ChecksumOf(const std::string& name, const std::string& answer) {
  return HashText(name + "\n" + answer);
}

std::string ChecksumOf(const FileStamp& stamp, const std::string& hash) {
  return HashText(fmt::format("{} {} {} {} {} {}", stamp.device, stamp.inode, stamp.bytes,
                              stamp.modified, stamp.changed, hash));
}

void RemoveIndex(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix, ignored);
}

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using OwnedDatabase = std::unique_ptr<sqlite3, CloseDatabase>;

Status Do(sqlite3* database, const std::string& sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
             ? Status::OK()
             : Failed(database, "prepare");
}

Result<int64_t> VersionOf(sqlite3* database) {
  int64_t version = 0;
  PT_TRY(Statement(database, "PRAGMA user_version").Run([&](Statement& at) {
    version = at.Whole(0);
  }));
  return version;
}

// All that `work` does, or nothing.
Status InTransaction(sqlite3* database, const std::function<Status()>& work) {
  PT_TRY(Do(database, "BEGIN IMMEDIATE"));
  Status done = work();
  if (done.ok()) done = Do(database, "COMMIT");
  if (!done.ok()) (void)Do(database, "ROLLBACK");
  return done;
}

// The version is asked again inside the transaction: two processes may find no index at the same
// moment.
Status MakeTables(sqlite3* database, bool& fresh) {
  return InTransaction(database, [&]() -> Status {
    PT_LET(const int64_t version, VersionOf(database));
    fresh = version == 0;
    if (!fresh) return Status::OK();
    PT_TRY(Do(database, kTables));
    return Do(database, fmt::format("PRAGMA user_version = {}", kVersion));
  });
}

Result<OwnedDatabase> OpenDatabase(const fs::path& file, bool& fresh) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW, nullptr);
  OwnedDatabase database(opened);
  if (code != SQLITE_OK) return Failed(opened, "open");
  sqlite3_busy_timeout(opened, kWaitMs);
  PT_TRY(Do(opened, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  PT_LET(const int64_t version, VersionOf(opened));
  fresh = false;
  if (version == 0) PT_TRY(MakeTables(opened, fresh));
  if (version != 0 && version != kVersion) {
    return Fail(
        {.exit = Exit::kEnvironment, .what = "the index of the store is of another version"});
  }
  PT_TRY(Do(opened, kLaterTables));
  // Pages that a machine's end has torn show here, not in the middle of a run.
  PT_TRY(Statement(opened, "SELECT count(*), total(bytes) FROM objects").Run());
  return database;
}

}  // namespace

Result<std::unique_ptr<StoreIndex>> StoreIndex::Open(const fs::path& file, bool& fresh) {
  auto database = OpenDatabase(file, fresh);
  if (!database.ok() && FaultOf(database.status()).exit != Exit::kNoRoom) {
    RemoveIndex(file);
    database = OpenDatabase(file, fresh);
  }
  PT_TRY(database);
  return std::unique_ptr<StoreIndex>(new StoreIndex(database->release()));
}

StoreIndex::~StoreIndex() {
  (void)WriteUses();
  for (sqlite3_stmt* each : {look_, update_, answer_}) sqlite3_finalize(each);
  sqlite3_close(database_);
}

Status StoreIndex::Put(const IndexRow& row) {
  const std::lock_guard lock(mutex_);
  uses_.erase(row.cause);
  return Statement(database_, "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .Bind(row.cause, row.kind, row.content, row.bytes, row.seconds, row.uses, row.worth,
            row.checked)
      .Run();
}

Status StoreIndex::Drop(const std::string& cause) {
  const std::lock_guard lock(mutex_);
  uses_.erase(cause);
  return Statement(database_, "DELETE FROM objects WHERE cause = ?").Bind(cause).Run();
}

Status StoreIndex::CountUse(const std::string& cause, double worth) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (uses_.empty()) uses_since_ = now;
  Uses& uses = uses_[cause];
  ++uses.count;
  uses.worth = worth;
  const bool enough = uses_.size() >= kMostUses || now - uses_since_ >= kUsesWait;
  return enough ? WriteUses() : Status::OK();
}

// Those that cannot be written are forgotten.
Status StoreIndex::WriteUses() {
  if (uses_.empty()) return Status::OK();
  const auto all = std::exchange(uses_, {});
  return InTransaction(database_, [&]() -> Status {
    for (const auto& [cause, uses] : all) {
      PT_TRY(Statement(database_, "UPDATE objects SET uses = uses + ?, worth = ? WHERE cause = ?",
                       update_)
                 .Bind(uses.count, uses.worth, cause)
                 .Run());
    }
    return Status::OK();
  });
}

Status StoreIndex::SetChecked(const std::string& cause, const std::string& boot) {
  const std::lock_guard lock(mutex_);
  return Statement(database_, "UPDATE objects SET checked = ? WHERE cause = ?")
      .Bind(boot, cause)
      .Run();
}

Result<std::optional<IndexRow>> StoreIndex::Get(const std::string& cause) {
  const std::lock_guard lock(mutex_);
  (void)WriteUses();
  std::optional<IndexRow> row;
  PT_TRY(Statement(database_, "SELECT * FROM objects WHERE cause = ?")
             .Bind(cause)
             .Run([&](Statement& at) { row = RowIn(at); }));
  return row;
}

Result<IndexLook> StoreIndex::Look(const std::string& cause) {
  const std::lock_guard lock(mutex_);
  IndexLook look;
  PT_TRY(
      Statement(database_, "SELECT objects.*, age FROM ages LEFT JOIN objects ON cause = ?", look_)
          .Bind(cause)
          .Run([&](Statement& at) {
            if (!at.Text(0).empty()) look.row = RowIn(at);
            look.age = at.Number(kRowColumns);
          }));
  const auto unwritten = uses_.find(cause);
  if (look.row && unwritten != uses_.end()) look.row->uses += unwritten->second.count;
  return look;
}

Result<std::vector<IndexRow>> StoreIndex::All() {
  const std::lock_guard lock(mutex_);
  (void)WriteUses();
  std::vector<IndexRow> rows;
  PT_TRY(Statement(database_, "SELECT * FROM objects ORDER BY cause").Run([&](Statement& at) {
    rows.push_back(RowIn(at));
  }));
  return rows;
}

Result<std::vector<std::string>> StoreIndex::WithContent(const std::string& kind,
                                                         const std::string& content) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> causes;
  PT_TRY(Statement(database_,
                   "SELECT cause FROM objects WHERE kind = ? AND content = ? ORDER BY cause")
             .Bind(kind, content)
             .Run([&](Statement& at) { causes.push_back(at.Text(0)); }));
  return causes;
}

Result<int64_t> StoreIndex::TotalBytes() {
  const std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  PT_TRY(
      // As floating point, which does not overflow: a damaged row may say anything.
      Statement(database_, "SELECT total(max(bytes, 0)) FROM objects").Run([&](Statement& at) {
        bytes = int64_t(std::min(at.Number(0), kMostBytes));
      }));
  return bytes;
}

Result<double> StoreIndex::Age() {
  const std::lock_guard lock(mutex_);
  double age = 0;
  PT_TRY(
      Statement(database_, "SELECT age FROM ages").Run([&](Statement& at) { age = at.Number(0); }));
  return age;
}

Status StoreIndex::SetAge(double age) {
  const std::lock_guard lock(mutex_);
  return Statement(database_, "UPDATE ages SET age = max(age, ?)").Bind(age).Run();
}

Result<std::optional<std::string>> StoreIndex::FileHash(const FileStamp& stamp) {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> hash;
  PT_TRY(Statement(database_,
                   "SELECT hash, checksum FROM hashes WHERE device = ? AND inode = ? AND "
                   "bytes = ? AND modified = ? AND changed = ?")
             .Bind(stamp.device, stamp.inode, stamp.bytes, stamp.modified, stamp.changed)
             .Run([&](Statement& at) {
               std::string text = at.Text(0);
               if (at.Text(1) == ChecksumOf(stamp, text)) hash = std::move(text);
             }));
  return hash;
}

Status StoreIndex::PutFileHash(const FileStamp& stamp, const std::string& hash) {
  const std::lock_guard lock(mutex_);
  PT_TRY(Statement(database_, "INSERT OR REPLACE INTO hashes VALUES (?, ?, ?, ?, ?, ?, ?)")
             .Bind(stamp.device, stamp.inode, stamp.bytes, stamp.modified, stamp.changed, hash,
                   ChecksumOf(stamp, hash))
             .Run());
  // The oldest give way, so that the table does not grow for ever.
  return Statement(database_,
                   "DELETE FROM hashes WHERE rowid <= (SELECT max(rowid) FROM hashes) - ?")
      .Bind(kMostFiles)
      .Run();
}

Result<std::optional<std::string>> StoreIndex::Answer(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> answer;
  PT_TRY(Statement(database_, "SELECT answer, checksum FROM answers WHERE name = ?", answer_)
             .Bind(name)
             .Run([&](Statement& at) {
               std::string text = at.Text(0);
               if (at.Text(1) == ChecksumOf(name, text)) answer = std::move(text);
             }));
  return answer;
}

Status StoreIndex::PutAnswer(const std::string& name, const std::string& answer) {
  if (answer.size() > kLongestAnswer) return Status::OK();
  const std::lock_guard lock(mutex_);
  return InTransaction(database_, [&]() -> Status {
    PT_TRY(Statement(database_, "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)")
               .Bind(name, answer, ChecksumOf(name, answer))
               .Run());
    return Statement(database_,
                     "DELETE FROM answers WHERE rowid <= (SELECT max(rowid) FROM answers) - ?")
        .Bind(kMostAnswers)
        .Run();
  });
}

Status StoreIndex::DropAnswers() {
  const std::lock_guard lock(mutex_);
  return Statement(database_, "DELETE FROM answers").Run();
}

}  // namespace protium
