// SPDX-License-Identifier: Apache-2.0
#include "leaks/table_profile.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/splitmix.h"
#include "base/text.h"
#include "column/cells.h"
#include "column/decimals.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr size_t kMostCounted = 4096;  // Distinct values of a column that are counted individually.
constexpr size_t kMostSampled = 100'000;
constexpr size_t kMostTop = 5;
constexpr int32_t kWidestText = 40;
// If distinct values are fewer than rows by this share, that may be an estimation error.
constexpr double kNearlyAll = 0.95;

// Numbers and times as a value that compares as they do. long double holds every int64_t and every
// double.
using Position = long double;

template <class Array>
Position At(const arrow::Array& column, int64_t row) {
  return Position(static_cast<const Array&>(column).Value(row));
}

// Reads decimals as doubles: digits beyond a double's are not shown in a profile.
Position AtDecimal(const arrow::Array& column, int64_t row) {
  return NearestDouble(static_cast<const arrow::Decimal128Array&>(column), row);
}

using Locate = Position (*)(const arrow::Array& column, int64_t row);

// Returns nullptr for types that are not ordered this way.
Locate LocateOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT32:
      return At<arrow::Int32Array>;
    case arrow::Type::INT64:
      return At<arrow::Int64Array>;
    case arrow::Type::FLOAT:
      return At<arrow::FloatArray>;
    case arrow::Type::DOUBLE:
      return At<arrow::DoubleArray>;
    case arrow::Type::DECIMAL128:
      return AtDecimal;
    case arrow::Type::DATE32:
      return At<arrow::Date32Array>;
    case arrow::Type::TIMESTAMP:
      return At<arrow::TimestampArray>;
    default:
      return nullptr;
  }
}

// Whether a position may have a fraction.
bool IsReal(const arrow::DataType& type) {
  return arrow::is_floating(type.id()) || arrow::is_decimal(type.id());
}

std::string Short(const std::string& text) { return CutToWidth(text, kWidestText); }

// Returns the text of a position, as CellText() writes a cell.
std::string PositionText(const std::shared_ptr<arrow::DataType>& type, Position position) {
  const auto cell = [&]() -> arrow::Result<std::shared_ptr<arrow::Scalar>> {
    if (arrow::is_decimal(type->id())) return arrow::MakeScalar(double(position));
    if (IsReal(*type)) return arrow::MakeScalar(type, double(position));
    if (type->id() == arrow::Type::INT32 || type->id() == arrow::Type::DATE32) {
      return arrow::MakeScalar(type, int32_t(position));
    }
    return arrow::MakeScalar(type, int64_t(position));
  }();
  if (!cell.ok()) return {};
  const auto array = arrow::MakeArrayFromScalar(**cell, 1);
  return array.ok() ? Short(CellText(**array, 0)) : std::string();
}

// Counts distinct values by their hashes: exactly up to kMostCounted, then from the k-th smallest
// hash, which is the closer to 0 the more there are (Bar-Yossef et al., "Counting Distinct Elements
// in a Data Stream", 2002; the error is about 1 / sqrt(k)).
class Distinct {
 public:
  void Add(uint64_t hash) {
    if (smallest_.size() == kMostCounted && hash >= *smallest_.rbegin()) {
      exact_ = exact_ && smallest_.contains(hash);
      return;
    }
    if (!smallest_.insert(hash).second || smallest_.size() <= kMostCounted) return;
    smallest_.erase(std::prev(smallest_.end()));
    exact_ = false;
  }
  bool exact() const { return exact_; }
  int64_t Estimate() const {
    if (exact_) return int64_t(smallest_.size());
    const double share = std::ldexp(double(*smallest_.rbegin()), -64);
    return int64_t(double(kMostCounted - 1) / share);
  }

 private:
  std::set<uint64_t> smallest_;
  bool exact_ = true;
};

