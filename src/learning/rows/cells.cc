// SPDX-License-Identifier: Apache-2.0
// The hash is compiled into this file; its library is not linked.
#define XXH_INLINE_ALL
#include "rows/cells.h"

#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "base/strict_math.h"
#include "column/cells.h"
#include "column/decimals.h"

namespace protium {
namespace {

// Bits of float32 (IEEE 754): infinity, and all but the sign. A magnitude above infinity's bits is
// a NaN.
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kNoSign = 0x7fffffff;

int64_t RowAt(const Picked& picked, int64_t i) {
  return picked.list != nullptr ? picked.list[i] : picked.first + i;
}

// Calls `each(i, row)`. Consecutive rows have their own loop, which the compiler turns into vector
// loads.
template <class Each>
void ForRows(const Picked& picked, Each each) {
  if (picked.list != nullptr) {
    for (int64_t i = 0; i < picked.count; ++i) each(i, int64_t(picked.list[i]));
  } else {
    for (int64_t i = 0; i < picked.count; ++i) each(i, picked.first + i);
  }
}

uint64_t FindNulls(const arrow::ArrayData& column, const Picked& picked) {
  if (column.type->id() == arrow::Type::NA) return ~uint64_t{0} >> (kTileRows - picked.count);
  if (!column.MayHaveNulls()) return 0;
  const uint8_t* valid = column.buffers[0]->data();
  uint64_t nulls = 0;
  for (int64_t i = 0; i < picked.count; ++i) {
    const bool null = !arrow::bit_util::GetBit(valid, column.offset + RowAt(picked, i));
    nulls |= uint64_t{null} << i;
  }
  return nulls;
}

// Adding +0.0 turns -0.0 into 0.0 and changes nothing else.
template <Scaling kScaling, class T>
uint32_t FloatBits(T value, const CellScale& scale) {
  if constexpr (std::is_same_v<T, float> && kScaling == Scaling::kNone) {
    return std::bit_cast<uint32_t>(value + 0.0f);
  } else {
    double x = double(value);
    if constexpr (kScaling == Scaling::kLog) x = StrictLog1p(x);
    if constexpr (kScaling != Scaling::kNone) x = (x - scale.mean) / scale.deviation;
    return std::bit_cast<uint32_t>(float(x) + 0.0f);
  }
}

// One pass without branches finds whether the tile has any; almost none do.
void MarkSpecials(int64_t count, Tile& tile) {
  uint32_t top = 0;
  for (int64_t i = 0; i < count; ++i) top = std::max(top, tile.bits[size_t(i)] & kNoSign);
  if (top < kInfinity) [[likely]]
    return;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t& bits = tile.bits[size_t(i)];
    const uint32_t magnitude = bits & kNoSign;
    tile.infinities |= uint64_t{magnitude == kInfinity} << i;
    tile.nans |= uint64_t{magnitude > kInfinity} << i;
    if (magnitude > kInfinity) bits = kQuietNan;
  }
}

template <class T, Scaling kScaling>
void ReadNumbers(const arrow::ArrayData& column, Picked picked, const CellScale& scale,
                 Tile& tile) {
  const T* values = column.GetValues<T>(1);
  ForRows(picked, [&](int64_t i, int64_t row) {
    tile.bits[size_t(i)] = FloatBits<kScaling>(values[row], scale);
  });
  tile.nulls = FindNulls(column, picked);
  tile.nans = tile.infinities = tile.wide = 0;
  if constexpr (kScaling != Scaling::kNone || std::is_floating_point_v<T>)
    MarkSpecials(picked.count, tile);
  // The bits of a NULL cell are not a value.
  tile.nans &= ~tile.nulls;
  tile.infinities &= ~tile.nulls;
}

// Calls `each(i, value)` with decimals as the nearest doubles, which is also what an engine's cast
// returns.
template <class Each>
void ForDecimals(const arrow::ArrayData& column, const Picked& picked, Each each) {
  constexpr int64_t kBytes = 16;
  const uint8_t* values = column.buffers[1]->data() + column.offset * kBytes;
  const int32_t digits = static_cast<const arrow::Decimal128Type&>(*column.type).scale();
  ForRows(picked, [&](int64_t i, int64_t row) {
    each(i, NearestDouble(arrow::Decimal128(values + row * kBytes), digits));
  });
}

template <Scaling kScaling>
void ReadDecimals(const arrow::ArrayData& column, Picked picked, const CellScale& scale,
                  Tile& tile) {
  ForDecimals(column, picked, [&](int64_t i, double value) {
    tile.bits[size_t(i)] = FloatBits<kScaling>(value, scale);
  });
  tile.nulls = FindNulls(column, picked);
  tile.nans = tile.infinities = tile.wide = 0;
  MarkSpecials(picked.count, tile);
  tile.nans &= ~tile.nulls;
  tile.infinities &= ~tile.nulls;
}

template <Scaling kScaling>
void ReadBooleans(const arrow::ArrayData& column, Picked picked, const CellScale& scale,
                  Tile& tile) {
  const uint8_t* values = column.buffers[1]->data();
  ForRows(picked, [&](int64_t i, int64_t row) {
    const bool value = arrow::bit_util::GetBit(values, column.offset + row);
    tile.bits[size_t(i)] = FloatBits<kScaling>(value ? 1.0 : 0.0, scale);
  });
  tile.nulls = FindNulls(column, picked);
  tile.nans = tile.infinities = tile.wide = 0;
  if constexpr (kScaling != Scaling::kNone) MarkSpecials(picked.count, tile);
}

void ReadNulls(const arrow::ArrayData& column, Picked picked, const CellScale& scale, Tile& tile) {
  tile.bits.fill(0);
  tile.nulls = FindNulls(column, picked);
  tile.nans = tile.infinities = tile.wide = 0;
}

template <class T>
void ReadCodes(const arrow::ArrayData& column, Picked picked, const CellScale&, Tile& tile) {
  const T* values = column.GetValues<T>(1);
  uint64_t wide = 0;
  ForRows(picked, [&](int64_t i, int64_t row) {
    // The conversion wraps. The value is unchanged if converting back restores it and the sign
    // agrees; the second condition is for uint32, whose large values convert back unchanged.
    const auto code = int32_t(values[row]);
    const bool kept = T(code) == values[row] && (code >= 0) == (values[row] >= 0);
    wide |= uint64_t{!kept} << i;
    tile.bits[size_t(i)] = uint32_t(code);
  });
  tile.nulls = FindNulls(column, picked);
  tile.nans = tile.infinities = 0;
  tile.wide = wide & ~tile.nulls;
}

// Turns a reader for one C++ type into one for a column's type.
template <class Readers>
CellReader ReaderOf(arrow::Type::type type, Readers readers) {
  switch (type) {
    case arrow::Type::NA:
      return ReadNulls;
    case arrow::Type::BOOL:
      return readers.Booleans();
    case arrow::Type::INT8:
      return readers.template Numbers<int8_t>();
    case arrow::Type::INT16:
      return readers.template Numbers<int16_t>();
    case arrow::Type::INT32:
      return readers.template Numbers<int32_t>();
    case arrow::Type::INT64:
      return readers.template Numbers<int64_t>();
    case arrow::Type::UINT8:
      return readers.template Numbers<uint8_t>();
    case arrow::Type::UINT16:
      return readers.template Numbers<uint16_t>();
    case arrow::Type::UINT32:
      return readers.template Numbers<uint32_t>();
    case arrow::Type::UINT64:
      return readers.template Numbers<uint64_t>();
    case arrow::Type::FLOAT:
      return readers.template Numbers<float>();
    case arrow::Type::DOUBLE:
      return readers.template Numbers<double>();
    case arrow::Type::DECIMAL128:
      return readers.Decimals();
    default:
      return nullptr;
  }
}

template <Scaling kScaling>
struct ScaledReaders {
  template <class T>
  CellReader Numbers() const {
    return ReadNumbers<T, kScaling>;
  }
  CellReader Booleans() const { return ReadBooleans<kScaling>; }
  CellReader Decimals() const { return ReadDecimals<kScaling>; }
};

template <Half kHalf>
uint32_t HalfOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);
  return kHalf == Half::kLow ? uint32_t(bits) : uint32_t(bits >> 32);
}

