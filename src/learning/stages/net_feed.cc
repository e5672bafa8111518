// SPDX-License-Identifier: Apache-2.0
#include "stages/net_feed.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/fault.h"
#include "statistics/lists.h"

namespace protium {
namespace {

constexpr int64_t kWidest = 100'000'000;  // Numbers of one row.

Status CannotFeed(std::string what, std::string why = {}, std::string fix = {}) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = "inputs",
               .why = std::move(why),
               .fix = std::move(fix)});
}

int64_t NumbersIn(const FedColumn& column) { return std::max<int64_t>(column.length, 1); }

// The product of the lengths that the file gives, and how many it leaves open.
struct Known {
  int64_t product = 1;
  int open = 0;
};
Known KnownOf(const NetValue& input) {
  Known known;
  for (size_t i = 1; i < input.shape.size(); ++i) {
    if (input.shape[i] < 0) known.open += 1;
    if (input.shape[i] >= 0) known.product = std::min(kWidest, known.product * input.shape[i]);
  }
  return known;
}

bool IsFraction(NetElement element) {
  return element == NetElement::kFloat || element == NetElement::kDouble;
}

// Writes numbers of one element type; false for one that the type does not have.
template <class T>
bool PutWhole(double value, std::byte* to) {
  constexpr double kExact = 9007199254740992;  // 2^53
  const bool fits = value == std::floor(value) && std::abs(value) <= kExact &&
                    value >= double(std::numeric_limits<T>::lowest()) &&
                    value <= double(std::numeric_limits<T>::max());
  if (!fits) return false;
  *reinterpret_cast<T*>(to) = static_cast<T>(value);
  return true;
}

bool Put(NetElement element, double value, std::byte* to) {
  switch (element) {
    case NetElement::kFloat:
      *reinterpret_cast<float*>(to) = static_cast<float>(value);
      return true;
    case NetElement::kDouble:
      *reinterpret_cast<double*>(to) = value;
      return true;
    case NetElement::kInt64:
      return PutWhole<int64_t>(value, to);
    case NetElement::kInt32:
      return PutWhole<int32_t>(value, to);
    case NetElement::kInt16:
      return PutWhole<int16_t>(value, to);
    case NetElement::kInt8:
      return PutWhole<int8_t>(value, to);
    case NetElement::kUint8:
      return PutWhole<uint8_t>(value, to);
    case NetElement::kBool:
      *reinterpret_cast<uint8_t*>(to) = value != 0;
      return true;
    default:
      return false;
  }
}

bool Takes(NetElement element) {
  std::byte scratch[8];
  return element == NetElement::kString || Put(element, 0, scratch);
}

Status DoesNotFit(double value, NetElement element, const std::string& column) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("column \"{}\" has {}, and the net takes {} there", column,
                                   value, NameOf(element))});
}

}  // namespace

Result<NetFeed> NetFeed::Make(const std::vector<NetValue>& inputs, std::vector<FedColumn> columns) {
  NetFeed feed;
  feed.columns_ = std::move(columns);
  feed.element_of_.resize(feed.columns_.size(), NetElement::kNone);
  for (const NetValue& each : inputs) {
    if (!Takes(each.element)) {
      return CannotFeed(
          fmt::format("input \"{}\" is {}, which no column can be", each.name, Describe(each)));
    }
    feed.slots_.push_back({.name = each.name, .element = each.element});
  }
  PT_TRY(feed.Assign(inputs));
  for (size_t i = 0; i < inputs.size(); ++i) {
    PT_TRY(feed.Complete(inputs[i], feed.slots_[i]));
    for (const size_t column : feed.slots_[i].columns) {
      feed.element_of_[column] = inputs[i].element;
    }
  }
  return feed;
}

Status NetFeed::Assign(const std::vector<NetValue>& inputs) {
  size_t named = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto found = std::ranges::find(columns_, inputs[i].name, &FedColumn::input);
    if (found == columns_.end()) continue;
    slots_[i].columns = {size_t(found - columns_.begin())};
    named += 1;
  }
  if (named == inputs.size() && named == columns_.size()) return Status::OK();
  size_t next = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Slot& slot = slots_[i];
    slot.columns.clear();
    const Known known = KnownOf(inputs[i]);
    // What the file leaves open takes all columns of a net with one input, one of other nets.
    const int64_t wanted = known.open == 0 ? known.product : inputs.size() == 1 ? kWidest : 1;
    for (; next < columns_.size() && WidthOf(slot) < wanted; ++next) slot.columns.push_back(next);
  }
  if (next == columns_.size()) return Status::OK();
  return CannotFeed(fmt::format("the net's inputs take no more columns after \"{}\"",
                                next == 0 ? "" : columns_[next - 1].input),
                    fmt::format("\"{}\" feeds none of them", columns_[next].input));
}

int64_t NetFeed::WidthOf(const Slot& slot) const {
  int64_t width = 0;
  for (const size_t each : slot.columns) width += NumbersIn(columns_[each]);
  return width;
}

