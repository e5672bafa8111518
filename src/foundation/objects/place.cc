// SPDX-License-Identifier: Apache-2.0
#include "objects/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/fault.h"

namespace protium {

namespace {

struct Scheme {
  std::string_view prefix;
  std::string_view kind;  // Empty: of Hadoop, refused by name.
};
constexpr std::array kSchemes = {Scheme{"s3://", "s3"},      Scheme{"gs://", "gs"},
                                 Scheme{"gcs://", "gs"},     Scheme{"abfs://", "abfs"},
                                 Scheme{"abfss://", "abfs"}, Scheme{"hdfs://", ""},
                                 Scheme{"webhdfs://", ""},   Scheme{"viewfs://", ""}};

const Scheme* SchemeOf(std::string_view text) {
  const auto found = std::ranges::find_if(
      kSchemes, [&](const Scheme& each) { return text.starts_with(each.prefix); });
  return found == kSchemes.end() ? nullptr : &*found;
}

Status Refused(const Scheme& scheme, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("an address {}... {}", scheme.prefix, what),
               .fix = std::move(fix),
               .kept = "nothing was started"});
}

// The bucket, container or account: all up to the first slash.
std::string_view HeadOf(const Scheme& scheme, std::string_view text) {
  const std::string_view rest = text.substr(scheme.prefix.size());
  return rest.substr(0, rest.find('/'));
}

bool IsPlain(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f; }) &&
         text.find_first_of("?#%\\\"'<>`{}|^") == text.npos;
}

}  // namespace

bool IsOnStore(std::string_view text) { return SchemeOf(text) != nullptr; }

Result<ObjectPlace> ObjectPlace::Parse(std::string_view text) {
  const Scheme* const scheme = SchemeOf(text);
  if (scheme == nullptr) {
    return Fail({.exit = Exit::kUsage, .what = "not an address on an object store"});
  }
  if (scheme->kind.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("runs are not kept at {}", scheme->prefix),
                 .why = "HDFS is read with Java and Hadoop's libraries, which ranks do not carry",
                 .fix =
                     "a place at s3://, gs:// or abfss://; or a folder that this machine and all "
                     "executors have at the same path, such as a mount of HDFS",
                 .kept = "nothing was started"});
  }
  while (text.ends_with('/') && text.size() > scheme->prefix.size()) text.remove_suffix(1);
  const std::string_view head = HeadOf(*scheme, text);
  // "container@account" has no colon; whatever has one, or an "@" elsewhere, is a password.
  const bool secret = head.find(':') != head.npos ||
                      (scheme->kind != "abfs" && head.find('@') != head.npos) ||
                      text.find('?') != text.npos;
  if (secret) {
    return Refused(*scheme, "must not hold passwords, keys or options",
                   "keys come from the environment or the store's own configuration");
  }
  if (head.empty()) {
    return Refused(*scheme, "must name a bucket", fmt::format("{}bucket/runs", scheme->prefix));
  }
  if (!IsPlain(text) || text.size() > 700 || text.find("//", scheme->prefix.size()) != text.npos ||
      text.find("/./") != text.npos || text.find("/..") != text.npos) {
    return Refused(*scheme, "must be made of plain characters, without spaces, % and ..",
                   fmt::format("{}bucket/runs", scheme->prefix));
  }
  return ObjectPlace(std::string(text));
}

ObjectPlace ObjectPlace::operator/(std::string_view name) const {
  return ObjectPlace(fmt::format("{}/{}", text_, name));
}

ObjectPlace ObjectPlace::parent() const {
  const size_t slash = text_.rfind('/');
  const bool bucket = slash == text_.npos || slash < SchemeOf(text_)->prefix.size();
  return bucket ? *this : ObjectPlace(text_.substr(0, slash));
}

std::string ObjectPlace::name() const {
  const size_t slash = text_.rfind('/');
  const bool bucket = slash == text_.npos || slash < SchemeOf(text_)->prefix.size();
  return bucket ? "" : text_.substr(slash + 1);
}

std::string_view ObjectPlace::kind() const { return SchemeOf(text_)->kind; }

}  // namespace protium