template <class T, Half kHalf>
void ReadHalves(const arrow::ArrayData& column, Picked picked, const CellScale&, Tile& tile) {
  const T* values = column.GetValues<T>(1);
  ForRows(picked, [&](int64_t i, int64_t row) {
    tile.bits[size_t(i)] = HalfOf<kHalf>(double(values[row]));
  });
  tile.nulls = tile.nans = tile.infinities = tile.wide = 0;
}

template <Half kHalf>
void ReadHalvesOfBooleans(const arrow::ArrayData& column, Picked picked, const CellScale&,
                          Tile& tile) {
  const uint8_t* values = column.buffers[1]->data();
  ForRows(picked, [&](int64_t i, int64_t row) {
    const bool value = arrow::bit_util::GetBit(values, column.offset + row);
    tile.bits[size_t(i)] = HalfOf<kHalf>(value ? 1.0 : 0.0);
  });
  tile.nulls = tile.nans = tile.infinities = tile.wide = 0;
}

template <Half kHalf>
void ReadHalvesOfDecimals(const arrow::ArrayData& column, Picked picked, const CellScale&,
                          Tile& tile) {
  ForDecimals(column, picked,
              [&](int64_t i, double value) { tile.bits[size_t(i)] = HalfOf<kHalf>(value); });
  tile.nulls = tile.nans = tile.infinities = tile.wide = 0;
}