// Gives open lengths their numbers.
Status NetFeed::Complete(const NetValue& input, Slot& slot) const {
  const Known known = KnownOf(input);
  slot.width = WidthOf(slot);
  const bool fits = known.open == 0 ? slot.width == known.product
                                    : known.product > 0 && slot.width % known.product == 0;
  if (slot.columns.empty() || !fits || slot.width > kWidest) {
    return CannotFeed(
        fmt::format("input \"{}\" takes {}, and the columns give {} {} a row", input.name,
                    Describe(input), slot.width, slot.width == 1 ? "value" : "values"),
        {}, "name the columns that it reads, in its order");
  }
  if (known.open > 1 && slot.width != 1) {
    return CannotFeed(fmt::format("input \"{}\" leaves more than one length open: {}", input.name,
                                  Describe(input)),
                      {}, "export the net with lengths, all but that of the rows");
  }
  for (size_t i = 1; i < input.shape.size(); ++i) {
    slot.shape.push_back(input.shape[i] < 0 ? slot.width / known.product : input.shape[i]);
  }
  return Status::OK();
}

NetTensor NetFeed::Empty(const Slot& slot, int64_t rows) const {
  NetTensor tensor{.element = slot.element, .shape = {rows}};
  tensor.shape.insert(tensor.shape.end(), slot.shape.begin(), slot.shape.end());
  if (slot.element == NetElement::kString) tensor.texts.resize(size_t(rows * slot.width));
  tensor.numbers.resize(size_t(rows * slot.width) * BytesOf(slot.element));
  return tensor;
}

std::vector<NetTensor> NetFeed::Probe() const {
  std::vector<NetTensor> tensors;
  for (const Slot& each : slots_) tensors.push_back(Empty(each, 1));
  return tensors;
}

Result<std::vector<NetTensor>> NetFeed::Tensors(const arrow::ArrayVector& columns, int64_t begin,
                                                int64_t rows, std::vector<bool>& valid) const {
  std::vector<NetTensor> tensors;
  for (const Slot& slot : slots_) {
    tensors.push_back(Empty(slot, rows));
    PT_TRY(Fill(slot, columns, begin, tensors.back(), valid));
  }
  return tensors;
}

namespace {

// Where the values of one column go: `at` behind the beginning of each row of the tensor.
struct Into {
  NetTensor& tensor;
  int64_t width;
  int64_t at;
  int64_t begin;  // The first row of the column.
  int64_t rows() const { return tensor.shape.front(); }
  std::byte* number(int64_t row, int64_t i) const {
    return tensor.numbers.data() + size_t(row * width + at + i) * BytesOf(tensor.element);
  }
};

Status FillTexts(const arrow::Array& column, const Into& into) {
  if (column.type_id() != arrow::Type::STRING) return Status::TypeError("texts");
  const auto& texts = static_cast<const arrow::StringArray&>(column);
  for (int64_t row = 0; row < into.rows(); ++row) {
    if (texts.IsNull(into.begin + row)) continue;
    into.tensor.texts[size_t(row * into.width + into.at)] = texts.GetString(into.begin + row);
  }
  return Status::OK();
}

Status FillNumbers(const arrow::Array& column, const std::string& name, const Into& into,
                   std::vector<bool>& valid) {
  if (column.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers as doubles");
  const auto& numbers = static_cast<const arrow::DoubleArray&>(column);
  const NetElement element = into.tensor.element;
  for (int64_t row = 0; row < into.rows(); ++row) {
    const bool missing = numbers.IsNull(into.begin + row);
    if (missing && !IsFraction(element)) {
      valid[size_t(into.begin + row)] = false;
      continue;
    }
    const double value =
        missing ? std::numeric_limits<double>::quiet_NaN() : numbers.Value(into.begin + row);
    if (!Put(element, value, into.number(row, 0))) return DoesNotFit(value, element, name);
  }
  return Status::OK();
}

Status FillLists(const arrow::Array& column, const FedColumn& fed, const Into& into,
                 std::vector<bool>& valid) {
  PT_LET(const NumberLists lists, NumberLists::Of(*column.Slice(into.begin, into.rows())));
  for (int64_t row = 0; row < into.rows(); ++row) {
    if (lists.IsNull(row)) {
      valid[size_t(into.begin + row)] = false;
      continue;
    }
    PT_TRY(CheckLength(lists, row, fed.length, fed.input));
    const std::span<const double> list = lists.At(row);
    for (size_t i = 0; i < list.size(); ++i) {
      if (Put(into.tensor.element, list[i], into.number(row, int64_t(i)))) continue;
      return DoesNotFit(list[i], into.tensor.element, fed.input);
    }
  }
  return Status::OK();
}

}  // namespace

Status NetFeed::Fill(const Slot& slot, const arrow::ArrayVector& columns, int64_t begin,
                     NetTensor& tensor, std::vector<bool>& valid) const {
  int64_t at = 0;
  for (const size_t each : slot.columns) {
    const FedColumn& fed = columns_[each];
    const Into into{tensor, slot.width, at, begin};
    if (fed.length > 0) {
      PT_TRY(FillLists(*columns[each], fed, into, valid));
    } else if (slot.element == NetElement::kString) {
      PT_TRY(FillTexts(*columns[each], into));
    } else {
      PT_TRY(FillNumbers(*columns[each], fed.input, into, valid));
    }
    at += NumbersIn(fed);
  }
  return Status::OK();
}

}  // namespace protium
