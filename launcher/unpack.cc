// SPDX-License-Identifier: Apache-2.0
#include "launcher/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <initializer_list>

#include "launcher/hash.h"

namespace protium::launcher {
namespace {

// Bytes read and unpacked at a time.
constexpr size_t kPiece = 1 << 18;

Unpacked Damaged(Text* why, const char* what) {
  *why = Format("%s", what);
  return Unpacked::kDamaged;
}

Unpacked NotWritten(Text* why, const char* name) {
  *why = Format("cannot write %s: %s", name, strerror(errno));
  return Unpacked::kNotWritten;
}

// Reads the content of the bundle's single Zstandard frame in pieces.
class Content {
 public:
  explicit Content(int fd)
      : fd_(fd), decoder_(ZSTD_createDStream()), input_(malloc(kPiece)), output_(malloc(kPiece)) {
    if (decoder_ == nullptr || input_ == nullptr || output_ == nullptr) abort();
    in_ = {input_, 0, 0};
  }
  Content(const Content&) = delete;
  ~Content() {
    ZSTD_freeDStream(decoder_);
    free(input_);
    free(output_);
  }

  // Returns at most `limit` further bytes, at least one; nullptr if there are none or they are
  // damaged. Valid until the next call.
  const char* Some(int64_t limit, size_t* size) {
    while (from_ == filled_) {
      if (!Decode()) return nullptr;
    }
    *size = filled_ - from_ < static_cast<size_t>(limit) ? filled_ - from_ : limit;
    const char* bytes = static_cast<char*>(output_) + from_;
    from_ += *size;
    return bytes;
  }

  // Whether the frame and the file end here.
  bool Ends() {
    while (!is_over_ && from_ == filled_ && Decode()) continue;
    char further;
    return is_over_ && from_ == filled_ && in_.pos == in_.size && read(fd_, &further, 1) == 0;
  }

 private:
  bool Decode() {
    if (is_over_) return false;
    if (in_.pos == in_.size) {
      ssize_t got = read(fd_, input_, kPiece);
      if (got <= 0) return false;
      in_ = {input_, static_cast<size_t>(got), 0};
    }
    ZSTD_outBuffer out{output_, kPiece, 0};
    size_t left = ZSTD_decompressStream(decoder_, &out, &in_);
    if (ZSTD_isError(left)) return false;
    is_over_ = left == 0;
    from_ = 0;
    filled_ = out.pos;
    return true;
  }

  int fd_;
  ZSTD_DStream* decoder_;
  void* input_;
  void* output_;
  ZSTD_inBuffer in_;
  size_t from_ = 0, filled_ = 0;  // Offsets in the output.
  bool is_over_ = false;
};

bool WriteAll(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes += written, size -= written;
  }
  return true;
}

int Create(int folder, const char* name) {
  // Never follows a link or replaces a file: a name may occur only once.
  return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

Unpacked Copy(Content* content, const File& file, int fd, Text* why) {
  Hash hash;
  for (int64_t left = file.size; left > 0;) {
    size_t size;
    const char* bytes = content->Some(left, &size);
    if (bytes == nullptr) return Damaged(why, "its content is cut short or does not unpack");
    hash.Add(bytes, size);
    if (!WriteAll(fd, bytes, size)) return NotWritten(why, file.name);
    left -= static_cast<int64_t>(size);
  }
  if (!hash.Is(file.hash)) return Damaged(why, Format("%s has another hash", file.name).chars);
  return fchmod(fd, file.is_program ? 0500 : 0400) == 0 ? Unpacked::kWhole
                                                        : NotWritten(why, file.name);
}

Unpacked WriteFile(Content* content, const File& file, int folder, Text* why) {
  int fd = Create(folder, file.name);
  if (fd < 0 && errno == EEXIST) {
    return Damaged(why, Format("%s occurs in it twice", file.name).chars);
  }
  if (fd < 0) return NotWritten(why, file.name);
  Unpacked copied = Copy(content, file, fd, why);
  close(fd);
  return copied;
}

Unpacked WriteManifest(const Manifest& manifest, int folder, Text* why) {
  int fd = Create(folder, "manifest");
  if (fd < 0) return NotWritten(why, "manifest");
  bool written = WriteAll(fd, manifest.text, manifest.size);
  close(fd);
  return written ? Unpacked::kWhole : NotWritten(why, "manifest");
}

}  // namespace

bool OpenBundleFile(int fd, const char* hash, BundleFile* bundle, Text* why) {
  unsigned char header[kBundleHeaderBytes];
  int64_t size = 0;
  bundle->fd = fd;
  if (read(fd, header, sizeof header) == sizeof header && memcmp(header, kBundleMagic, 8) == 0 &&
      (header[12] | header[13] | header[14] | header[15]) == 0) {
    for (int i = 3; i >= 0; --i) size = size << 8 | header[8 + i];
  }
  if (ReadManifest(fd, size, hash, &bundle->manifest)) return true;
  Damaged(why, "its list of files does not match its name");
  return false;
}

Unpacked Unpack(const BundleFile& bundle, int folder, Text* why) {
  for (const char* name : {"bin", "lib"}) {
    if (mkdirat(folder, name, 0700) != 0) return NotWritten(why, name);
  }
  Content content(bundle.fd);
  File file;
  for (int64_t next = bundle.manifest.files; NextFile(bundle.manifest, &next, &file);) {
    Unpacked written = WriteFile(&content, file, folder, why);
    if (written != Unpacked::kWhole) return written;
  }
  if (!content.Ends()) return Damaged(why, "it holds more than its list of files");
  // Last: Inspect() treats a folder without it as incomplete.
  return WriteManifest(bundle.manifest, folder, why);
}

}  // namespace protium::launcher
