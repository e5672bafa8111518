// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/fault.h"

namespace protium {

namespace {

// The library frees nested values by recursion, and other code reads them so.
constexpr size_t kMaxDepth = 200;

// JSON text always comes from a file or from another process.
Status NotJson(const std::string& why) {
  return Fail({.exit = Exit::kInput, .what = "not valid JSON: " + why});
}

// A list or an object whose end has not been read yet.
struct Unfinished {
  bool is_object = false;
  std::vector<std::string> keys;  // For an object: one per value; the last may precede its value.
  std::vector<Json> values;
};

// If a key occurs more than once, the last value counts, at the position of the first; returns
// which values are dropped. Sorts instead of hashing, so that no choice of keys makes it slow.
std::vector<bool> DropTwins(Unfinished& object) {
  const std::vector<std::string>& keys = object.keys;
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const int by_key = keys[a].compare(keys[b]);
    return by_key != 0 ? by_key < 0 : a < b;
  });
  std::vector<bool> gone(keys.size(), false);
  for (size_t i = 1, first = 0; i < order.size(); ++i) {
    if (keys[order[i]] != keys[order[first]]) {
      first = i;
      continue;
    }
    object.values[order[first]] = std::move(object.values[order[i]]);
    gone[order[i]] = true;
  }
  return gone;
}

Json ObjectFrom(Unfinished& read) {
  const std::vector<bool> gone = DropTwins(read);
  std::vector<std::pair<std::string, Json>> members;
  members.reserve(read.keys.size());
  for (size_t i = 0; i < read.keys.size(); ++i) {
    if (!gone[i]) members.emplace_back(std::move(read.keys[i]), std::move(read.values[i]));
  }
  return ObjectOf(std::move(members));
}

// Builds the value from the callbacks of the library's parser, in time linear in the text: the
// library's own builders look at all members of an object for each key, and at all siblings for
// each end. The functions have the names that the parser calls; false ends the reading.
class Builder {
 public:
  const std::string& why() const { return why_; }
  Json Take() { return std::move(root_); }

  bool null() { return Add(Json()); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(int64_t value) { return Add(value); }
  bool number_unsigned(uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string&) { return Add(value); }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // JSON text never contains binary.
  bool key(std::string& name) {
    open_.back().keys.push_back(std::move(name));
    return true;
  }
  bool start_object(size_t) { return Open(/*is_object=*/true); }
  bool start_array(size_t) { return Open(/*is_object=*/false); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool parse_error(size_t, const std::string&, const Json::exception& error) {
    why_ = error.what();
    return false;
  }

 private:
  bool Add(Json value) {
    Json& here = open_.empty() ? root_ : open_.back().values.emplace_back();
    here = std::move(value);
    return true;
  }

  bool Open(bool is_object) {
    if (open_.size() == kMaxDepth) {
      why_ = "it is nested deeper than 200 levels";
      return false;
    }
    open_.push_back({.is_object = is_object});
    return true;
  }

  bool Close() {
    Unfinished read = std::move(open_.back());
    open_.pop_back();
    return Add(read.is_object ? ObjectFrom(read) : Json(std::move(read.values)));
  }

  Json root_;
  std::vector<Unfinished> open_;
  std::string why_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text, &builder)) return NotJson(builder.why());
  return builder.Take();
}

Json ObjectOf(std::vector<std::pair<std::string, Json>> members) {
  Json object = Json::object();
  auto& entries = object.get_ref<Json::object_t&>();
  entries.reserve(members.size());
  for (auto& [key, value] : members) entries.emplace_back(std::move(key), std::move(value));
  return object;
}

const std::string& TextAt(const Json& json, std::string_view key) {
  static const std::string kNone;
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get_ref<const std::string&>() : kNone;
}

int64_t WholeAt(const Json& json, std::string_view key, int64_t otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : otherwise;
}

double NumberAt(const Json& json, std::string_view key, double otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Pretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace protium
