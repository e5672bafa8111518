// SPDX-License-Identifier: Apache-2.0
// hash() and xxhash64() of any values, as Spark's HashExpression computes them: the hash of one
// argument is the seed of the next, nulls leave it unchanged, and the first seed is 42. Numbers are
// hashed as the 32 or 64 bits in which Spark stores them, decimals of up to 18 digits as 64 bits
// and wider ones as the fewest big-endian bytes that hold their digits. Maps have no hash in Spark.
#include <bit>
#include <cstring>

#include "base/murmur.h"
#include "functions/any_values.h"
#include "functions/themes.h"

namespace protium {
namespace {

// Murmur3 of 32 bits.
struct Murmur {
  using Hash = int32_t;
  static Hash OfInt(uint32_t value, Hash seed) {
    return static_cast<Hash>(MurmurEnd(MurmurMix(static_cast<uint32_t>(seed), value), 4));
  }
  static Hash OfLong(uint64_t value, Hash seed) {
    uint32_t hash = MurmurMix(static_cast<uint32_t>(seed), static_cast<uint32_t>(value));
    hash = MurmurMix(hash, static_cast<uint32_t>(value >> 32));
    return static_cast<Hash>(MurmurEnd(hash, 8));
  }
  static Hash OfBytes(std::string_view bytes, Hash seed) { return SparkHash(bytes, seed); }
};

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                   kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                   kPrime5 = 0x27D4EB2F165667C5;

// XXH64 (Yann Collet). Texts are hashed as by the reference; numbers of 32 and 64 bits as by
// Spark's XXH64.java, which shortens it for them.
struct Xx {
  using Hash = int64_t;
  static uint64_t Finish(uint64_t hash) {
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
  }
  static uint64_t Round(uint64_t accumulator, uint64_t word) {
    return std::rotl(accumulator + word * kPrime2, 31) * kPrime1;
  }
  static uint64_t MixInt(uint64_t hash, uint32_t value) {
    return std::rotl(hash ^ (value * kPrime1), 23) * kPrime2 + kPrime3;
  }
  static uint64_t MixLong(uint64_t hash, uint64_t value) {
    return std::rotl(hash ^ Round(0, value), 27) * kPrime1 + kPrime4;
  }
  static Hash OfInt(uint32_t value, Hash seed) {
    return static_cast<Hash>(Finish(MixInt(static_cast<uint64_t>(seed) + kPrime5 + 4, value)));
  }
  static Hash OfLong(uint64_t value, Hash seed) {
    return static_cast<Hash>(Finish(MixLong(static_cast<uint64_t>(seed) + kPrime5 + 8, value)));
  }
  template <class Word>
  static Word WordAt(std::string_view bytes, size_t at) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  }
  // The first step for 32 bytes and more: four sums, each of every fourth word.
  static uint64_t Stripes(std::string_view bytes, size_t& at, uint64_t seed) {
    uint64_t sums[] = {seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1};
    for (; at + 32 <= bytes.size(); at += 32) {
      for (size_t i = 0; i < 4; ++i) {
        sums[i] = Round(sums[i], WordAt<uint64_t>(bytes, at + i * 8));
      }
    }
    uint64_t hash = std::rotl(sums[0], 1) + std::rotl(sums[1], 7) + std::rotl(sums[2], 12) +
                    std::rotl(sums[3], 18);
    for (const uint64_t sum : sums) hash = (hash ^ Round(0, sum)) * kPrime1 + kPrime4;
    return hash;
  }
  static Hash OfBytes(std::string_view bytes, Hash given) {
    const auto seed = static_cast<uint64_t>(given);
    size_t at = 0;
    uint64_t hash = bytes.size() >= 32 ? Stripes(bytes, at, seed) : seed + kPrime5;
    hash += bytes.size();
    for (; at + 8 <= bytes.size(); at += 8) hash = MixLong(hash, WordAt<uint64_t>(bytes, at));
    if (at + 4 <= bytes.size()) {
      hash = MixInt(hash, WordAt<uint32_t>(bytes, at));
      at += 4;
    }
    for (; at < bytes.size(); ++at) {
      hash = std::rotl(hash ^ (static_cast<unsigned char>(bytes[at]) * kPrime5), 11) * kPrime1;
    }
    return static_cast<Hash>(Finish(hash));
  }
};

// The bytes of java.math.BigInteger.toByteArray(): two's complement, the highest first, with one
// bit for the sign.
std::string BigBytes(__int128 digits) {
  std::string bytes;
  while (true) {
    bytes.insert(bytes.begin(), static_cast<char>(static_cast<uint8_t>(digits)));
    const bool minus = (static_cast<uint8_t>(digits) & 0x80) != 0;
    digits >>= 8;
    if ((digits == 0 && !minus) || (digits == -1 && minus)) return bytes;
  }
}

constexpr uint8_t kDigitsOfLong = 18;  // A decimal of this many digits fits 64 bits.

template <class Kind>
typename Kind::Hash HashOf(const AnyValue& value, typename Kind::Hash seed);

// Hashes the elements of a list in turn, or the fields of a struct.
template <class Kind>
typename Kind::Hash HashParts(const AnyValue& value, typename Kind::Hash seed) {
  if (value.type() == DUCKDB_TYPE_STRUCT) {
    for (size_t i = 0; i < value.column().children().size(); ++i) {
      seed = HashOf<Kind>(value.field(i), seed);
    }
    return seed;
  }
  for (idx_t i = 0; i < value.size(); ++i) seed = HashOf<Kind>(value.element(i), seed);
  return seed;
}

template <class Kind>
typename Kind::Hash HashOf(const AnyValue& value, typename Kind::Hash seed) {
  if (value.null()) return seed;
  switch (value.type()) {
    case DUCKDB_TYPE_BOOLEAN:
      return Kind::OfInt(value.As<bool>() ? 1 : 0, seed);
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
      return Kind::OfInt(static_cast<uint32_t>(value.whole()), seed);
    // -0.0 has the hash of 0.0, and every NaN that of Java's.
    case DUCKDB_TYPE_FLOAT: {
      const auto number = value.As<float>();
      if (number != number) return Kind::OfInt(0x7fc00000, seed);
      return Kind::OfInt(std::bit_cast<uint32_t>(number == 0 ? 0.0F : number), seed);
    }
    case DUCKDB_TYPE_DOUBLE: {
      const auto number = value.As<double>();
      if (number != number) return Kind::OfLong(0x7ff8000000000000, seed);
      return Kind::OfLong(std::bit_cast<uint64_t>(number == 0 ? 0.0 : number), seed);
    }
    case DUCKDB_TYPE_DECIMAL:
      if (value.column().width() <= kDigitsOfLong) {
        return Kind::OfLong(static_cast<uint64_t>(value.whole()), seed);
      }
      return Kind::OfBytes(BigBytes(value.digits()), seed);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
      return Kind::OfBytes(value.text(), seed);
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_STRUCT:
      return HashParts<Kind>(value, seed);
    default:
      return Kind::OfLong(static_cast<uint64_t>(value.whole()), seed);
  }
}

bool HoldsMap(const AnyColumn& column) {
  if (column.type() == DUCKDB_TYPE_MAP) return true;
  for (const AnyColumn& child : column.children()) {
    if (HoldsMap(child)) return true;
  }
  return false;
}

template <class Kind>
std::optional<typename Kind::Hash> HashAll(Chunk& chunk, std::span<const AnyValue> values) {
  typename Kind::Hash hash = 42;
  for (const AnyValue& value : values) {
    if (HoldsMap(value.column())) {
      chunk.error = "a hash of a map: Spark hashes no maps; use map_entries(m)";
      return std::nullopt;
    }
    hash = HashOf<Kind>(value, hash);
  }
  return hash;
}

constexpr AnyFunction kFunctions[] = {
    AsAnyFunction<&HashAll<Murmur>>("pt_hash"),
    AsAnyFunction<&HashAll<Xx>>("pt_xxhash64"),
};

}  // namespace

std::span<const AnyFunction> HashFunctions() { return kFunctions; }

}  // namespace protium
