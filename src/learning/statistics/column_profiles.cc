// SPDX-License-Identifier: Apache-2.0
#include "statistics/column_profiles.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fnv.h"
#include "base/json.h"
#include "column/decimals.h"
#include "column/visit.h"

namespace protium {
namespace {

constexpr size_t kTextBytes = 64;

// MurmurHash3's finalizer; never 0, which marks a free slot.
uint64_t Mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdu;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53u;
  bits ^= bits >> 33;
  return bits == 0 ? 1 : bits;
}

uint64_t HashNumber(double number) { return Mixed(std::bit_cast<uint64_t>(number + 0.0)); }

uint64_t HashText(std::string_view text) { return Mixed(Fnv1a(text) ^ text.size()); }

// The beginning of a text, not cut within a character.
std::string Short(std::string_view text) {
  if (text.size() <= kTextBytes) return std::string(text);
  size_t end = kTextBytes;
  while (end > 0 && (uint8_t(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// The cells of a column of a batch.
struct Cells {
  const arrow::Array* array = nullptr;
  std::vector<double> numbers;  // For a column of numbers or times.

  std::string_view Text(int64_t row) const {
    switch (array->type_id()) {
      case arrow::Type::STRING:
        return static_cast<const arrow::StringArray*>(array)->GetView(row);
      case arrow::Type::LARGE_STRING:
        return static_cast<const arrow::LargeStringArray*>(array)->GetView(row);
      case arrow::Type::BOOL:
        return static_cast<const arrow::BooleanArray*>(array)->Value(row) ? "true" : "false";
      default:
        return {};
    }
  }
  // A batch has rows, so `numbers` is empty for other columns only.
  bool IsMissing(int64_t row) const {
    return array->IsNull(row) || (!numbers.empty() && std::isnan(numbers[size_t(row)]));
  }
  ProfileCell At(int64_t row) const {
    if (IsMissing(row)) return {};
    if (!numbers.empty()) return numbers[size_t(row)];
    return Short(Text(row));
  }
};

template <class Array>
std::vector<double> ReadNumbers(const Array& array, double unit = 1) {
  // NULL stays 0 here, since IsMissing() is checked first.
  std::vector<double> numbers(size_t(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    numbers[size_t(i)] = array.IsValid(i) ? double(array.Value(i)) * unit : 0;
  }
  return numbers;
}

double UnitSeconds(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1e-3;
    case arrow::TimeUnit::MICRO:
      return 1e-6;
    default:
      return 1e-9;
  }
}

std::vector<double> ReadDecimals(const arrow::Array& array) {
  const auto& typed = static_cast<const arrow::Decimal128Array&>(array);
  std::vector<double> numbers(size_t(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) {
      numbers[size_t(i)] = NearestDouble(typed, i);
    }
  }
  return numbers;
}

std::vector<double> NumbersOf(const arrow::Array& array) {
  using Type = arrow::Type;
  std::vector<double> numbers;
  const auto read = [&](const auto& values) { numbers = ReadNumbers(values); };
  // Booleans are texts here.
  if (VisitReals(array, read) || VisitUnsigned(array, read)) return numbers;
  if (arrow::is_signed_integer(array.type_id()) && VisitWholes(array, read)) return numbers;
  switch (array.type_id()) {
    case Type::DECIMAL128:
      return ReadDecimals(array);
    case Type::DATE32:
      return ReadNumbers(static_cast<const arrow::Date32Array&>(array), 86400);
    case Type::TIMESTAMP:
      return ReadNumbers(
          static_cast<const arrow::TimestampArray&>(array),
          UnitSeconds(static_cast<const arrow::TimestampType&>(*array.type()).unit()));
    default:
      return {};
  }
}

// Adds to an exact sum. Whole numbers of ordinary size, which are most, are first added as such:
// that is also exact, and an order of magnitude faster.
class QuickSum {
 public:
  explicit QuickSum(ExactSum& sum) : sum_(sum) {}
  ~QuickSum() { Flush(); }
  void Add(double number) {
    constexpr double kLarge = 1e9;
    const auto whole = number > -kLarge && number < kLarge ? int64_t(number) : 0;
    if (double(whole) != number) return sum_.Add(number);
    whole_ += whole;
    if (++count_ == kMost) Flush();
  }

 private:
  static constexpr int kMost = 1'000'000;  // Their sum is a double without rounding.

  void Flush() {
    sum_.Add(double(whole_));
    whole_ = count_ = 0;
  }

  ExactSum& sum_;
  int64_t whole_ = 0;
  int64_t count_ = 0;
};

Json CellToJson(const ProfileCell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

ProfileCell CellFromJson(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return {};
}

// Values that have crossed a process boundary are checked before use.
Result<int64_t> WholeAt(const Json& json, const char* key) {
  const Json value = json.is_object() ? json.value(key, Json()) : Json();
  if (!value.is_number_integer()) return Status::Invalid("a profile without ", key);
  return value.get<int64_t>();
}

}  // namespace

std::string ProfileKind(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BOOL:
      return "text";
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
      return "time";
    case arrow::Type::DECIMAL128:
      return "number";
    default:
      return arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT ||
                     type.id() == arrow::Type::DOUBLE
                 ? "number"
                 : "other";
  }
}

void ColumnProfiles::Grow(Column& column) {
  std::vector<uint64_t> old(column.hashes.empty() ? 64 : 2 * column.hashes.size());
  std::swap(old, column.hashes);
  // The size is a power of two: the low bits of a hash are its slot.
  const size_t mask = column.hashes.size() - 1;
  for (const uint64_t hash : old) {
    if (hash == 0) continue;
    size_t at = hash & mask;
    while (column.hashes[at] != 0) at = (at + 1) & mask;
    column.hashes[at] = hash;
  }
}

void ColumnProfiles::AddDistinct(Column& column, uint64_t hash) {
  if (!column.limit.Takes(hash)) return;
  // At most half full, so that searches are short.
  if (2 * (column.distinct + 1) > column.hashes.size()) Grow(column);
  const size_t mask = column.hashes.size() - 1;
  size_t at = hash & mask;
  while (column.hashes[at] != 0) {
    if (column.hashes[at] == hash) return;
    at = (at + 1) & mask;
  }
  column.hashes[at] = hash;
  if (++column.distinct <= kMostDistinct) return;
  // Open addressing cannot remove: the hashes below the new limit are added to a new table.
  std::vector<uint64_t> old = std::exchange(column.hashes, {});
  column.distinct = 0;
  column.limit.Halve();
  for (const uint64_t each : old) {
    if (each != 0) AddDistinct(column, each);
  }
}

void ColumnProfiles::AddRow(uint64_t hash, int64_t count, std::vector<ProfileCell> cells) {
  Row& row = sample_[hash];
  row.count += count;
  if (row.cells.empty()) row.cells = std::move(cells);
  Shrink();
}

void ColumnProfiles::Shrink() {
  while (sample_.size() > kMostRows) {
    limit_.Halve();
    std::erase_if(sample_, [this](const auto& each) { return !limit_.Takes(each.first); });
  }
}

Status ColumnProfiles::Add(std::span<const std::shared_ptr<arrow::Array>> columns) {
  if (columns.empty() || columns[0]->length() == 0) return Status::OK();
  columns_.resize(std::max(columns_.size(), columns.size()));
  const int64_t rows = columns[0]->length();
  std::vector<uint64_t> hashes(size_t(rows), 0);
  std::vector<Cells> all;
  for (size_t c = 0; c < columns.size(); ++c) {
    const bool other = ProfileKind(*columns[c]->type()) == "other";
    const Cells& cells = all.emplace_back(Cells{columns[c].get(), NumbersOf(*columns[c])});
    Column& column = columns_[c];
    QuickSum sum(column.sum);
    for (int64_t i = 0; i < rows; ++i) {
      // What cells that have no value or are not profiled add to the hash of the row.
      uint64_t hash = 1;
      if (cells.IsMissing(i)) {
        ++column.missing;
      } else if (!cells.numbers.empty()) {
        // -0.0 becomes 0.0: both are one value.
        const double number = cells.numbers[size_t(i)] + 0.0;
        hash = HashNumber(number);
        AddDistinct(column, hash);
        if (std::isinf(number)) {
          ++column.infinite;
        } else {
          column.low = std::min(column.low, number);
          column.high = std::max(column.high, number);
          sum.Add(number);
        }
      } else if (!other) {
        hash = HashText(cells.Text(i));
        AddDistinct(column, hash);
      }
      uint64_t& row = hashes[size_t(i)];
      // Rotated, so that the order of columns counts.
      row = (std::rotl(row, 5) ^ hash) * 0x9e3779b97f4a7c15u;
    }
  }
  rows_ += rows;
  for (int64_t i = 0; i < rows; ++i) {
    // In a large table most rows are beyond the limit, and their cells are not copied.
    const uint64_t hash = Mixed(hashes[size_t(i)]);
    if (!limit_.Takes(hash)) continue;
    std::vector<ProfileCell> cells;
    for (const Cells& each : all) cells.push_back(each.At(i));
    AddRow(hash, 1, std::move(cells));
  }
  return Status::OK();
}

Status ColumnProfiles::Emit(const EmitRow& emit) const {
  if (rows_ == 0) return Status::OK();
  Json columns = Json::array();
  for (const Column& each : columns_) {
    Json hashes = Json::array();
    for (const uint64_t hash : each.hashes) {
      if (hash != 0) hashes.push_back(hash);
    }
    Json column = {{"missing", each.missing},
                   {"infinite", each.infinite},
                   {"sum", each.sum.ToJson()},
                   {"level", each.limit.level()},
                   {"hashes", std::move(hashes)}};
    if (each.low <= each.high) column["range"] = {each.low, each.high};
    columns.push_back(std::move(column));
  }
  const Json head = {{"level", limit_.level()}, {"columns", std::move(columns)}};
  PT_TRY(emit({.text = Dump(head), .count = rows_}));
  for (const auto& [hash, row] : sample_) {
    Json cells = {hash};
    for (const ProfileCell& cell : row.cells) cells.push_back(CellToJson(cell));
    PT_TRY(emit({.text = Dump(cells), .count = row.count}));
  }
  return Status::OK();
}

// The columns come as an object, a sampled row as a list.
Status ColumnProfiles::Merge(const StateRow& row) {
  if (!row.text) return Status::Invalid("a profile without columns");
  PT_LET(const Json json, ParseJson(*row.text));
  if (json.is_array()) return MergeRow(json, row.count);
  rows_ += row.count;
  return MergeColumns(json);
}

Status ColumnProfiles::MergeRow(const Json& json, int64_t count) {
  if (json.empty() || !json[0].is_number_unsigned()) return Status::Invalid("a row without hash");
  const auto hash = json[0].get<uint64_t>();
  if (!limit_.Takes(hash)) return Status::OK();
  std::vector<ProfileCell> cells;
  for (size_t i = 1; i < json.size(); ++i) cells.push_back(CellFromJson(json[i]));
  AddRow(hash, count, std::move(cells));
  return Status::OK();
}

Status ColumnProfiles::MergeColumns(const Json& json) {
  PT_LET(const int64_t level, WholeAt(json, "level"));
  const Json list = json.value("columns", Json());
  if (!list.is_array() || level < 0 || level > 63) return Status::Invalid("a damaged profile");
  // The lower limit of the two applies to both parts: below it each has all hashes.
  limit_.AtLeast(int(level));
  std::erase_if(sample_, [this](const auto& each) { return !limit_.Takes(each.first); });
  columns_.resize(std::max(columns_.size(), list.size()));
  for (size_t c = 0; c < list.size(); ++c) {
    Column& column = columns_[c];
    PT_LET(const int64_t missing, WholeAt(list[c], "missing"));
    PT_LET(const int64_t infinite, WholeAt(list[c], "infinite"));
    PT_LET(const int64_t own, WholeAt(list[c], "level"));
    PT_LET(const ExactSum sum, ExactSum::FromJson(list[c].value("sum", Json())));
    const Json hashes = list[c].value("hashes", Json()), range = list[c].value("range", Json());
    if (!hashes.is_array() || own < 0 || own > 63) return Status::Invalid("a damaged profile");
    column.missing += missing;
    column.infinite += infinite;
    column.sum.Merge(sum);
    if (range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number()) {
      column.low = std::min(column.low, range[0].get<double>());
      column.high = std::max(column.high, range[1].get<double>());
    }
    // As above: the hashes of both parts are added again, below the lower limit.
    std::vector<uint64_t> kept = std::exchange(column.hashes, {});
    column.distinct = 0;
    column.limit.AtLeast(int(own));
    for (const Json& hash : hashes) {
      if (hash.is_number_unsigned()) kept.push_back(hash.get<uint64_t>());
    }
    for (const uint64_t hash : kept) {
      if (hash != 0) AddDistinct(column, hash);
    }
  }
  return Status::OK();
}

}  // namespace protium