template <Half kHalf>
void TakeIdentity(uint64_t identity, uint32_t& out) {
  out = kHalf == Half::kLow ? uint32_t(identity) : uint32_t(identity >> 32);
}

template <Half kHalf>
void MarkOnce(const arrow::ArrayData& column, const Picked& picked, Tile& tile) {
  tile.nulls = kHalf == Half::kLow ? FindNulls(column, picked) : 0;
  tile.nans = tile.infinities = tile.wide = 0;
}

template <class T, Half kHalf>
void ReadWholeIdentities(const arrow::ArrayData& column, Picked picked, const CellScale&,
                         Tile& tile) {
  const T* values = column.GetValues<T>(1);
  ForRows(picked, [&](int64_t i, int64_t row) {
    TakeIdentity<kHalf>(uint64_t(int64_t(values[row])), tile.bits[size_t(i)]);
  });
  MarkOnce<kHalf>(column, picked, tile);
}

template <Half kHalf>
void ReadBooleanIdentities(const arrow::ArrayData& column, Picked picked, const CellScale&,
                           Tile& tile) {
  const uint8_t* values = column.buffers[1]->data();
  ForRows(picked, [&](int64_t i, int64_t row) {
    const bool value = arrow::bit_util::GetBit(values, column.offset + row);
    TakeIdentity<kHalf>(value ? 1 : 0, tile.bits[size_t(i)]);
  });
  MarkOnce<kHalf>(column, picked, tile);
}

template <class Offset, Half kHalf>
void ReadTextIdentities(const arrow::ArrayData& column, Picked picked, const CellScale&,
                        Tile& tile) {
  const Offset* offsets = column.GetValues<Offset>(1);
  // A column of empty texts may lack the buffer.
  const uint8_t* bytes = column.buffers[2] ? column.buffers[2]->data() : nullptr;
  ForRows(picked, [&](int64_t i, int64_t row) {
    const auto length = size_t(offsets[row + 1] - offsets[row]);
    const uint64_t hash = XXH3_64bits(length == 0 ? nullptr : bytes + offsets[row], length);
    TakeIdentity<kHalf>(hash, tile.bits[size_t(i)]);
  });
  MarkOnce<kHalf>(column, picked, tile);
}

