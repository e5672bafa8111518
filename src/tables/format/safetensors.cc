// SPDX-License-Identifier: Apache-2.0
#include "format/safetensors.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include "base/digest.h"
#include "base/fault.h"
#include "base/json.h"
#include "os/file.h"
#include "os/past_cache.h"

// The format: https://github.com/huggingface/safetensors. Files come from users and from other
// programs, so everything in the header is checked before it is used: counts before they are added,
// offsets before memory is touched.

namespace protium {
namespace {

constexpr uint64_t kMostHeaderBytes = 100'000'000;  // The format's own limit.
constexpr size_t kLengthBytes = 8;

Status Damaged(const std::string& where, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = "not a readable safetensors file: " + where,
               .where = where,
               .why = std::move(why)});
}

int64_t ItemBytes(std::string_view dtype) {
  if (dtype == "BOOL" || dtype == "U8" || dtype == "I8") return 1;
  if (dtype == "U16" || dtype == "I16" || dtype == "F16" || dtype == "BF16") return 2;
  if (dtype == "U32" || dtype == "I32" || dtype == "F32") return 4;
  if (dtype == "U64" || dtype == "I64" || dtype == "F64") return 8;
  return 0;
}

// Whether it is a whole number from 0 to 2^63 - 1: offsets are added as int64_t.
bool IsCount(const Json& json) {
  return json.is_number_integer() && (json.is_number_unsigned() || json.get<int64_t>() >= 0) &&
         json.get<uint64_t>() <= uint64_t(INT64_MAX);
}

// Returns the bytes of `shape`, or nullopt if they overflow.
std::optional<int64_t> ShapeBytes(const std::vector<int64_t>& shape, int64_t item) {
  int64_t bytes = item;
  for (const int64_t dimension : shape) {
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return std::nullopt;
  }
  return bytes;
}

// A tensor of the header, and the position of its data after it.
struct Entry {
  NamedTensor tensor;
  int64_t begin = 0;
  int64_t end = 0;
};

// Reads one entry of the header; the text of an error says what is wrong with it.
Result<Entry> ReadEntry(const std::string& name, const Json& json, const std::string& where) {
  const auto bad = [&](const char* why) { return Damaged(where, "tensor " + name + ": " + why); };
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets")) {
    return bad("must have dtype, shape and data_offsets");
  }
  Entry entry;
  entry.tensor.name = name;
  const int64_t item = json["dtype"].is_string() ? ItemBytes(json["dtype"].get<std::string>()) : 0;
  if (item == 0) return bad("unknown dtype");
  entry.tensor.dtype = json["dtype"].get<std::string>();
  const Json& shape = json["shape"];
  if (!shape.is_array() || shape.size() > 64) return bad("shape must be a list");
  for (const Json& dimension : shape) {
    if (!IsCount(dimension)) return bad("shape must hold whole numbers");
    entry.tensor.shape.push_back(dimension.get<int64_t>());
  }
  const Json& offsets = json["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !IsCount(offsets[0]) || !IsCount(offsets[1])) {
    return bad("data_offsets must be two whole numbers");
  }
  entry.begin = offsets[0].get<int64_t>();
  entry.end = offsets[1].get<int64_t>();
  const auto bytes = ShapeBytes(entry.tensor.shape, item);
  if (entry.begin > entry.end || !bytes || *bytes != entry.end - entry.begin) {
    return bad("data_offsets do not fit the shape");
  }
  return entry;
}

// Makes every entry point to its data, which must fill `data` without gap or overlap.
Status Place(std::vector<Entry>& entries, std::span<const std::byte> data,
             const std::string& where) {
  // By position: empty tensors share theirs with the next one and must come first.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  int64_t at = 0;
  for (Entry& entry : entries) {
    if (entry.begin != at || entry.end > int64_t(data.size())) {
      return Damaged(where,
                     fmt::format("tensor {} is at {} to {}, but the "
                                 "data continues at {} of {} bytes",
                                 entry.tensor.name, entry.begin, entry.end, at, data.size()));
    }
    entry.tensor.data = data.subspan(size_t(entry.begin), size_t(entry.end - entry.begin));
    at = entry.end;
  }
  if (at != int64_t(data.size())) {
    return Damaged(where,
                   fmt::format("{} bytes follow the last tensor", int64_t(data.size()) - at));
  }
  return Status::OK();
}

Status ReadMetadata(const Json& json, const std::string& where,
                    std::map<std::string, std::string>& out) {
  if (!json.is_object()) return Damaged(where, "__metadata__ must hold text");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Damaged(where, "__metadata__ must hold text");
    out[key] = value.get<std::string>();
  }
  return Status::OK();
}

// Returns the alignment of the start of the data: a mapped file can then be read directly, and much
// data can be written past the page cache.
size_t AlignmentOf(int64_t data_bytes) {
  return size_t(data_bytes < kPastCacheLeast ? 64 : kPastCachePage);
}

// Returns eight bytes of length and the header, padded with spaces (which the format allows) so
// that the data starts aligned.
std::string HeaderBytes(std::span<const NamedTensor> tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::vector<std::pair<std::string, Json>> header;
  if (!metadata.empty()) header.emplace_back("__metadata__", metadata);
  int64_t at = 0;
  for (const NamedTensor& tensor : tensors) {
    const int64_t end = at + int64_t(tensor.data.size());
    header.emplace_back(
        tensor.name,
        Json{{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}});
    at = end;
  }
  std::string text = Dump(ObjectOf(std::move(header)));
  const size_t unit = AlignmentOf(at);
  text.resize((text.size() + kLengthBytes + unit - 1) / unit * unit - kLengthBytes, ' ');
  std::string out(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) out[i] = char(uint64_t(text.size()) >> (8 * i));
  return out + text;
}

