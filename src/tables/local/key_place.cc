// SPDX-License-Identifier: Apache-2.0
// Each cell of each categorical column passes through here whenever rows are read, so a lookup is
// two loads, a product and a comparison for all texts of at most 12 bytes, which DuckDB stores
// inside its strings. DuckDB's own ENUM type, which gives the same result, hashes texts byte by
// byte.
#include "local/key_place.h"

#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "functions/row_function.h"

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

constexpr const char* kName = "pt_place";
enum Argument : idx_t { kCell, kMissing, kUnseen, kKeys };

// Represents a text in the table: equal texts have equal words. For a text of at most 12 bytes they
// contain all of it (its length and the bytes, padded with zeros); for a longer one, its length,
// the first 4 bytes, and a mix of 8 bytes from either end.
struct Words {
  uint64_t first = 0;
  uint64_t second = 0;
  bool operator==(const Words&) const = default;
};

// Called once per row: DuckDB's function of this name is in its library, behind a call.
bool IsInlined(const duckdb_string_t& text) {
  return text.value.inlined.length <= sizeof text.value.inlined.inlined;
}

uint64_t LoadEight(const char* from) {
  uint64_t loaded = 0;
  std::memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

Words MakeWords(const duckdb_string_t& text) {
  static_assert(sizeof text == 16 && std::endian::native == std::endian::little);
  Words words;
  std::memcpy(&words.first, &text, 8);
  if (IsInlined(text)) {
    std::memcpy(&words.second, reinterpret_cast<const char*>(&text) + 8, 8);
  } else {
    const std::string_view whole = duck::ViewText(text);
    words.second =
        LoadEight(whole.data()) + 0xd6e8feb86659fd93u * LoadEight(whole.data() + whole.size() - 8);
  }
  return words;
}

// The keys of one query, in a hash table with open addressing.
class KeyPlaces {
 public:
  // `list`: the vector whose row is the constant.
  explicit KeyPlaces(duckdb_vector list) {
    const duckdb_list_entry entry =
        static_cast<duckdb_list_entry*>(duckdb_vector_get_data(list))[0];
    auto* const keys =
        static_cast<duckdb_string_t*>(duckdb_vector_get_data(duckdb_list_vector_get_child(list)));
    // At most a quarter full: nearly every search ends at its first slot.
    const size_t slots = std::bit_ceil(size_t(entry.length) * 4 + 4);
    slots_.resize(slots);
    for (idx_t i = 0; i < entry.length; ++i) Add(keys[entry.offset + i], int64_t(i));
  }

  // Returns -1 if the text is not a key.
  int64_t Find(const duckdb_string_t& text) const {
    const Words words = MakeWords(text);
    const bool whole = IsInlined(text);
    for (size_t at = Hash(words.first ^ Mix(words.second));; ++at) {
      const Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.place < 0) return -1;
      if (slot.words == words && (whole || slot.text == duck::ViewText(text))) return slot.place;
    }
  }

 private:
  struct Slot {
    Words words;
    std::string text;  // For keys that their words do not fully represent.
    int64_t place = -1;
  };

  // Fibonacci hashing: a product with 2^64 / golden ratio, whose high bits are well mixed.
  static uint64_t Mix(uint64_t bits) { return bits * 0x9e3779b97f4a7c15u; }
  static size_t Hash(uint64_t bits) { return size_t(Mix(bits) >> 32); }

  void Add(const duckdb_string_t& key, int64_t place) {
    const Words words = MakeWords(key);
    size_t at = Hash(words.first ^ Mix(words.second));
    while (slots_[at & (slots_.size() - 1)].place >= 0) ++at;
    const std::string text(duck::ViewText(key));
    slots_[at & (slots_.size() - 1)] = {words, text, place};
  }

  std::vector<Slot> slots_;
};

// A constant number of the query, or nothing for NULL.
std::optional<int64_t> ReadConstant(duckdb_data_chunk chunk, idx_t argument) {
  const cells::Column column(chunk, argument);
  return column.Valid(0) ? std::optional(static_cast<int64_t*>(column.data())[0]) : std::nullopt;
}

// One thread's keys; null before its first rows.
using Known = std::unique_ptr<const KeyPlaces>;

void FindPlaces(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  const idx_t rows = duckdb_data_chunk_get_size(chunk);
  if (rows == 0) return;
  auto& known = *static_cast<Known*>(duckdb_scalar_function_get_state(info));
  if (!known) known = std::make_unique<KeyPlaces>(duckdb_data_chunk_get_vector(chunk, kKeys));
  const auto missing = ReadConstant(chunk, kMissing), unseen = ReadConstant(chunk, kUnseen);
  const cells::Column column(chunk, kCell);
  const auto* const texts = static_cast<duckdb_string_t*>(column.data());
  auto* const places = static_cast<int64_t*>(duckdb_vector_get_data(result));
  for (idx_t row = 0; row < rows; ++row) {
    std::optional<int64_t> place = missing;
    if (column.Valid(row)) {
      const int64_t found = known->Find(texts[row]);
      place = found < 0 ? unseen : found;
    }
    if (place) {
      places[row] = *place;
    } else {
      cells::SetNull(result, row);
    }
  }
}

void MakeState(duckdb_init_info info) {
  duckdb_scalar_function_init_set_state(info, new Known,
                                        [](void* known) { delete static_cast<Known*>(known); });
}

}  // namespace

Status RegisterKeyPlace(const duck::Connection& connection) {
  const ScalarFunction function(duckdb_create_scalar_function());
  const duck::Type number(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  const duck::Type text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const duck::Type texts(duckdb_create_list_type(text.get()));
  duckdb_scalar_function_set_name(function.get(), kName);
  for (const duck::Type* type : {&text, &number, &number, &texts}) {
    duckdb_scalar_function_add_parameter(function.get(), type->get());
  }
  duckdb_scalar_function_set_return_type(function.get(), number.get());
  duckdb_scalar_function_set_special_handling(function.get());  // A NULL has a position, too.
  duckdb_scalar_function_set_init(function.get(), MakeState);
  duckdb_scalar_function_set_function(function.get(), FindPlaces);
  if (duckdb_register_scalar_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function ", kName);
}

}  // namespace protium