template <Half kHalf>
CellReader IdentityReaderOf(arrow::Type::type type) {
  switch (type) {
    case arrow::Type::BOOL:
      return ReadBooleanIdentities<kHalf>;
    case arrow::Type::INT8:
      return ReadWholeIdentities<int8_t, kHalf>;
    case arrow::Type::INT16:
      return ReadWholeIdentities<int16_t, kHalf>;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return ReadWholeIdentities<int32_t, kHalf>;
    case arrow::Type::INT64:
      return ReadWholeIdentities<int64_t, kHalf>;
    case arrow::Type::UINT8:
      return ReadWholeIdentities<uint8_t, kHalf>;
    case arrow::Type::UINT16:
      return ReadWholeIdentities<uint16_t, kHalf>;
    case arrow::Type::UINT32:
      return ReadWholeIdentities<uint32_t, kHalf>;
    case arrow::Type::UINT64:
      return ReadWholeIdentities<uint64_t, kHalf>;
    case arrow::Type::STRING:
      return ReadTextIdentities<int32_t, kHalf>;
    case arrow::Type::LARGE_STRING:
      return ReadTextIdentities<int64_t, kHalf>;
    default:
      return nullptr;
  }
}

template <Half kHalf>
struct HalfReaders {
  template <class T>
  CellReader Numbers() const {
    return ReadHalves<T, kHalf>;
  }
  CellReader Booleans() const { return ReadHalvesOfBooleans<kHalf>; }
  CellReader Decimals() const { return ReadHalvesOfDecimals<kHalf>; }
};

}  // namespace

CellReader NumberReader(arrow::Type::type type, Scaling scaling) {
  switch (scaling) {
    case Scaling::kNone:
      return ReaderOf(type, ScaledReaders<Scaling::kNone>());
    case Scaling::kLinear:
      return ReaderOf(type, ScaledReaders<Scaling::kLinear>());
    case Scaling::kLog:
      return ReaderOf(type, ScaledReaders<Scaling::kLog>());
  }
  return nullptr;
}

CellReader DoubleReader(arrow::Type::type type, Half half) {
  return half == Half::kLow ? ReaderOf(type, HalfReaders<Half::kLow>())
                            : ReaderOf(type, HalfReaders<Half::kHigh>());
}

CellReader IdentityReader(arrow::Type::type type, Half half) {
  return half == Half::kLow ? IdentityReaderOf<Half::kLow>(type)
                            : IdentityReaderOf<Half::kHigh>(type);
}

Result<std::vector<uint64_t>> Identities(const arrow::ArrayData& column) {
  const CellReader low = IdentityReader(column.type->id(), Half::kLow);
  const CellReader high = IdentityReader(column.type->id(), Half::kHigh);
  if (low == nullptr) {
    return Status::TypeError("a group must be a text, a whole number or a date, and this is ",
                             TypeText(*column.type));
  }
  std::vector<uint64_t> out(size_t(column.length));
  Tile tile;
  for (int64_t at = 0; at < column.length; at += kTileRows) {
    const Picked picked{nullptr, at, std::min(kTileRows, column.length - at)};
    low(column, picked, {}, tile);
    for (int64_t i = 0; i < picked.count; ++i) out[size_t(at + i)] = tile.bits[size_t(i)];
    high(column, picked, {}, tile);
    for (int64_t i = 0; i < picked.count; ++i) {
      out[size_t(at + i)] |= uint64_t{tile.bits[size_t(i)]} << 32;
    }
  }
  return out;
}

CellReader CodeReader(arrow::Type::type type) {
  switch (type) {
    case arrow::Type::NA:
      return ReadNulls;
    case arrow::Type::INT8:
      return ReadCodes<int8_t>;
    case arrow::Type::INT16:
      return ReadCodes<int16_t>;
    case arrow::Type::INT32:
      return ReadCodes<int32_t>;
    case arrow::Type::INT64:
      return ReadCodes<int64_t>;
    case arrow::Type::UINT8:
      return ReadCodes<uint8_t>;
    case arrow::Type::UINT16:
      return ReadCodes<uint16_t>;
    case arrow::Type::UINT32:
      return ReadCodes<uint32_t>;
    case arrow::Type::UINT64:
      return ReadCodes<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace protium