int64_t WordsIn(std::string_view text) {
  int64_t words = 0;
  bool within = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    words += !blank && !within ? 1 : 0;
    within = !blank;
  }
  return words;
}

struct Cell {
  bool missing = false;  // NULL or NaN.
  std::optional<Position> position;
};

// `locate`: LocateOf() the column's type.
Cell ReadCell(const arrow::Array& column, int64_t row, Locate locate) {
  if (column.IsNull(row)) return {.missing = true};
  if (locate == nullptr) return {};
  // Adding 0.0 turns -0.0 into 0.0, which is equal to it.
  const Position position = locate(column, row) + Position{0};
  return {.missing = std::isnan(position), .position = position};
}

// Of a value that is not missing.
uint64_t HashOf(const arrow::Array& column, int64_t row, std::optional<Position> position) {
  const arrow::DataType& type = *column.type();
  // A double's position is the value itself; whole numbers beyond 2^53 would share one.
  if (position && IsReal(type)) {
    return SplitMix(std::bit_cast<uint64_t>(double(*position)) + kSplitMixStep);
  }
  if (position) return SplitMix(uint64_t(int64_t(*position)) + kSplitMixStep);
  const std::hash<std::string_view> hash;
  if (type.id() == arrow::Type::STRING) {
    return SplitMix(hash(static_cast<const arrow::StringArray&>(column).GetView(row)));
  }
  return SplitMix(hash(CellText(column, row)));
}

class ColumnPass {
 public:
  explicit ColumnPass(const arrow::Field& field)
      : type_(field.type()), locate_(LocateOf(*field.type())) {
    profile_.name = field.name();
    profile_.type = field.type();
  }

  void Read(const arrow::Array& column) {
    for (int64_t row = 0; row < column.length(); ++row) Take(column, row);
  }

  // A hash of all values in order, NULL included.
  uint64_t order() const { return order_; }
  ColumnProfile Finish();

 private:
  void Take(const arrow::Array& column, int64_t row);
  void Count(const arrow::Array& column, int64_t row, uint64_t hash);
  void Order(Position position);
  std::string LastFifth();
  void OrderText(std::string_view text);

  struct Counted {
    int64_t rows = 0;
    std::string text;
  };

  std::shared_ptr<arrow::DataType> type_;
  Locate locate_;
  ColumnProfile profile_;
  Distinct distinct_;
  std::unordered_map<uint64_t, Counted> counts_;  // Empty after there are too many.
  bool counting_ = true;
  int64_t values_ = 0;
  uint64_t order_ = 0;
  std::optional<Position> least_, greatest_, before_;
  int64_t falls_ = 0;  // Rows whose value is less than that of the previous row.
  std::optional<std::string> first_text_, last_text_;
  int64_t words_ = 0;
  // Each value is in it with equal probability (reservoir sampling).
  std::vector<Position> sample_;
};

void ColumnPass::Take(const arrow::Array& column, int64_t row) {
  const auto [missing, position] = ReadCell(column, row, locate_);
  const uint64_t hash = missing ? 0 : HashOf(column, row, position);
  order_ = SplitMix(order_ + kSplitMixStep) ^ hash;
  if (missing) {
    ++profile_.nulls;
    return;
  }
  ++values_;
  distinct_.Add(hash);
  Count(column, row, hash);
  if (position) Order(*position);
  if (type_->id() == arrow::Type::STRING) {
    OrderText(static_cast<const arrow::StringArray&>(column).GetView(row));
  }
}

void ColumnPass::Count(const arrow::Array& column, int64_t row, uint64_t hash) {
  if (!counting_) return;
  Counted& counted = counts_[hash];
  if (counted.rows++ == 0) counted.text = Short(CellText(column, row));
  if (counts_.size() <= kMostCounted) return;
  counting_ = false;
  counts_.clear();
}

