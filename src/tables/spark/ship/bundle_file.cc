// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/bundle_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <thread>

#include "base/fault.h"
#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"
#include "spark_worker/bundle_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

// The files are read twice: first hashed for the manifest, which precedes them in the bundle, then
// compressed. So the bundle's name is known before it is written, and memory stays at two pieces.

namespace protium {
namespace {

namespace fs = std::filesystem;

// Bytes read or compressed at a time.
constexpr size_t kPiece = 4 << 20;
// Zstandard's default. LibTorch's 442 MB become 110 MB in about a second on two cores; gzip takes
// five seconds and leaves 144 MB.
constexpr int kLevel = 3;
constexpr unsigned kMaxThreads = 8;

class Hasher {
 public:
  Hasher() : state_(XXH3_createState()) {
    PT_CHECK(state_ != nullptr);
    XXH3_128bits_reset(state_);
  }
  Hasher(const Hasher&) = delete;
  ~Hasher() { XXH3_freeState(state_); }
  void Add(std::string_view bytes) { XXH3_128bits_update(state_, bytes.data(), bytes.size()); }
  std::string Hex() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_));
    return protium::Hex({reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest});
  }

 private:
  XXH3_state_t* state_;
};

using Take = std::function<Status(std::string_view piece)>;

// Passes the content of `file` to `take`, piece by piece; returns its length.
Result<int64_t> ReadThrough(const fs::path& file, const Take& take) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return SystemFault("read " + file.string(), errno);
  std::string piece(kPiece, '\0');
  int64_t bytes = 0;
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR) return SystemFault("read " + file.string(), errno);
    if (got <= 0) continue;
    bytes += got;
    PT_TRY(take(std::string_view(piece).substr(0, got)));
  }
}

Status Changed(const BundleMember& member) {
  return Fail({.exit = Exit::kEnvironment,
               .what = member.file.string() + " changed while it was packed for the executors",
               .fix = "start again when the build or installation is done"});
}

// Compresses a stream into a file, on several threads if the library was built with them: otherwise
// setting the number of workers fails, which is ignored.
class Packer {
 public:
  explicit Packer(AtomicFile& file) : file_(file), context_(ZSTD_createCCtx()) {
    PT_CHECK(context_ != nullptr);
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_nbWorkers, static_cast<int>(threads));
  }
  Packer(const Packer&) = delete;
  ~Packer() { ZSTD_freeCCtx(context_); }

  Status Add(std::string_view bytes) { return Push(bytes, ZSTD_e_continue); }
  Status End() { return Push({}, ZSTD_e_end); }

 private:
  Status Push(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    // When continuing, done as soon as all input was taken, though the library may hold some back;
    // at the end, as soon as nothing is left to flush.
    for (size_t left = 1; left > 0 || in.pos < in.size;) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, directive);
      if (ZSTD_isError(left)) return Status::UnknownError(ZSTD_getErrorName(left));
      PT_TRY(file_.Write(std::string_view(packed_).substr(0, out.pos)));
      if (directive == ZSTD_e_continue && in.pos == in.size) break;
    }
    return Status::OK();
  }

  AtomicFile& file_;
  ZSTD_CCtx* context_;
  std::string packed_ = std::string(kPiece, '\0');
};

Result<std::string> ManifestLine(const BundleMember& member) {
  Hasher hasher;
  PT_LET(const int64_t bytes, ReadThrough(member.file, [&](std::string_view piece) {
           hasher.Add(piece);
           return Status::OK();
         }));
  if (bytes != member.bytes) return Changed(member);
  const bool is_program = member.name == kBundledProgram || member.name == kBundledLoader;
  return fmt::format("{} {} {} {}\n", is_program ? 'x' : 'f', bytes, hasher.Hex(), member.name);
}

Result<std::string> ManifestOf(std::span<const BundleMember> members) {
  int64_t total = 0;
  std::string lines;
  for (const BundleMember& member : members) {
    PT_LET(const std::string line, ManifestLine(member));
    lines += line;
    total += member.bytes;
  }
  return fmt::format("protium bundle 1\ncpu {}\ntotal {}\n{}",
                     fmt::join(NeededFeatures(members), " "), total, lines);
}

std::string Header(const std::string& manifest) {
  std::string header(kBundleHeaderBytes, '\0');
  std::copy_n(kBundleMagic, 8, header.begin());
  for (int i = 0; i < 4; ++i) header[8 + i] = static_cast<char>(manifest.size() >> (8 * i) & 255);
  return header;
}

}  // namespace

std::string ContentHash(std::string_view bytes) {
  Hasher hasher;
  hasher.Add(bytes);
  return hasher.Hex();
}

Result<std::string> FileHash(const fs::path& file) {
  Hasher hasher;
  PT_TRY(ReadThrough(file, [&](std::string_view piece) {
    hasher.Add(piece);
    return Status::OK();
  }));
  return hasher.Hex();
}

std::vector<std::string> NeededFeatures(std::span<const BundleMember> members) {
  // pyarrow's libraries are built for these.
  std::vector<std::string> features = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"};
  uint32_t isa = 0;
  for (const BundleMember& member : members) isa |= ReadElfNotes(member.file).isa_needed;
#if defined(__AVX2__)
  isa |= 4;
#endif
#if defined(__AVX512F__)
  isa |= 8;
#endif
  if (isa & 12) features.insert(features.end(), {"avx", "avx2", "fma", "bmi", "bmi2"});
  if (isa & 8) {
    features.insert(features.end(), {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  }
  return features;
}

Result<Bundle> WriteBundle(std::span<const BundleMember> members, const fs::path& folder) {
  PT_LET(const std::string manifest, ManifestOf(members));
  Bundle bundle{.hash = ContentHash(manifest)};
  bundle.file = folder / (kBundlePrefix + bundle.hash);
  PT_LET(AtomicFile file, AtomicFile::Make(bundle.file));
  PT_TRY(file.Write(Header(manifest)));
  PT_TRY(file.Write(manifest));
  Packer packer(file);
  for (const BundleMember& member : members) {
    PT_LET(const int64_t bytes,
           ReadThrough(member.file, [&](std::string_view piece) { return packer.Add(piece); }));
    if (bytes != member.bytes) return Changed(member);
    bundle.unpacked_bytes += bytes;
  }
  PT_TRY(packer.End());
  bundle.bytes = file.written();
  PT_TRY(file.Commit());
  return bundle;
}

}  // namespace protium
