// SPDX-License-Identifier: Apache-2.0
#include "local/table_cause.h"

#include <arrow/type.h>
#include <duckdb.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/digest.h"
#include "os/build_ids.h"
#include "os/processor.h"
#include "sql/duckdb/prelude.h"

// The plan is drawn (Explain) for people after its paths were replaced by what the files hold. The
// drawing quotes nothing and leaves things out, so every node also has a step that holds all of it,
// inputs before their users. How a plan becomes SQL is decided by our libraries, whose builds are
// part of the cause; so are the settings that give the SQL its meaning.

namespace protium {
namespace {

Json SettingsOfDatabase() {
  Json settings = Json::array();
  for (const std::string_view each : DuckDbSettings()) settings.push_back(each);
  for (const std::string_view each : DuckDbConnectionSettings()) settings.push_back(each);
  return settings;
}

Json PartitionValues(const Partitions& partitions) {
  Json values = Json::array();
  for (const auto& file : partitions.values) {
    Json row = Json::array();
    for (const auto& value : file) row.push_back(value ? Json(*value) : Json());
    values.push_back(std::move(row));
  }
  return values;
}

// Doubles as C writes them in hexadecimal: without loss, and NaN is not NULL.
std::string ExactText(double value) { return fmt::format("{:a}", value); }

Json ExactJson(const Expr& expr) {
  if (expr.kind == Expr::Kind::kColumn) return {{"column", expr.name}};
  if (expr.kind == Expr::Kind::kCall) {
    Json arguments = Json::array();
    for (const Expr& each : expr.arguments) arguments.push_back(ExactJson(each));
    return {{"call", expr.name}, {"of", std::move(arguments)}};
  }
  if (const auto* flag = std::get_if<bool>(&expr.value)) return *flag;
  if (const auto* whole = std::get_if<int64_t>(&expr.value)) return *whole;
  if (const auto* number = std::get_if<double>(&expr.value))
    return {{"double", ExactText(*number)}};
  if (const auto* text = std::get_if<std::string>(&expr.value)) return *text;
  return nullptr;
}

// What a node adds to its inputs; null for those that have a list of their own.
struct StepOf {
  Json operator()(const Scan& scan) const {
    return {scan.table, FieldsToJson(scan.format), scan.paths};
  }
  Json operator()(const Filter& filter) const { return ExactJson(filter.predicate); }
  Json operator()(const Project& project) const {
    Json columns = Json::array();
    for (const NamedExpr& each : project.columns) {
      columns.push_back({each.name, ExactJson(each.expr)});
    }
    return columns;
  }
  Json operator()(const Split& split) const {
    return {split.by, ExactText(split.part), split.seed, split.side == Split::Side::kPart};
  }
  Json operator()(const MarkSplit& split) const {
    return {split.by, ExactText(split.part), split.seed, split.column};
  }
  Json operator()(const Lookup& lookup) const {
    std::string keys;
    for (const std::string& key : *lookup.keys) keys += std::to_string(key.size()) + ":" + key;
    const auto place = [](const std::optional<int64_t>& each) {
      return each ? Json(*each) : Json();
    };
    return {lookup.column, lookup.output, Sha256Hex(keys), place(lookup.unseen),
            place(lookup.missing)};
  }
  template <class Other>
  Json operator()(const Other&) const {
    return nullptr;
  }
};

constexpr const char* kNoHash = "it reads a table of a database, whose contents have no hash";

bool MayHaveVersions(const Source& source) {
  return source.kind == SourceKind::kDelta || source.kind == SourceKind::kIceberg ||
         source.kind == SourceKind::kParquet;
}

class Describing {
 public:
  // Without `hashes`, every table is one of `contents`.
  Describing(InputHashes* hashes, const TableContents& contents, const SourceNames& sources,
             TableCause& cause)
      : hashes_(hashes), contents_(contents), sources_(sources), cause_(cause) {}

  // Returns the plan with the contents of files in place of their paths.
  Result<Plan> Visit(const Plan& plan) {
    const auto known = described_.find(plan.get());
    if (known != described_.end()) return known->second;
    if (const auto kept = contents_.find(plan.get()); kept != contents_.end()) {
      numbers_[plan.get()] = steps_.size();
      steps_.push_back({{"verb", plan->verb.index()}, {"content", kept->second}});
      return described_[plan.get()] = MakePlan(NamedTable{.name = kept->second});
    }
    std::vector<Plan> inputs;
    Json numbers = Json::array();
    for (const Plan& input : plan->inputs) {
      PT_LET(Plan described, Visit(input));
      numbers.push_back(numbers_.at(input.get()));
      inputs.push_back(std::move(described));
    }
    Verb verb = plan->verb;
    if (auto* const scan = std::get_if<Scan>(&verb)) PT_TRY(Take(*scan));
    Json does = std::visit(StepOf{}, verb);
    if (const auto* const table = std::get_if<NamedTable>(&verb)) does = Take(*table);
    if (const auto* const sql = std::get_if<Sql>(&verb)) {
      texts_.push_back({{"text", sql->text}, {"names", sql->names}});
    }
    numbers_[plan.get()] = steps_.size();
    steps_.push_back(
        {{"verb", verb.index()}, {"inputs", std::move(numbers)}, {"does", std::move(does)}});
    Plan described = MakePlan(std::move(verb), std::move(inputs));
    described_.emplace(plan.get(), described);
    return described;
  }

