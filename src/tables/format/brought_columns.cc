// SPDX-License-Identifier: Apache-2.0
#include "format/brought_columns.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/schema.h"
#include "format/csv_options.h"
#include "format/csv_types.h"
#include "format/file.h"

namespace protium {
namespace {

constexpr int64_t kBroughtRows = 32 << 10;
constexpr size_t kBatchBytes = 16 << 20;

}  // namespace

Result<BatchBuilder> BatchBuilder::Make(const SchemaPtr& schema) {
  BatchBuilder builder;
  builder.schema_ = schema;
  for (const auto& field : schema->fields()) {
    PT_LET(builder.columns_.emplace_back(),
           arrow::MakeBuilder(field->type(), arrow::default_memory_pool()));
  }
  return builder;
}

bool BatchBuilder::EndRow(size_t bytes) {
  ++rows_;
  bytes_ += bytes;
  return rows_ >= kBroughtRows || bytes_ >= kBatchBytes;
}

Result<std::shared_ptr<arrow::RecordBatch>> BatchBuilder::Finish() {
  arrow::ArrayVector arrays;
  for (const auto& column : columns_) {
    PT_LET(arrays.emplace_back(), column->Finish());
  }
  bytes_ = 0;
  return arrow::RecordBatch::Make(schema_, std::exchange(rows_, 0), std::move(arrays));
}

Result<TwoPasses> TwoPasses::Over(const std::vector<std::string>& paths, BringWatch watch) {
  TwoPasses passes;
  passes.watch_ = std::move(watch);
  passes.before_.push_back(0);
  for (const std::string& path : paths) {
    PT_LET(const FileFacts facts, ReadFileFacts(path));
    passes.before_.push_back(passes.before_.back() + facts.bytes);
  }
  return passes;
}

Status TwoPasses::Report(int pass, size_t file, const TextSource& source) const {
  const auto all = static_cast<double>(std::max<int64_t>(before_.back(), 1));
  const auto read = static_cast<double>(before_[file] + source.read_bytes());
  return watch_((pass + std::min(read / all, 1.0)) / 2);
}

CellType SettledType(const SaidType& said, CellType found) {
  if (said.type == nullptr) return found;
  const CellType type = CellTypeOf(*said.type);
  const bool fractions = found == CellType::kDouble || found == CellType::kLooseDouble;
  return !said.exact && type == CellType::kInt64 && fractions ? found : type;
}

Result<std::vector<SaidType>> SaidTypes(const BringSpec& spec,
                                        const std::vector<std::string>& names) {
  std::vector<SaidType> types(names.size());
  for (size_t i = 0; i < names.size() && spec.known != nullptr; ++i) {
    const auto known = spec.known->GetFieldByName(names[i]);
    if (known != nullptr) types[i].type = known->type();
  }
  for (const auto& [column, type] : spec.csv.types.all) {
    const auto found = std::find(names.begin(), names.end(), column);
    if (found == names.end()) {
      return Fail(
          {.exit = Exit::kUsage,
           .what = "types names column \"" + column + "\", which is not in " + spec.paths.front(),
           .fix = Suggest(column, names)});
    }
    SaidType& said = types[static_cast<size_t>(found - names.begin())];
    PT_LET(said.type, TypeNamed(type));
    said.exact = true;
  }
  return types;
}

Status WrongCell(const std::string& column, std::string_view text, CellType type,
                 const std::string& where, const std::string& fix) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" holds {}, which is not {}", column,
                                   QuotedCell(text), TypeName(*ArrowType(type)).ValueOr("text")),
               .where = where,
               .fix = fix});
}

}  // namespace protium