// Returns the data of all tensors in order, merging pieces that are adjacent in memory.
std::vector<std::span<const std::byte>> JoinNeighbours(std::span<const NamedTensor> tensors) {
  std::vector<std::span<const std::byte>> pieces;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.data.empty()) continue;
    const bool joins =
        !pieces.empty() && pieces.back().data() + pieces.back().size() == tensor.data.data();
    if (joins) {
      pieces.back() = {pieces.back().data(), pieces.back().size() + tensor.data.size()};
    } else {
      pieces.push_back(tensor.data);
    }
  }
  return pieces;
}

// Little-endian, on machines of either byte order.
std::array<std::byte, 8> NumberBytes(uint64_t number) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(number >> (8 * i));
  return bytes;
}

// Passes on what a hash of tensors covers, piece by piece.
template <class Add>
void AddTensors(std::span<const NamedTensor> tensors, const Add& add) {
  std::vector<const NamedTensor*> ordered;
  for (const NamedTensor& tensor : tensors) ordered.push_back(&tensor);
  std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (const NamedTensor* tensor : ordered) {
    // The NULs separate name and type; with the shape included, equal bytes of another layout have
    // another hash.
    const std::string names = tensor->name + '\0' + tensor->dtype + '\0';
    add(std::as_bytes(std::span(names)));
    add(NumberBytes(tensor->shape.size()));
    for (const int64_t dimension : tensor->shape) add(NumberBytes(uint64_t(dimension)));
    add(tensor->data);
  }
}

}  // namespace

std::string SafetensorsBytes(std::span<const NamedTensor> tensors) {
  std::string out = HeaderBytes(tensors, {});
  for (const NamedTensor& tensor : tensors) {
    out.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  }
  return out;
}

Status WriteSafetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                        const std::map<std::string, std::string>& metadata) {
  PT_LET(AtomicFile file, AtomicFile::Make(path));
  PT_TRY(file.Write(HeaderBytes(tensors, metadata)));
  for (const auto piece : JoinNeighbours(tensors)) PT_TRY(file.WritePastCache(piece));
  return file.Commit();
}

Result<Safetensors> Safetensors::Parse(std::vector<std::byte> file, const std::string& where) {
  if (file.size() < kLengthBytes) return Damaged(where, "it is shorter than its own length field");
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= uint64_t(file[i]) << (8 * i);
  if (length > kMostHeaderBytes || length > file.size() - kLengthBytes) {
    return Damaged(where,
                   fmt::format("its header claims {} bytes in a file of {}", length, file.size()));
  }
  const auto header =
      ParseJson({reinterpret_cast<const char*>(file.data()) + kLengthBytes, size_t(length)});
  if (!header.ok() || !header->is_object())
    return Damaged(where, "its header is not a JSON object");
  Safetensors out;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header->items()) {
    if (name == "__metadata__") {
      PT_TRY(ReadMetadata(json, where, out.metadata_));
      continue;
    }
    PT_LET(Entry entry, ReadEntry(name, json, where));
    entries.push_back(std::move(entry));
  }
  out.file_ = std::move(file);
  PT_TRY(Place(entries, std::span(out.file_).subspan(kLengthBytes + length), where));
  for (Entry& entry : entries) out.tensors_.push_back(std::move(entry.tensor));
  std::sort(out.tensors_.begin(), out.tensors_.end(),
            [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
  for (size_t i = 1; i < out.tensors_.size(); ++i) {
    if (out.tensors_[i].name == out.tensors_[i - 1].name) {
      return Damaged(where, "tensor " + out.tensors_[i].name + " occurs twice");
    }
  }
  return out;
}

Result<Safetensors> Safetensors::Read(const std::filesystem::path& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) {
    return Fail({.exit = Exit::kInput,
                 .what = "cannot read " + path.string(),
                 .where = path.string(),
                 .why = error ? error.message() : std::strerror(errno)});
  }
  std::vector<std::byte> file(bytes);
  in.read(reinterpret_cast<char*>(file.data()), std::streamsize(bytes));
  if (in.gcount() != std::streamsize(bytes))
    return Damaged(path.string(), "it became shorter while being read");
  return Parse(std::move(file), path.string());
}

const NamedTensor* Safetensors::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const NamedTensor& tensor, std::string_view n) { return tensor.name < n; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::string WeightsSha256(std::span<const NamedTensor> tensors) {
  Sha256 hash;
  AddTensors(tensors, [&](std::span<const std::byte> bytes) { hash.Add(bytes); });
  return hash.Hex();
}

std::string WeightsXxh3(std::span<const NamedTensor> tensors) {
  const std::unique_ptr<XXH3_state_t, void (*)(XXH3_state_t*)> state(
      XXH3_createState(), [](XXH3_state_t* each) { XXH3_freeState(each); });
  PT_CHECK(state != nullptr && XXH3_128bits_reset(state.get()) == XXH_OK);
  AddTensors(tensors, [&](std::span<const std::byte> bytes) {
    XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
  });
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::string> WeightsSha256(const std::filesystem::path& path) {
  PT_LET(const Safetensors file, Safetensors::Read(path));
  return WeightsSha256(file.tensors());
}

}  // namespace protium