void ColumnPass::Order(Position position) {
  if (!least_ || position < *least_) least_ = position;
  if (!greatest_ || position > *greatest_) greatest_ = position;
  falls_ += before_ && position < *before_ ? 1 : 0;
  before_ = position;
  if (sample_.size() < kMostSampled) {
    sample_.push_back(position);
    return;
  }
  const uint64_t place = SplitMix(uint64_t(values_) * kSplitMixStep) % uint64_t(values_);
  if (place < kMostSampled) sample_[size_t(place)] = position;
}

void ColumnPass::OrderText(std::string_view text) {
  if (!first_text_ || text < *first_text_) first_text_ = std::string(text);
  if (!last_text_ || text > *last_text_) last_text_ = std::string(text);
  words_ += WordsIn(text);
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  profile_.leading_zeros += digits && text.size() > 1 && text.front() == '0' ? 1 : 0;
}

// Uses the sample, which is no longer in order.
std::string ColumnPass::LastFifth() {
  constexpr double kMost = 0.35;  // If many rows share the value, more than a fifth reach it.
  const auto at = sample_.begin() + int64_t(sample_.size() * 4 / 5);
  if (at == sample_.end()) return {};
  std::nth_element(sample_.begin(), at, sample_.end());
  const Position value = *at;
  const auto reach = std::ranges::count_if(sample_, [&](Position each) { return each >= value; });
  const bool parts = double(reach) <= kMost * double(sample_.size());
  return parts ? PositionText(type_, value) : std::string();
}

ColumnProfile ColumnPass::Finish() {
  profile_.exact = distinct_.exact();
  profile_.distinct = std::min(distinct_.Estimate(), values_);
  if (least_) {
    const auto middle = sample_.begin() + int64_t(sample_.size() - 1) / 2;
    std::nth_element(sample_.begin(), middle, sample_.end());
    profile_.least = PositionText(type_, *least_);
    profile_.median = PositionText(type_, *middle);
    profile_.greatest = PositionText(type_, *greatest_);
    const bool time = type_->id() == arrow::Type::DATE32 || type_->id() == arrow::Type::TIMESTAMP;
    if (time || !IsReal(*type_)) profile_.ascending = falls_ * 100 <= values_;
    if (time) profile_.last_fifth = LastFifth();
  } else if (first_text_) {
    const arrow::StringScalar first(*first_text_), last(*last_text_);
    profile_.least = Short(first.ToString());
    profile_.greatest = Short(last.ToString());
    profile_.words = double(words_) / double(values_);
  }
  for (auto& [hash, counted] : counts_) {
    profile_.top.emplace_back(counted.text, counted.rows);
    profile_.rare += counted.rows < kRareBelow ? 1 : 0;
  }
  const auto before = [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  };
  std::sort(profile_.top.begin(), profile_.top.end(), before);
  if (profile_.top.size() > kMostTop) profile_.top.resize(kMostTop);
  if (!profile_.top.empty() && profile_.top[0].second == 1) profile_.top.clear();
  return std::move(profile_);
}

}  // namespace

bool IsCalledId(const std::string& name) {
  return Lower(name) == "id" || Lower(name).ends_with("_id") || name.ends_with("Id") ||
         (name.size() > 2 && name.ends_with("ID"));
}

const ColumnProfile* TableProfile::Find(const std::string& column) const {
  for (const ColumnProfile& each : columns) {
    if (each.name == column) return &each;
  }
  return nullptr;
}

uint64_t CellHash(const arrow::Array& column, int64_t row) {
  const auto [missing, position] = ReadCell(column, row, LocateOf(*column.type()));
  return missing ? 0 : HashOf(column, row, position);
}