  Json texts() const { return texts_; }
  Json scans() const { return scans_; }
  Json steps() const { return steps_; }

 private:
  // The table's name in its source, and that of its rows.
  Json Take(const NamedTable& table) {
    const std::string rows = table.source && sources_ ? sources_(*table.source) : std::string();
    if (rows.empty()) cause_.refused = kNoHash;
    return {table.name, rows};
  }

  Status Take(Scan& scan) {
    // One copy may be of several files; then they have no hash of their own.
    const bool paired = scan.brought_from.size() == scan.paths.size();
    for (size_t i = 0; i < scan.paths.size(); ++i) {
      std::string& path = scan.paths[i];
      PT_CHECK(hashes_ != nullptr);
      PT_LET(InputContent content, hashes_->Hash(path));
      cause_.files.push_back({path, paired ? scan.brought_from[i] : path, content});
      path = content.hash;
    }
    scan.brought_from.clear();
    Json columns = Json::array();
    for (const auto& field : scan.schema->fields()) {
      columns.push_back({field->name(), field->type()->ToString()});
    }
    scans_.push_back({{"columns", std::move(columns)},
                      {"csv", FieldsToJson(scan.csv)},
                      {"partitions", PartitionValues(scan.partitions)},
                      {"rows_are_lines", scan.rows_are_lines},
                      {"hashed", scan.hashed}});
    return Status::OK();
  }

  InputHashes* const hashes_;
  const TableContents& contents_;
  const SourceNames& sources_;
  TableCause& cause_;
  Json texts_ = Json::array();
  Json scans_ = Json::array();
  Json steps_ = Json::array();
  std::unordered_map<const Node*, size_t> numbers_;  // Of steps_.
  std::unordered_map<const Node*, Plan> described_;
};

// Why the contents of a node cannot be part of a cause; empty if they can.
std::string RefusedFor(const Verb& verb) {
  const auto* const table = std::get_if<NamedTable>(&verb);
  if (table != nullptr && !(table->source && MayHaveVersions(*table->source))) return kNoHash;
  if (std::holds_alternative<MapTask>(verb)) return "it holds results of tasks";
  if (std::holds_alternative<Limit>(verb)) return "a limit keeps any rows";
  // What is not exact in it would have to be known here.
  if (std::holds_alternative<Materialize>(verb)) return "it is made of another kept table";
  return {};
}

std::string FindRefused(const Plan& plan, const TableContents& contents,
                        std::unordered_set<const Node*>& seen) {
  if (contents.contains(plan.get()) || !seen.insert(plan.get()).second) return {};
  std::string refused = RefusedFor(plan->verb);
  for (const Plan& input : plan->inputs) {
    if (refused.empty()) refused = FindRefused(input, contents, seen);
  }
  return refused;
}

bool HoldsFiles(const Plan& plan, const TableContents& contents) {
  if (contents.contains(plan.get())) return false;
  return std::holds_alternative<Scan>(plan->verb) ||
         std::holds_alternative<NamedTable>(plan->verb) ||
         std::ranges::any_of(plan->inputs,
                             [&](const Plan& input) { return HoldsFiles(input, contents); });
}

Json Causes(const Plan& described, const Describing& describing) {
  Json causes = {{"plan", Explain(described)},
                 {"sql", describing.texts()},
                 {"steps", describing.steps()},
                 {"reading", describing.scans()}};
  causes.update(CausesOfBuild());
  return causes;
}

}  // namespace

Json CausesOfBuild() {
  return {{"engine", std::string("DuckDB ") + duckdb_library_version()},
          {"builds", LoadedBuilds({"libprotium.so", "libprotium_local.so", "libduckdb"})},
          {"settings", SettingsOfDatabase()},
          {"libc", gnu_get_libc_version()},
          // Digits of exp() and others come from libm, which chooses its code by the processor.
          {"processor", VectorInstructions()}};
}

TableCause CauseOver(const Plan& plan, const TableContents& contents) {
  TableCause cause;
  std::unordered_set<const Node*> seen;
  cause.refused = FindRefused(plan, contents, seen);
  if (cause.refused.empty() && HoldsFiles(plan, contents)) cause.refused = "it reads files";
  if (!cause.refused.empty()) return cause;
  const SourceNames none;
  Describing describing(nullptr, contents, none, cause);
  const auto described = describing.Visit(plan);
  PT_CHECK(described.ok());
  cause.causes = Causes(*described, describing);
  return cause;
}

Result<TableCause> FindCause(const Plan& kept, InputHashes& hashes, const SourceNames& sources) {
  TableCause cause;
  std::unordered_set<const Node*> seen;
  cause.refused = FindRefused(kept->inputs.front(), {}, seen);
  if (!cause.refused.empty()) return cause;
  const TableContents none;
  Describing describing(&hashes, none, sources, cause);
  PT_LET(const Plan described, describing.Visit(kept->inputs.front()));
  if (!cause.refused.empty()) return cause;
  cause.causes = Causes(described, describing);
  return cause;
}

}  // namespace protium
