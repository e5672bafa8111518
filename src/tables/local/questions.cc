// SPDX-License-Identifier: Apache-2.0
#include "local/questions.h"

#include <arrow/api.h>
#include <sys/stat.h>

#include <algorithm>
#include <unordered_set>

#include "base/digest.h"
#include "base/fault.h"
#include "column/ipc.h"
#include "duckdb/query.h"
#include "local/inputs.h"
#include "local/plain_types.h"
#include "local/source_name.h"
#include "local/sql_reader.h"
#include "local/table_cause.h"

namespace protium {
namespace {

// Whoever writes a file twice within two ticks of its file system's clock leaves the same times.
constexpr int64_t kYoungNs = 2'000'000'000;

int64_t Nanoseconds(const timespec& time) {
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// The file as it is now; null if that cannot be told from what it may be soon.
Json StampOf(const std::string& path, int64_t now) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return nullptr;
  const int64_t modified = Nanoseconds(about.st_mtim), changed = Nanoseconds(about.st_ctim);
  if (now - std::max(modified, changed) < kYoungNs) return nullptr;
  return {path,   int64_t(about.st_dev), int64_t(about.st_ino), int64_t(about.st_size), modified,
          changed};
}

// The nodes of `plan` that SELECTs over it may name.
void AddNodes(const Plan& plan, std::unordered_set<const Node*>& nodes) {
  if (!nodes.insert(plan.get()).second) return;
  for (const Plan& input : plan->inputs) AddNodes(input, nodes);
}

// Null if what one of them holds is not known.
Json ContentsOf(const Plan& plan, const std::unordered_map<const Node*, KeptRows>& tables) {
  std::unordered_set<const Node*> nodes;
  AddNodes(plan, nodes);
  std::map<std::string, std::string> contents;
  for (const auto& [node, rows] : tables) {
    if (!nodes.contains(node)) continue;
    if (rows.content.empty()) return nullptr;
    contents[rows.table] = rows.content;
  }
  return Json(contents);
}

std::string SchemaToText(const arrow::Schema& schema) {
  const auto bytes = SchemaToIpc(schema);
  return bytes.ok() ? (*bytes)->ToString() : std::string();
}

struct TextFields {
  std::string original, written;
  std::vector<std::vector<int64_t>> marks;
  bool marked = false;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("original", original);
    visit("written", written);
    visit("marks", marks);
    visit("marked", marked);
  }
};

struct ReadFields {
  std::string text;
  std::vector<std::string> not_exact, varies;
  std::vector<TextFields> texts;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("text", text);
    visit("not_exact", not_exact);
    visit("varies", varies);
    visit("texts", texts);
  }
};

ReadFields FieldsOf(const RelationSql& sql) {
  ReadFields fields{sql.text, sql.not_exact, sql.varies, {}};
  for (const WrittenSql& each : sql.texts) {
    TextFields& text = fields.texts.emplace_back();
    text = {each.original, each.written.text, {}, each.marked};
    for (const auto& [to, from] : each.written.marks) {
      text.marks.push_back({int64_t(to), int64_t(from)});
    }
  }
  return fields;
}

Result<RelationSql> ReadFrom(const std::string& answer) {
  PT_LET(const Json json, ParseJson(answer));
  ReadFields fields;
  PT_TRY(FieldsFromJson(json, "", fields));
  RelationSql sql{
      std::move(fields.text), std::move(fields.not_exact), {}, std::move(fields.varies)};
  for (TextFields& each : fields.texts) {
    WrittenSql text{std::move(each.original), {std::move(each.written), {}}, each.marked};
    for (const auto& mark : each.marks) {
      if (mark.size() != 2) return Status::Invalid("a mark has two positions");
      text.written.marks.emplace_back(size_t(mark[0]), size_t(mark[1]));
    }
    sql.texts.push_back(std::move(text));
  }
  return sql;
}

// Bytes that are not UTF-8 would come back as others.
bool ComesBack(const RelationSql& sql, const std::string& answer) {
  const auto back = ReadFrom(answer);
  return back.ok() && back->text == sql.text;
}

}  // namespace