Result<TableProfile> ProfileRows(BatchStream& rows, int64_t head) {
  TableProfile table;
  std::vector<ColumnPass> passes;
  for (const auto& field : rows.schema()->fields()) passes.emplace_back(*field);
  arrow::RecordBatchVector first;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, rows.Next());
    if (!batch) break;
    if (table.rows < head) first.push_back(batch->Slice(0, head - table.rows));
    for (int c = 0; c < batch->num_columns(); ++c) passes[size_t(c)].Read(*batch->column(c));
    table.rows += batch->num_rows();
  }
  PT_LET(const auto together, arrow::Table::FromRecordBatches(rows.schema(), first));
  PT_LET(table.head, together->CombineChunksToBatch());
  std::unordered_map<uint64_t, std::string> orders;
  for (ColumnPass& pass : passes) {
    const uint64_t order = pass.order();
    ColumnProfile& column = table.columns.emplace_back(pass.Finish());
    const auto [found, fresh] = orders.emplace(order, column.name);
    // Empty columns are all equal; that says nothing about any of them.
    if (!fresh && column.distinct > 1) column.same_as = found->second;
  }
  return table;
}

namespace {

double AsNumber(const std::string& text) { return AllAsNumber<double>(text).value_or(0); }

// Whether whole numbers that differ in every row tell rows apart and say nothing else: they are in
// the order of the rows, leave few numbers out, or are as large and as evenly spread as hashes.
bool TellsRowsApart(const ColumnProfile& column) {
  constexpr double kLarge = 1e9, kEven = 0.05;
  const double least = AsNumber(column.least), greatest = AsNumber(column.greatest);
  const double range = greatest - least;
  if (column.ascending || range < 2 * double(column.distinct)) return true;
  const double middle = least + range / 2;
  return greatest >= kLarge && std::abs(AsNumber(column.median) - middle) <= kEven * range;
}

}  // namespace

bool HoldsSentences(const TableProfile& table, const ColumnProfile& column) {
  constexpr double kFewestWords = 2;
  const int64_t values = table.rows - column.nulls;
  const bool many = column.distinct > kMostCategories || column.distinct * kRowsOfCategory > values;
  return column.type->id() == arrow::Type::STRING && column.words >= kFewestWords &&
         column.distinct > kFewCategories && many && column.same_as.empty();
}

std::string WhyUseless(const TableProfile& table, const ColumnProfile& column) {
  if (table.rows < 2) return {};
  if (column.nulls == table.rows) return "is empty";
  if (column.distinct == 1 && column.nulls == 0) return "is constant";
  if (!column.same_as.empty()) return "equals " + column.same_as + " in every row";
  const bool whole =
      column.type->id() == arrow::Type::INT64 || column.type->id() == arrow::Type::INT32;
  const bool text = column.type->id() == arrow::Type::STRING;
  if (!whole && !text) return {};
  const double values = double(table.rows - column.nulls);
  const bool differ = column.exact ? double(column.distinct) == values
                                   : double(column.distinct) >= kNearlyAll * values;
  const bool id =
      text ? !HoldsSentences(table, column) : IsCalledId(column.name) || TellsRowsApart(column);
  if (differ && id && table.rows >= 20) return "has a different value in every row: an id?";
  return {};
}

Json ProfileToJson(const TableProfile& table) {
  Json columns = Json::array();
  for (const ColumnProfile& each : table.columns) {
    Json column = {{"name", each.name},
                   {"type", TypeText(*each.type)},
                   {"missing", each.nulls},
                   {"distinct", each.distinct},
                   {"distinct_exact", each.exact}};
    if (!each.least.empty()) {
      column["least"] = each.least;
      column["greatest"] = each.greatest;
    }
    if (!each.median.empty()) column["median"] = each.median;
    for (const auto& [text, rows] : each.top) {
      column["top"].push_back({{"value", text}, {"rows", rows}});
    }
    if (const std::string why = WhyUseless(table, each); !why.empty()) column["note"] = why;
    columns.push_back(std::move(column));
  }
  Json json = {{"rows", table.rows}, {"columns", columns}};
  if (!table.notes.empty()) json["notes"] = table.notes;
  return json;
}

}  // namespace protium