std::optional<std::string> Answers::Find(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    const auto seen = seen_.find(name);
    if (seen != seen_.end()) return seen->second;
  }
  if (store_ == nullptr) return std::nullopt;
  auto answer = store_->Answer(name);
  if (!answer) return std::nullopt;
  const std::lock_guard lock(mutex_);
  seen_.emplace(name, *answer);
  return answer;
}

void Answers::Put(const std::string& name, const std::string& answer) {
  if (store_ != nullptr) store_->Remember(name, answer);
  const std::lock_guard lock(mutex_);
  seen_.insert_or_assign(name, answer);
}

std::string WhatDecides(const Plan& plan, const std::unordered_map<const Node*, KeptRows>& tables,
                        int64_t now) {
  if (!ListSources(plan).empty()) return {};
  const Json contents = ContentsOf(plan, tables);
  if (contents.is_null()) return {};
  Json files = Json::array();
  for (const std::string& path : ListFiles(plan)) {
    Json stamp = StampOf(path, now);
    if (stamp.is_null()) return {};
    files.push_back(std::move(stamp));
  }
  Json decides = CausesOfBuild();
  decides["files"] = std::move(files);
  decides["contents"] = contents;
  return Sha256Hex(Dump(decides));
}

std::string Questions::NameOf(const std::string& kind, const Json& question) const {
  return answers_ == nullptr ? "" : Sha256Hex(Dump({"answer", kind, about_, question}));
}

std::optional<std::string> Questions::Remembered(const std::string& name) const {
  return name.empty() ? std::nullopt : answers_->Find(name);
}

void Questions::Remember(const std::string& name, const std::string& answer) const {
  if (!name.empty()) answers_->Put(name, answer);
}

Result<SchemaPtr> Questions::Schema(const std::string& select) {
  const std::string name = NameOf("schema", select);
  if (const auto answer = Remembered(name)) {
    const auto schema = SchemaFromIpc(arrow::Buffer::FromString(*answer));
    if (schema.ok()) return *schema;
  }
  PT_LET(const auto* const connection, Connection());
  PT_LET(SchemaPtr schema, DescribeSchema(*connection, select));
  const std::string answer = name.empty() ? "" : SchemaToText(*schema);
  if (!answer.empty()) Remember(name, answer);
  return schema;
}

Result<std::string> Questions::PlainTypes(const std::string& select) {
  const std::string name = NameOf("plain types", select);
  if (auto answer = Remembered(name)) return *std::move(answer);
  PT_LET(const auto* const connection, Connection());
  PT_LET(std::string plain, WithPlainTypes(*connection, select));
  Remember(name, plain);
  return plain;
}

Result<RelationSql> Questions::Read(const Sql& sql, const std::vector<std::string>& inputs) {
  const Json question = {sql.text, sql.names, sql.without_ties, inputs};
  const std::string name = NameOf("sql", question);
  if (const auto answer = Remembered(name)) {
    auto read = ReadFrom(*answer);
    if (read.ok()) return read;
  }
  PT_LET(const auto* const connection, Connection());
  PT_LET(RelationSql read, ReadSql(sql, inputs, *connection));
  if (name.empty()) return read;
  const std::string answer = Dump(FieldsToJson(FieldsOf(read)));
  if (ComesBack(read, answer)) Remember(name, answer);
  return read;
}

Status Questions::View(const std::string& name, const std::string& select) {
  std::string make = "CREATE TEMP VIEW " + name + " AS " + select;
  // Later questions mean what the view holds.
  about_ = Sha256Hex(about_ + make);
  if (connection_ != nullptr) return duck::Do(*connection_, make);
  views_.push_back(std::move(make));
  return Status::OK();
}

std::string Questions::SourceName(const Source& source) {
  const auto connection = Connection();
  return connection.ok() ? NameSource(**connection, source) : std::string();
}

Result<const duck::Connection*> Questions::Connection() {
  if (connection_ != nullptr) return connection_;
  PT_LET(own_, database_->Connect());
  for (const std::string& make : std::exchange(views_, {})) PT_TRY(duck::Do(own_, make));
  connection_ = &own_;
  return connection_;
}

}  // namespace protium
